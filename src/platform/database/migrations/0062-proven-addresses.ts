import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/**
 * Migration 0064 fills it for earlier accounts, without these locks. Whether the person of an account showed that its e-mail address is theirs. Without a mail server, an owner can create an account
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
  // What a process of the previous version writes shows none.
  `alter table security_events alter column shows_client set default false`,
];
