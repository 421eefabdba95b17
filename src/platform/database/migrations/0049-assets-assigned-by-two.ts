import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/**
 * The application of an asset decides who can read its amounts, so the assignment can be proposed and confirmed by a second
 * person.
 */
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
