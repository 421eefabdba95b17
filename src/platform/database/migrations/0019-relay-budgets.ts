import { Migration } from '@mikro-orm/migrations';

/** What relays may cost for each pool and each client in a day. */
export class Migration0019RelayBudgets extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // One budget for each pool and each client, identified by a keyed digest. The day begins at midnight UTC.
  `create table relay_spending (
    scope_hash bytea not null check (length(scope_hash) = 32),
    day timestamptz(3) not null,
    lamports bigint not null check (lamports >= 0),
    primary key (scope_hash, day)
  )`,
  // Null for requests that were accepted earlier.
  `alter table relay_requests add column client_hash bytea check (length(client_hash) = 32)`,
];
