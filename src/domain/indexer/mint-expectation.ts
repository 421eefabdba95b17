import { auditorKeysOf } from '../assets/index.js';
import { query, type Database } from '../../platform/database/index.js';
import { LeaseLost } from '../../platform/jobs/index.js';
import { checkMint, type LedgerReader, type MintCheckFailure } from '../../platform/ledger/index.js';
import type { MintLease } from './mint-lease.js';
import type { MintStatus } from './mint-state.js';

/** The state of a mint in the database when a worker takes it over. */
export interface MintRecord {
  /**
   * The organization's auditor keys that were created here, one for each epoch, 32 bytes each. Others may also have an
   * imported key, so it is not included.
   */
  readonly auditorPublicKeys: readonly Uint8Array[];
  readonly decimals: number;
  /**
   * The newest slot at which the ledger showed one of the keys on the mint. Null before the first time, and once everything
   * up to the change of the key is indexed.
   */
  readonly verifiedSlot: number | null;
  /** Whether it is indexed even while the mint has another auditor key or none. */
  readonly observed: boolean;
  readonly status: MintStatus;
  readonly reason: string | null;
  readonly failures: number;
}

/** @throws {LeaseLost} if the mint was unbound, or its asset disabled */
export async function loadMintRecord(database: Database, { assetId }: MintLease): Promise<MintRecord> {
  const [row] = await database.rows(
    query
      .selectFrom('assets')
      .innerJoin('indexed_mints', 'indexed_mints.asset_id', 'assets.id')
      .select([
        'organization_id as organizationId',
        'decimals',
        'verified_slot as verifiedSlot',
        'observed',
        'indexed_mints.status',
        'reason',
        'failures',
      ])
      .where('assets.id', '=', assetId)
      .where('indexed_mints.status', '<>', 'disabled')
      .$narrowType<{ status: MintStatus }>(),
  );
  if (!row) throw new LeaseLost('mint');
  const { organizationId, ...mint } = row;
  const keys = await auditorKeysOf(database, organizationId);
  return {
    ...mint,
    auditorPublicKeys: keys.filter(({ imported }) => !imported).map(({ publicKey }) => publicKey),
  };
}

/** About a minute. No honest provider names a later slot. */
const MAX_SLOTS_AHEAD = 150;

export interface MintView {
  /** The slot of the view, at most {@link MAX_SLOTS_AHEAD} after the finalized slot. */
  readonly slot: number;
  /** Why the mint is not the one that the asset was registered for. Undefined if it is. */
  readonly failure: MintCheckFailure | undefined;
}

/** Checks the mint as it is on the ledger now. */
export async function checkMintOnLedger(
  ledger: LedgerReader,
  { mintAddress }: MintLease,
  expected: MintRecord,
  minContextSlot: number,
): Promise<MintView> {
  const mint = await ledger.mintAccount(mintAddress, { minContextSlot });
  const slot = Math.min(mint.slot, minContextSlot + MAX_SLOTS_AHEAD);
  const check = checkMint(mint, expected);
  if (check.ok) return { slot, failure: undefined };
  // The key of an observed mint does not matter, but its decimals do.
  const isOther = mint.status === 'mint' && mint.decimals !== expected.decimals;
  const failure = check.reason === 'auditor_key_mismatch' && isOther ? 'decimals_mismatch' : check.reason;
  return { slot, failure: expected.observed ? failure : check.reason };
}
