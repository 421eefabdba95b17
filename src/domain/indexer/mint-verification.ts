import { query, sql, type Database } from '../../platform/database/index.js';
import { underLease, type MintLease } from './mint-lease.js';
import { TAKEN } from './mint-state.js';

/**
 * Records that the ledger showed the organization's auditor key on the mint at `slot`. This takes the mint from an
 * organization that was verified at an earlier slot. Slots are compared so that a lagging node cannot give a mint back.
 * @returns false if another organization was verified at the same or a later slot
 * @throws {LeaseLost}
 */
export function verifyMint(database: Database, lease: MintLease, slot: number): Promise<boolean> {
  const { assetId, mintAddress } = lease;
  return underLease(database, lease, async (transaction) => {
    const [holder] = await transaction.rows(
      query
        .selectFrom('indexed_mints')
        .select(['asset_id as assetId', 'verified_slot as verifiedSlot'])
        .where('mint_address', '=', mintAddress)
        .where('verified', '=', true)
        .where('asset_id', '<>', assetId)
        .forUpdate(),
    );
    if (holder) {
      if ((holder.verifiedSlot ?? 0) >= slot) return false;
      await transaction.rows(
        query
          .updateTable('indexed_mints')
          .set({ verified: false, ...TAKEN })
          .where('asset_id', '=', holder.assetId),
      );
    }
    await transaction.rows(
      query
        .updateTable('indexed_mints')
        .set({
          verified: true,
          verified_slot: sql<number>`greatest(verified_slot, ${slot}::bigint)`,
          registered_at: sql<Date>`coalesce(registered_at, now())`,
        })
        .where('asset_id', '=', assetId),
    );
    return true;
  });
}

/**
 * The ledger shows another auditor key, so the mint becomes free for the organization with that key. The next change of the key
 * after `verifiedSlot` ends what is indexed.
 */
export function surrenderMint(database: Database, lease: MintLease, verifiedSlot: number): Promise<void> {
  return setUnverified(database, lease, { verified: false, verified_slot: verifiedSlot });
}

/** {@link surrenderMint} once everything up to the change of the key is indexed. Nothing after it is. */
export function leaveMint(database: Database, lease: MintLease): Promise<void> {
  return setUnverified(database, lease, { verified: false, verified_slot: null });
}

function setUnverified(
  database: Database,
  lease: MintLease,
  change: { readonly verified: false; readonly verified_slot: number | null },
): Promise<void> {
  return underLease(database, lease, async (transaction) => {
    await transaction.rows(
      query.updateTable('indexed_mints').set(change).where('asset_id', '=', lease.assetId),
    );
  });
}
