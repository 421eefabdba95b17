import { findAssetOf } from '../assets/index.js';
import { type FollowOptions, followPositions, type Foundation } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import { type Principal, requireScope } from '../access/index.js';
import { NO_FILTERS, transactionCursors } from './list-transactions.js';
import { type IndexedTransaction, newestPosition, transactionsAfter } from './transaction.js';

/** An added record, with the cursor to continue after it. */
export interface AddedTransaction {
  readonly cursor: string;
  readonly transaction: IndexedTransaction;
}

/** Published after records of the asset were committed. */
export const transactionsTopic = (assetId: Id<'ast'>) => `transactions:${assetId}`;

/** Records that are read at once. The server holds them for a slow reader. */
const BATCH_SIZE = 100;

/**
 * Follows an asset's records after a cursor of its unfiltered listing, or from now on. Records are read from the table by
 * position, so nothing is lost or repeated between two subscriptions. Ends when it is returned or aborted.
 */
export async function followTransactions(
  foundation: Foundation,
  principal: Principal | undefined,
  input: { readonly assetId: string; readonly after?: string | null | undefined },
  options: FollowOptions = {},
): Promise<AsyncGenerator<AddedTransaction, void, undefined>> {
  const { organizationId } = requireScope(principal, 'transactions:read');
  const asset = await findAssetOf(foundation.database, organizationId, input.assetId);
  const cursors = transactionCursors(asset.id, NO_FILTERS);
  const position =
    input.after == null
      ? await newestPosition(foundation.database, organizationId, asset.id)
      : cursors.decode('number', 'after', input.after);
  return followPositions(
    foundation.signals,
    {
      topics: [transactionsTopic(asset.id)],
      after: position,
      batch: BATCH_SIZE,
      async read(after, limit) {
        const rows = await transactionsAfter(foundation.database, organizationId, asset.id, after, limit);
        return rows.map((transaction) => ({
          position: transaction.position,
          event: { cursor: cursors.encode(transaction.position), transaction },
        }));
      },
    },
    options,
  );
}
