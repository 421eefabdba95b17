import { Migration } from '@mikro-orm/migrations';

/** Computing the result of a disclosure is leased with fencing, and retried with back-off. */
export class Migration0012DisclosureAttempts extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  `alter table disclosures
    add column fencing_token bigint not null default 0,
    add column failures integer not null default 0,
    add column next_attempt_at timestamptz(3)`,
];
