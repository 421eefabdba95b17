import { query, sql, type Database } from '../../platform/database/index.js';
import { LeaseLost } from '../../platform/jobs/index.js';
import type { MintLease } from './mint-lease.js';
import type { MintState } from './mint-state.js';

export interface MintProgress {
  readonly state: MintState;
  /** Consecutive failed attempts. */
  readonly failures: number;
  /** The time until the next attempt. */
  readonly delayMs: number;
  /** Everything announced and listed up to this slot is indexed. Absent if that is not the case. */
  readonly checkpointSlot?: number;
}

/** @throws {LeaseLost} also if the mint should become `active` and is neither verified nor observed anymore */
export async function writeProgress(
  database: Database,
  lease: MintLease,
  { state, failures, delayMs, checkpointSlot }: MintProgress,
): Promise<void> {
  const written = await database.rows(
    query
      .updateTable('indexed_mints')
      .set({
        status: state.status,
        reason: state.reason,
        failures,
        next_attempt_at: sql<Date>`now() + ${delayMs} * interval '1 millisecond'`,
        ...(checkpointSlot !== undefined && {
          checkpoint_slot: sql<number>`greatest(checkpoint_slot, ${checkpointSlot}::bigint)`,
          caught_up_at: sql<Date>`now()`,
        }),
      })
      .where('asset_id', '=', lease.assetId)
      .where('lease_owner', '=', lease.owner)
      .where('fencing_token', '=', lease.fencingToken)
      .where('status', '<>', 'disabled')
      .$if(state.status === 'active', (mint) =>
        mint.where((is) => is.or([is('verified', '=', true), is('observed', '=', true)])),
      )
      .returning('asset_id'),
  );
  if (written.length === 0) throw new LeaseLost('mint');
}
