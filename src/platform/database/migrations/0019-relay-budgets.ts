import { Migration } from '@mikro-orm/migrations';

/** What relays may cost a pool and a client in a day. */
export class Migration0019RelayBudgets extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // Per pool and per client: whose it is stands in a keyed digest. The day begins at midnight UTC.
  `create table relay_spending (
    scope_hash bytea not null check (length(scope_hash) = 32),
    day timestamptz(3) not null,
    lamports bigint not null check (lamports >= 0),
    primary key (scope_hash, day)
  )`,
  // Null for what was accepted before.
  `alter table relay_requests add column client_hash bytea check (length(client_hash) = 32)`,
];
