import { Migration } from '@mikro-orm/migrations';

/** Filters for relays, checks and log entries. */
export class Migration0033Filters extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  `create table relay_applications (
    application_id text not null references applications (id),
    request_id text not null references relay_requests (id),
    organization_id text not null references organizations (id),
    accepted_at timestamptz(3) not null,
    primary key (application_id, request_id)
  )`,
  `create index relay_applications_newest on relay_applications (application_id, accepted_at, request_id)`,
  `create index relay_applications_request on relay_applications (request_id)`,
  // Only the package shows which application an earlier relay belongs to, unless there is only one application.
  `insert into relay_applications (application_id, request_id, organization_id, accepted_at)
    select sole.id, owned.request_id, owned.organization_id, owned.accepted_at
    from relay_organizations as owned
    join applications as sole on sole.organization_id = owned.organization_id and not exists (
      select from applications as others
      where others.organization_id = sole.organization_id and others.id <> sole.id)`,
  `alter table relay_applications enable row level security`,
  `create policy organization on relay_applications using (
    (select current_setting('lucarne.acting_for', true)) = '*'
    or organization_id = any ((select string_to_array(current_setting('lucarne.acting_for', true), ','))::text[]))`,

  `drop index assets_application`,
  `create index assets_application on assets (application_id, id) where application_id is not null`,

  `create index address_checks_address on address_checks (application_id, address, id)`,

  // A column instead of an expression: under row-level security, no index can serve an expression that is not leakproof.
  `alter table activity_entries add column object_id text generated always as (coalesce(
    entry->'object'->>'id', entry->'object'->>'session_id', entry->'object'->>'user_id', entry->'object'->>'report_id',
    entry->'object'->>'invitation_id', entry->'object'->>'api_key_id', entry->'object'->>'address',
    entry->'object'->>'foreign_id')) stored`,
  `create index activity_entries_object on activity_entries (organization_id, object_id, created_at, id)
    where object_id is not null`,
  `create index activity_entries_application_actor on activity_entries (application_id, actor_id, created_at, id)
    where application_id is not null`,
];
