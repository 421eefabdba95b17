import { Migration } from '@mikro-orm/migrations';

/** Passkeys, recovery codes, and organizations that require a second factor. */
export class Migration0020SecondFactors extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  `alter table organizations add column require_second_factor boolean not null default false`,
  // When the person last proved a second factor in this session.
  `alter table sessions add column factor_at timestamptz(3)`,
  `create table passkeys (
    id text primary key,
    account_id text not null references accounts on delete cascade,
    credential_id bytea not null unique,
    public_key bytea not null,
    user_handle bytea not null,
    sign_count bigint not null,
    transports text[] not null,
    name text not null,
    created_at timestamptz(3) not null,
    last_used_at timestamptz(3)
  )`,
  `create index passkeys_account on passkeys (account_id, id)`,
  `create table recovery_codes (
    account_id text not null references accounts on delete cascade,
    code_hash bytea not null,
    created_at timestamptz(3) not null,
    primary key (account_id, code_hash)
  )`,
];
