import { randomBytes } from 'node:crypto';
import { encrypt } from './encrypt.js';
import { currentAuditorKey } from '../../../src/domain/assets/auditor-keys/auditor-keys.js';
import { jsonb, sql, type Foundation } from '../../../src/platform/database/index.js';
import { base58, base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { newId, type Id } from '../../../src/platform/kernel/ids.js';
import type { JsonObject } from '../../../src/platform/kernel/encoding/json.js';
import type { Address, ConfidentialEventType, Signature } from '../../../src/platform/ledger/index.js';

export interface SeededAsset {
  readonly id: Id<'ast'>;
  readonly organizationId: Id<'org'>;
  readonly mintAddress: Address;
  readonly auditorPublicKey: Uint8Array;
}

export interface SeededRecord {
  readonly type?: ConfidentialEventType;
  readonly signature?: Signature;
  readonly path?: readonly number[];
  readonly slot?: number;
  readonly blockTime?: number | null;
  readonly signer?: Address;
  readonly sourceAccount?: Address | null;
  readonly destinationAccount?: Address | null;
  /** Added to the position of the instruction. */
  readonly publicData?: JsonObject;
  readonly ciphertexts?: { readonly auditor?: { readonly lo: string; readonly hi: string } };
  readonly indexedAt?: Date;
}

export const randomAddress = () => base58.encode(randomBytes(32)) as Address;
export const randomSignature = () => base58.encode(randomBytes(64)) as Signature;

/** An active asset with a bound mint whose auditor key is the organization's, as after binding and registration. */
export async function seedAsset(
  foundation: Foundation,
  organizationId: Id<'org'>,
  {
    applicationId = null,
    disclosurePolicyId = null,
  }: { readonly applicationId?: Id<'app'> | null; readonly disclosurePolicyId?: string | null } = {},
): Promise<SeededAsset> {
  const id = newId('ast');
  const mintAddress = randomAddress();
  const now = foundation.clock.now();
  const auditorPublicKey = await foundation.database.transaction(async (transaction) => {
    const key = await currentAuditorKey(transaction, foundation, organizationId);
    await transaction.rows(sql`
      insert into assets (id, organization_id, application_id, name, symbol, decimals, auditor_public_key,
        auditor_key_epoch, mint_address, disclosure_policy_id, status, created_at, updated_at)
      values (${id}, ${organizationId}, ${applicationId}, 'Private Dollar', 'PUSD', 6, ${key.publicKey},
        ${key.epoch}, ${mintAddress}, ${disclosurePolicyId}, 'active', ${now}, ${now})`);
    await transaction.rows(sql`
      insert into indexed_mints (asset_id, mint_address, status, next_attempt_at)
      values (${id}, ${mintAddress}, 'active', ${now})`);
    await transaction.rows(sql`
      insert into mint_auditor_keys (asset_id, from_slot, path, public_key, signature)
      values (${id}, 0, '{0,0,0}', ${key.publicKey}, ${randomSignature()})`);
    return key.publicKey;
  });
  return { id, organizationId, mintAddress, auditorPublicKey };
}

/** Writes records like the indexer: positions without gaps, committed in order, then a wake-up. */
export async function seedRecords(
  foundation: Foundation,
  asset: Pick<SeededAsset, 'id'>,
  records: readonly SeededRecord[],
): Promise<{ id: Id<'txn'>; signature: Signature }[]> {
  const added = await foundation.database.transaction(async (transaction) => {
    const [mint] = await transaction.rows(sql<{ total: number }>`
      update indexed_mints set record_count = record_count + ${records.length}
      where asset_id = ${asset.id} returning record_count as total`);
    let position = mint!.total - records.length;
    const seeded: { id: Id<'txn'>; signature: Signature }[] = [];
    for (const record of records) {
      position += 1;
      const id = newId('txn');
      const signature = record.signature ?? randomSignature();
      await transaction.rows(sql`
        insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
          source_account, destination_account, public_data, ciphertexts, indexed_at)
        values (${id}, ${asset.id}, ${position}, ${signature}, ${[...(record.path ?? [0, 0, 0])]}::integer[],
          ${record.type ?? 'confidential_transfer'}, ${record.slot ?? 1000 + position},
          ${record.blockTime === undefined ? 1_700_000_000 + position : record.blockTime},
          ${record.signer ?? randomAddress()},
          ${record.sourceAccount === undefined ? randomAddress() : record.sourceAccount},
          ${record.destinationAccount === undefined ? randomAddress() : record.destinationAccount},
          ${jsonb({ ...placeOf(record), ...record.publicData })}, ${jsonb(record.ciphertexts ?? {})},
          ${record.indexedAt ?? foundation.clock.now()})`);
      seeded.push({ id, signature });
    }
    return seeded;
  });
  foundation.signals.publish(`transactions:${asset.id}`);
  return added;
}

const placeOf = ({ path = [0, 0, 0] }: SeededRecord) => ({
  instructionIndex: path[0]!,
  instructionPath: [...path],
});

/** The ciphertexts of an amount for the auditor: its low 16 bits and the rest, encrypted separately. */
export function auditorCiphertexts(publicKey: Uint8Array, amount: bigint) {
  return {
    auditor: {
      lo: base64.encode(encrypt(publicKey, amount & 0xffffn)),
      hi: base64.encode(encrypt(publicKey, amount >> 16n)),
    },
  };
}
