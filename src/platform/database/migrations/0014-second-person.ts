import { Migration } from '@mikro-orm/migrations';

/** Actions that wait for a second person: proposed operations, and grants of deciding permissions. */
export class Migration0014SecondPerson extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  `create table proposed_operations (
    organization_id text not null references organizations,
    operation text not null check (operation in ('createDisclosurePolicy', 'approveAddress', 'setAddressDefault',
      'createApiKey', 'updateOrganization')),
    input_digest bytea not null,
    input jsonb not null,
    proposed_by text not null references users,
    proposed_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    primary key (organization_id, operation, input_digest)
  )`,
  // Separate from the effective grants, so that no statement can mistake one for the other.
  `create table pending_permission_grants (
    id text primary key,
    organization_id text not null references organizations,
    user_id text not null references users,
    application_id text references applications,
    bucket text not null check (bucket in ('owner', 'common', 'administrator', 'auditor')),
    permission text not null,
    granted_by text not null,
    created_at timestamptz(3) not null,
    check ((bucket = 'owner') = (application_id is null)),
    unique nulls not distinct (user_id, application_id, bucket, permission)
  )`,
  `create index pending_permission_grants_organization on pending_permission_grants (organization_id, id)`,
];
