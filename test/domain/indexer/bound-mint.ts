import { randomBytes } from 'node:crypto';
import { sql, type Database, type Transaction } from '../../../src/platform/database/index.js';
import { newId, type Id } from '../../../src/platform/kernel/ids.js';
import type { Address } from '../../../src/platform/ledger/index.js';

export interface BoundMint {
  readonly assetId: Id<'ast'>;
  readonly mintAddress: Address;
}

/** An asset with a bound mint, ready for the indexer. One organization for each auditor key. */
export async function bindTestMint(
  database: Database,
  mintAddress: Address,
  options: { readonly auditorPublicKey?: Uint8Array; readonly decimals?: number } = {},
): Promise<BoundMint> {
  const { auditorPublicKey = new Uint8Array(randomBytes(32)), decimals = 6 } = options;
  const assetId = newId('ast');
  await database.transaction(async (transaction) => {
    const organizationId = await organizationWith(transaction, auditorPublicKey);
    await transaction.rows(sql`
      insert into assets (id, organization_id, name, symbol, decimals, auditor_public_key, auditor_key_epoch,
        mint_address, status, created_at, updated_at)
      values (${assetId}, ${organizationId}, 'Private Dollar', 'PUSD', ${decimals}, ${auditorPublicKey}, 1,
        ${mintAddress}, 'active', now(), now())`);
    await transaction.rows(sql`
      insert into indexed_mints (asset_id, mint_address, status, next_attempt_at)
      values (${assetId}, ${mintAddress}, 'pending', now())`);
    await transaction.rows(sql`
      insert into followed_addresses (asset_id, address, kind, learned_at)
      values (${assetId}, ${mintAddress}, 'mint', now())`);
  });
  return { assetId, mintAddress };
}

async function organizationWith(transaction: Transaction, auditorPublicKey: Uint8Array): Promise<Id<'org'>> {
  const [existing] = await transaction.rows(sql<{ id: Id<'org'> }>`
    select organization_id as id from auditor_keys where public_key = ${auditorPublicKey}`);
  if (existing) return existing.id;
  const id = newId('org');
  await transaction.rows(sql`insert into organizations (id, name, created_at) values (${id}, 'Acme', now())`);
  await transaction.rows(sql`
    insert into auditor_keys (organization_id, epoch, public_key, sealed_secret, created_at)
    values (${id}, 1, ${auditorPublicKey}, ${new Uint8Array(1)}, now())`);
  return id;
}

export interface StoredRecord {
  readonly position: number;
  readonly type: string;
  readonly signature: string;
  readonly path: readonly number[];
  readonly slot: number;
  readonly source: string | null;
  readonly destination: string | null;
  readonly publicData: Record<string, unknown>;
  readonly ciphertexts: { readonly auditor?: { readonly lo: string; readonly hi: string } };
}

export function storedRecords(database: Database, { assetId }: BoundMint): Promise<StoredRecord[]> {
  return database.rows(sql<StoredRecord>`
    select position, type, signature, path, slot, source_account as "source", destination_account as "destination",
      public_data as "publicData", ciphertexts
    from transactions where asset_id = ${assetId} order by position`);
}

export interface StoredMint {
  readonly status: string;
  readonly reason: string | null;
  readonly recordCount: number;
  readonly latestSlot: number | null;
  readonly latestSignature: string | null;
  readonly checkpointSlot: number | null;
  readonly failures: number;
  readonly leaseOwner: string | null;
  readonly isRegistered: boolean;
  readonly isVerified: boolean;
  readonly isCaughtUp: boolean;
}

export async function storedMint(database: Database, { assetId }: BoundMint): Promise<StoredMint> {
  const [row] = await database.rows(sql<StoredMint>`
    select status, reason, record_count as "recordCount", latest_slot as "latestSlot",
      latest_signature as "latestSignature", checkpoint_slot as "checkpointSlot", failures,
      lease_owner as "leaseOwner", registered_at is not null as "isRegistered", verified as "isVerified",
      caught_up_at is not null as "isCaughtUp"
    from indexed_mints where asset_id = ${assetId}`);
  return row!;
}

/** Expires all leases, as if their workers had died. */
export async function expireLeases(database: Database): Promise<void> {
  await database.rows(
    sql`update indexed_mints set lease_expires_at = now() - interval '1 second' where lease_owner is not null`,
  );
  await database.rows(sql`delete from indexer_workers`);
}
