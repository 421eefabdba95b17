import { Migration } from '@mikro-orm/migrations';

/** Signing keys are rotated: each has an epoch, and what a key signed names it. */
export class Migration0031SigningKeyEpochs extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

// The previous version names no epoch: what it signs is of the first.
const EPOCH = 'integer not null default 1 check (signing_key_epoch > 0)';

const STATEMENTS = [
  `alter table signing_keys add column epoch integer not null default 1 check (epoch > 0),
    -- Until then a key that was replaced signs checkpoints, too. Null for the key in use.
    add column cosigns_until timestamptz(3),
    -- From this index on, nothing that only this key signed is to be believed.
    add column compromised_from bigint check (compromised_from >= 0),
    -- The secret of a key that signs nothing anymore is destroyed.
    alter column sealed_secret drop not null,
    drop constraint signing_keys_pkey,
    add primary key (organization_id, epoch)`,
  ...['log_checkpoints', 'receipts', 'relay_receipts'].map(
    (table) => `alter table ${table} add column signing_key_epoch ${EPOCH}`,
  ),
  `alter table proposed_operations drop constraint proposed_operations_operation_check,
    add constraint proposed_operations_operation_check check (operation in ('createDisclosurePolicy',
      'approveAddress', 'setAddressDefault', 'createApiKey', 'updateOrganization', 'addCaseAuditor',
      'rotateAuditorKey', 'rotateSigningKey', 'declareSigningKeyCompromised'))`,
];
