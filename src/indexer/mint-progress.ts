import { sql, type Database } from '../database/index.js';
import { LeaseLost, type MintLease } from './mint-lease.js';
import type { MintState } from './mint-state.js';

export interface MintProgress {
  readonly state: MintState;
  /** Attempts in a row that failed. */
  readonly failures: number;
  /** Until the next attempt. */
  readonly delayMs: number;
  /** With everything announced and listed up to this slot indexed; absent while that is not so. */
  readonly checkpointSlot?: number;
}

/** @throws {LeaseLost} */
export async function writeProgress(
  database: Database,
  lease: MintLease,
  { state, failures, delayMs, checkpointSlot }: MintProgress,
): Promise<void> {
  const slot = checkpointSlot ?? null;
  const written = await database.rows(sql`
    update indexed_mints set status = ${state.status}, reason = ${state.reason}, failures = ${failures},
      next_attempt_at = now() + ${delayMs} * interval '1 millisecond',
      checkpoint_slot = greatest(checkpoint_slot, ${slot}::bigint),
      caught_up_at = case when ${slot}::bigint is null then caught_up_at else now() end
    where asset_id = ${lease.assetId} and lease_owner = ${lease.owner} and fencing_token = ${lease.fencingToken}
      and status <> 'disabled'
    returning 1`);
  if (written.length === 0) throw new LeaseLost(lease);
}
