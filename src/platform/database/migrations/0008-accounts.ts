import { Migration } from '@mikro-orm/migrations';

/**
 * Separates the person who signs in (`accounts`) from the member of an organization (`users`). A user is one membership: it has
 * a separate name, belongs to one organization permanently, and is never restored after it has ended.
 */
export class Migration0008Accounts extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // E-mail addresses are not unique: an account that one organization created must reveal nothing to another one.
  `create table accounts (
    id text primary key,
    email text not null,
    password_hash text,
    sealed_totp_secret bytea,
    last_totp_step bigint,
    oidc_subject text unique,
    created_at timestamptz(3) not null
  )`,
  `create index accounts_email on accounts (lower(email))`,
  `alter table users
    add column organization_id text references organizations,
    add column account_id text references accounts on delete set null,
    add column ended_at timestamptz(3)`,
  `insert into accounts (id, email, password_hash, sealed_totp_secret, last_totp_step, oidc_subject, created_at)
    select 'acc_' || substr(id, 5), email, password_hash, sealed_totp_secret, last_totp_step, oidc_subject, created_at
    from users where id in (select user_id from memberships)`,
  `update users set organization_id = memberships.organization_id, created_at = memberships.created_at,
      account_id = 'acc_' || substr(id, 5)
    from memberships where memberships.user_id = users.id`,
  // For former members, the log contains their last organization.
  `update users set ended_at = coalesce((select max(created_at) from activity_entries
        where event_type = 'member.removed' and entry->'object'->>'user_id' = users.id), created_at),
      organization_id = (select organization_id from activity_entries
        where event_type = 'member.added' and entry->'object'->>'user_id' = users.id order by sequence desc limit 1)
    where organization_id is null`,
  `alter table users alter column organization_id set not null,
    add constraint users_ended check (ended_at is null or account_id is null)`,
  `alter table permission_grants drop constraint permission_grants_user_id_fkey,
    add foreign key (user_id) references users`,
  `drop table memberships`,
  `drop index users_email`,
  `alter table users drop column password_hash, drop column sealed_totp_secret, drop column last_totp_step,
    drop column oidc_subject`,
  `create unique index users_email on users (organization_id, lower(email)) where ended_at is null`,
  `create unique index users_account on users (account_id, organization_id) where ended_at is null`,
  `create index users_organization on users (organization_id, id)`,

  // Failures are counted for a key, which is a digest under a key of this gateway.
  `drop table sign_in_failures`,
  `create table sign_in_failures (
    id bigint primary key generated always as identity,
    key_hash bytea not null,
    failed_at timestamptz(3) not null
  )`,
  `create index sign_in_failures_recent on sign_in_failures (key_hash, failed_at)`,
  `create index sign_in_failures_age on sign_in_failures (failed_at)`,
];
