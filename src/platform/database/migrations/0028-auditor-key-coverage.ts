import { Migration } from '@mikro-orm/migrations';

/**
 * Auditor keys are rotated, changes of a mint's key have their place among its records, and mints with another's key are observed.
 */
export class Migration0028AuditorKeyCoverage extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // Of the record of the change; zero for the key that the mint began with.
  `alter table mint_auditor_keys add column position bigint not null default 0`,
  `update mint_auditor_keys as changes set position = transactions.position from transactions
    where transactions.asset_id = changes.asset_id and transactions.signature = changes.signature
      and transactions.path = changes.path`,
  `drop index mint_auditor_keys_slot`,
  `create index mint_auditor_keys_position on mint_auditor_keys (asset_id, from_slot, position)`,
  // Indexed also while the mint has another's auditor key or none, and never alone in it.
  `alter table indexed_mints add column observed boolean not null default false`,
  `alter table proposed_operations drop constraint proposed_operations_operation_check,
    add constraint proposed_operations_operation_check check (operation in ('createDisclosurePolicy',
      'approveAddress', 'setAddressDefault', 'createApiKey', 'updateOrganization', 'addCaseAuditor',
      'rotateAuditorKey'))`,
];
