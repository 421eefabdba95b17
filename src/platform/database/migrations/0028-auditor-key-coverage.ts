import { Migration } from '@mikro-orm/migrations';

/**
 * Auditor keys can be rotated, changes of a mint's key have a position among its records, and mints with the auditor key of
 * another party can be observed.
 */
export class Migration0028AuditorKeyCoverage extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // The position of the record of the change; zero for the initial key of the mint.
  `alter table mint_auditor_keys add column position bigint not null default 0`,
  `update mint_auditor_keys as changes set position = transactions.position from transactions
    where transactions.asset_id = changes.asset_id and transactions.signature = changes.signature
      and transactions.path = changes.path`,
  `drop index mint_auditor_keys_slot`,
  `create index mint_auditor_keys_position on mint_auditor_keys (asset_id, from_slot, position)`,
  // Whether the mint is indexed although it has no auditor key or one of another party. Never exclusive.
  `alter table indexed_mints add column observed boolean not null default false`,
  `alter table proposed_operations drop constraint proposed_operations_operation_check,
    add constraint proposed_operations_operation_check check (operation in ('createDisclosurePolicy',
      'approveAddress', 'setAddressDefault', 'createApiKey', 'updateOrganization', 'addCaseAuditor',
      'rotateAuditorKey'))`,
];
