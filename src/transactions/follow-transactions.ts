import { locateAsset } from '../assets/index.js';
import { followPositions, sql, type FollowOptions, type Foundation } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import { requireScope, type Principal } from '../organizations/index.js';
import { NO_FILTERS, transactionCursors } from './list-transactions.js';
import { transactionsBehind, type IndexedTransaction } from './transaction.js';

/** A record as it was added, with the cursor to go on behind it. */
export interface AddedTransaction {
  readonly cursor: string;
  readonly transaction: IndexedTransaction;
}

/** Told after records of the asset were committed. */
export const transactionsTopic = (assetId: Id<'ast'>) => `transactions:${assetId}`;

/** Records read at once: what a slow reader makes the server hold. */
const BATCH = 100;

/**
 * Follows an asset's records behind a cursor of its unfiltered listing, or from now on. Reading goes on by position
 * from the table, so that nothing is lost or doubled between two subscriptions. Ends when it is returned or aborted.
 */
export async function followTransactions(
  foundation: Foundation,
  principal: Principal | undefined,
  input: { readonly assetId: string; readonly after?: string | null | undefined },
  options: FollowOptions = {},
): Promise<AsyncGenerator<AddedTransaction, void, undefined>> {
  const { organizationId } = requireScope(principal, 'transactions:read');
  const asset = await locateAsset(foundation.database, organizationId, input.assetId);
  const cursors = transactionCursors(asset.id, NO_FILTERS);
  const position =
    input.after == null
      ? await latestPosition(foundation, organizationId, asset.id)
      : cursors.decode('number', 'after', input.after);
  return followPositions(
    foundation.signals,
    {
      topic: transactionsTopic(asset.id),
      behind: position,
      batch: BATCH,
      async read(behind, limit) {
        const rows = await transactionsBehind(foundation.database, organizationId, asset.id, behind, limit);
        return rows.map((transaction) => ({
          position: transaction.position,
          event: { cursor: cursors.encode(transaction.position), transaction },
        }));
      },
    },
    options,
  );
}

async function latestPosition(
  foundation: Foundation,
  organizationId: Id<'org'>,
  assetId: Id<'ast'>,
): Promise<number> {
  const [row] = await foundation.database.rows(sql<{ position: number }>`
    select coalesce(max(transactions.position), 0) as position
    from transactions join assets on assets.id = transactions.asset_id
    where assets.organization_id = ${organizationId} and transactions.asset_id = ${assetId}`);
  return row?.position ?? 0;
}
