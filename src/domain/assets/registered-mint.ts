import { query, type Transaction } from '../../platform/database/index.js';
import { RELEASED } from '../../platform/jobs/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { Address } from '../../platform/ledger/index.js';

/*
 * How the registration of a mint with the indexer begins and ends. In between, only the indexer writes the row of
 * `indexed_mints`, apart from whether the mint is observed.
 */

interface NewMint {
  readonly id: Id<'ast'>;
  readonly mintAddress: Address;
  readonly observed: boolean;
  readonly now: Date;
}

export async function registerMint(
  transaction: Transaction,
  { id, mintAddress, observed, now }: NewMint,
): Promise<void> {
  await transaction.rows(
    query
      .insertInto('indexed_mints')
      .values({ asset_id: id, mint_address: mintAddress, status: 'pending', observed, next_attempt_at: now }),
  );
  await transaction.rows(
    query
      .insertInto('followed_addresses')
      .values({ asset_id: id, address: mintAddress, kind: 'mint', learned_at: now }),
  );
}

/** Whether observation was just turned on. The worker that follows the mint reads it at its next check. */
export async function beginObserving(transaction: Transaction, id: Id<'ast'>): Promise<boolean> {
  const changed = await transaction.rows(
    query
      .updateTable('indexed_mints')
      .set({ observed: true })
      .where('asset_id', '=', id)
      .where('observed', '=', false)
      .returning('asset_id'),
  );
  return changed.length > 0;
}

/** Takes the mint from the worker that follows it. What is indexed stays. */
export async function disableMint(transaction: Transaction, id: Id<'ast'>): Promise<void> {
  await transaction.rows(
    query
      .updateTable('indexed_mints')
      .set({ status: 'disabled', reason: null, verified: false, verified_slot: null, ...RELEASED })
      .where('asset_id', '=', id),
  );
}

/** Ends the registration of a mint without records. */
export async function unregisterMint(transaction: Transaction, id: Id<'ast'>): Promise<void> {
  await transaction.rows(query.deleteFrom('mint_auditor_keys').where('asset_id', '=', id));
  await transaction.rows(query.deleteFrom('followed_addresses').where('asset_id', '=', id));
  await transaction.rows(query.deleteFrom('indexed_mints').where('asset_id', '=', id));
}
