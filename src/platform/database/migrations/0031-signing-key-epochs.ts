import { Migration } from '@mikro-orm/migrations';

/** Signing keys can be rotated: each key has an epoch, and each signature records the epoch of its key. */
export class Migration0031SigningKeyEpochs extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

// The previous version of the gateway sets no epoch: it signs with the first key.
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
  // The previous version of the gateway signs with the first key even if newer keys exist, until its process is replaced.
  `create function refuse_replaced_signing_key() returns trigger language plpgsql as $$
  begin
    if new.signing_key_epoch < (select max(epoch) from signing_keys where organization_id = new.organization_id) then
      raise exception 'The signing key was replaced: only processes of the newest version may sign.';
    end if;
    return new;
  end $$`,
  `do $$ begin execute format(
    'alter function %1$I.refuse_replaced_signing_key() set search_path to %1$I, pg_temp', current_schema()); end $$`,
  `create trigger log_checkpoints_signing_key before insert on log_checkpoints
    for each row execute function refuse_replaced_signing_key()`,
  // Another column of the table contains keys, so resealing starts again.
  `update resealing set reached = null where purpose = 'signing_keys'`,
  `alter table proposed_operations drop constraint proposed_operations_operation_check,
    add constraint proposed_operations_operation_check check (operation in ('createDisclosurePolicy',
      'approveAddress', 'setAddressDefault', 'createApiKey', 'updateOrganization', 'addCaseAuditor',
      'rotateAuditorKey', 'rotateSigningKey', 'declareSigningKeyCompromised'))`,
];
