import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/**
 * Whether the person of an account showed that its e-mail address is theirs. Without a mail server, an owner can create an account
 * for any address, and must not see from where the person with this address signs in elsewhere.
 */
export class Migration0062ProvenAddresses extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  lockBriefly(
    ['accounts', 'access exclusive'],
    ['invitations', 'access exclusive'],
    ['security_events', 'access exclusive'],
  ),
  `alter table accounts add column address_proven_at timestamptz(3)`,
  `alter table invitations add column mailed_at timestamptz(3)`,
  `alter table security_events add column shows_client boolean not null default true`,
  // Of earlier accounts it is known only if the identity provider or the operator vouched for the address.
  `update accounts set address_proven_at = created_at
    where oidc_subject is not null or exists (
      select from users join activity_entries as entries
        on entries.organization_id = users.organization_id and entries.object_id = users.id
      where users.account_id = accounts.id and users.created_at = accounts.created_at
        and entries.event_type = 'member.added' and entries.actor_id = 'operator')`,
];
