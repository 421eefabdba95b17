import { Migration } from '@mikro-orm/migrations';

/** Two owners can declare that the key that signs the log is lost. */
export class Migration0043LostSigningKeys extends Migration {
  override up(): void {
    this.addSql(`alter table proposed_operations drop constraint proposed_operations_operation_check,
      add constraint proposed_operations_operation_check check (operation in ('createDisclosurePolicy',
        'approveAddress', 'setAddressDefault', 'createApiKey', 'updateOrganization', 'addCaseAuditor',
        'rotateAuditorKey', 'exportAuditorKey', 'importAuditorKey', 'rotateSigningKey', 'declareSigningKeyCompromised',
        'declareSigningKeyLost', 'setRetention', 'releaseLegalHold'))`);
  }
}
