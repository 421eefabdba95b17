import { Migration } from '@mikro-orm/migrations';

/** Address checks: the address lists of applications, the record of each check, and counts of requests. */
export class Migration0006Checks extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // An application without a row has an empty list and version 0. Each change of its addresses or default increases the
  // version: a check records the version that decided it.
  `create table address_policies (
    application_id text primary key references applications,
    approved_by_default boolean not null default false,
    version integer not null check (version >= 0)
  )`,
  `create table application_addresses (
    application_id text not null references applications,
    network text not null check (network in ('solana')),
    address text collate "C" not null,
    status text not null check (status in ('approved', 'revoked')),
    reason text not null,
    changed_by text not null,
    changed_at timestamptz(3) not null,
    primary key (application_id, network, address)
  )`,
  // The complete question and answer. The application is null if the requested id is unknown.
  `create table address_checks (
    id text primary key,
    organization_id text references organizations,
    application_id text references applications,
    network text not null,
    address text not null,
    check_application_id text not null,
    approved boolean not null,
    reason text not null check (reason in
      ('approved', 'not_approved', 'revoked', 'sanctioned', 'unknown_application', 'screening_unavailable')),
    decided_by text not null check (decided_by in
      ('application', 'sanctions_list', 'screening_service', 'address_list', 'default')),
    policy_version integer,
    list_version text,
    checked_at timestamptz(3) not null,
    metadata_hash bytea not null check (length(metadata_hash) = 32),
    check (approved = (reason = 'approved')),
    check ((application_id is null) = (reason = 'unknown_application')),
    check ((organization_id is null) = (application_id is null)),
    check ((policy_version is null) = (application_id is null))
  )`,
  // No statement of the gateway changes these rows. The database refuses changes by others.
  `create or replace function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception 'Rows of % never change.', tg_table_name;
  end $$`,
  `create trigger address_checks_never_change before update or delete or truncate on address_checks
    for each statement execute function refuse_change()`,

  // Requests of one key within one window. Only a digest of the key is stored, because the key can be a client's address.
  `create table rate_windows (
    key_hash bytea not null,
    started_at timestamptz(3) not null,
    requests integer not null,
    primary key (key_hash, started_at)
  )`,
  `create index rate_windows_age on rate_windows (started_at)`,
];
