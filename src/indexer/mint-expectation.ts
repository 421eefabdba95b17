import { sql, type Database } from '../database/index.js';
import { checkMint, type LedgerReader, type MintCheckFailure } from '../ledger/index.js';
import { underLease, type MintLease } from './mint-lease.js';

/** What the database knows of a mint when a worker takes it over. */
export interface MintRecord {
  readonly auditorPublicKey: Uint8Array;
  readonly decimals: number;
  readonly registered: boolean;
  readonly status: 'pending' | 'active' | 'error';
  readonly reason: string | null;
  readonly failures: number;
}

export async function loadMintRecord(database: Database, { assetId }: MintLease): Promise<MintRecord> {
  const [row] = await database.rows(sql<MintRecord>`
    select auditor_public_key as "auditorPublicKey", decimals, registered_at is not null as "registered",
      indexed_mints.status, reason, failures
    from assets join indexed_mints on asset_id = assets.id where assets.id = ${assetId}`);
  if (!row) throw new Error('A bound mint has no asset.');
  return row;
}

/** Why the mint, as it is on the ledger now, is not the one the asset was registered for; undefined when it is. */
export async function checkMintOnLedger(
  ledger: LedgerReader,
  { mintAddress }: MintLease,
  expected: MintRecord,
  minContextSlot: number,
): Promise<MintCheckFailure | undefined> {
  const mint = await ledger.mintAccount(mintAddress, { minContextSlot });
  const check = checkMint(mint, expected);
  return check.ok ? undefined : check.reason;
}

/** From here on the mint's history is indexed, whatever becomes of the mint. */
export function registerMint(database: Database, lease: MintLease): Promise<void> {
  return underLease(database, lease, async (transaction) => {
    await transaction.rows(sql`
      update indexed_mints set registered_at = coalesce(registered_at, now()) where asset_id = ${lease.assetId}`);
  });
}
