import { Migration } from '@mikro-orm/migrations';

/** Two persons can export an auditor key. */
export class Migration0036AuditorKeyExport extends Migration {
  override up(): void {
    this.addSql(`alter table proposed_operations drop constraint proposed_operations_operation_check,
      add constraint proposed_operations_operation_check check (operation in ('createDisclosurePolicy',
        'approveAddress', 'setAddressDefault', 'createApiKey', 'updateOrganization', 'addCaseAuditor',
        'rotateAuditorKey', 'exportAuditorKey', 'rotateSigningKey', 'declareSigningKeyCompromised'))`);
  }
}
