import { Migration } from '@mikro-orm/migrations';

/**
 * Of earlier accounts it is known only if the identity provider or the operator vouched for the address. Failed sign-ins to the
 * others show their client no more.
 */
export class Migration0064EarlierProvenAddresses extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  `update accounts set address_proven_at = created_at
    where address_proven_at is null and (oidc_subject is not null or exists (
      select from users join activity_entries as entries
        on entries.organization_id = users.organization_id and entries.object_id = users.id
      where users.account_id = accounts.id and users.created_at = accounts.created_at
        and entries.event_type = 'member.added' and entries.actor_id = 'operator'))`,
  `update security_events set shows_client = false from users join accounts on accounts.id = users.account_id
    where event like 'sign_in.%' and users.id = security_events.subject_id and accounts.address_proven_at is null`,
];
