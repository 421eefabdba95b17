import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/** An erasure destroys the record of who did what, so it can be proposed and confirmed by a second person. */
export class Migration0056ErasuresByTwo extends Migration {
  override up(): void {
    this.addSql(lockBriefly(['proposed_operations', 'access exclusive']));
    this.addSql(`alter table proposed_operations drop constraint proposed_operations_operation_check,
      add constraint proposed_operations_operation_check check (operation in ('createDisclosurePolicy',
        'approveAddress', 'setAddressDefault', 'createApiKey', 'updateOrganization', 'addCaseAuditor', 'assignAsset',
        'unbindMint', 'rotateAuditorKey', 'exportAuditorKey', 'importAuditorKey', 'rotateSigningKey',
        'declareSigningKeyCompromised', 'declareSigningKeyLost', 'setRetention', 'releaseLegalHold',
        'erasePersonalValues'))`);
  }
}
