import { Migration } from '@mikro-orm/migrations';

/** Two persons import an auditor key, if a second person is required. */
export class Migration0037AuditorKeyImport extends Migration {
  override up(): void {
    this.addSql(`alter table proposed_operations drop constraint proposed_operations_operation_check,
      add constraint proposed_operations_operation_check check (operation in ('createDisclosurePolicy',
        'approveAddress', 'setAddressDefault', 'createApiKey', 'updateOrganization', 'addCaseAuditor',
        'rotateAuditorKey', 'exportAuditorKey', 'importAuditorKey', 'rotateSigningKey', 'declareSigningKeyCompromised'))`);
  }
}
