import { Migration } from '@mikro-orm/migrations';

/** The answers of providers in the last look at a relay request that has not ended. */
export class Migration0018RelayLooks extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // Null before the first look that did not end the request.
  `alter table relay_requests
    add column last_look jsonb,
    add column last_look_at timestamptz(3)`,
];
