import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/** A waiting grant does not count again when the person who made it lost the right to grant, and has it back. */
export class Migration0065LapsedGrants extends Migration {
  override up(): void {
    this.addSql(lockBriefly(['pending_permission_grants', 'access exclusive']));
    this.addSql('alter table pending_permission_grants add column is_lapsed boolean not null default false');
    this.addSql(`update pending_permission_grants waiting set is_lapsed = true
      where granted_by like 'usr\\_%' and not exists (select from permission_grants held
        where held.organization_id = waiting.organization_id and held.user_id = waiting.granted_by
          and held.bucket = 'owner' and held.permission = 'members:manage')`);
  }
}
