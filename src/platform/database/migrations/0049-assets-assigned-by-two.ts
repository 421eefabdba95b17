import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/** Who is assigned an asset decides who reads its amounts: a link to an application can be proposed, and another confirms it. */
export class Migration0049AssetsAssignedByTwo extends Migration {
  override up(): void {
    this.addSql(lockBriefly(['proposed_operations', 'access exclusive']));
    this.addSql(`alter table proposed_operations drop constraint proposed_operations_operation_check,
      add constraint proposed_operations_operation_check check (operation in ('createDisclosurePolicy',
        'approveAddress', 'setAddressDefault', 'createApiKey', 'updateOrganization', 'addCaseAuditor', 'assignAsset',
        'rotateAuditorKey', 'exportAuditorKey', 'importAuditorKey', 'rotateSigningKey', 'declareSigningKeyCompromised',
        'declareSigningKeyLost', 'setRetention', 'releaseLegalHold'))`);
  }
}
