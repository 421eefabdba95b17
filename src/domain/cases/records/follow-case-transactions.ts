import { type FollowOptions, followPositions, type Foundation } from '../../../platform/database/index.js';
import { type Principal } from '../../access/index.js';
import { transactionsTopic } from '../../transactions/index.js';
import { requireCaseAccess, requireCaseAccessStill } from '../case-access.js';
import { scopeOf } from './case-scope.js';
import { countCaseTransactions } from './select-case-transactions.js';

/** The number of transactions that the case shows. */
export interface CaseTransactionCount {
  readonly totalCount: number;
}

/**
 * The number of transactions that a case shows: now, and after each one that is added. It reveals no more than the listing.
 * Ends with `NOT_FOUND` when the window, the assignment or the permission ends.
 */
export async function followCaseTransactions(
  foundation: Foundation,
  principal: Principal | undefined,
  { foreignId, id: caseId }: { readonly foreignId: string; readonly id: string },
  options: FollowOptions = {},
): Promise<AsyncGenerator<CaseTransactionCount, void, undefined>> {
  const { database, clock, signals } = foundation;
  const access = await requireCaseAccess(
    foundation,
    principal,
    { foreignId, caseId },
    'reports:view_transactions',
  );
  const scope = scopeOf(foundation, access.case);
  return followPositions<CaseTransactionCount>(
    signals,
    {
      topics: scope.assetIds.map(transactionsTopic),
      after: -1,
      batch: Number.POSITIVE_INFINITY,
      async read(shown) {
        await requireCaseAccessStill(database, access, clock.now());
        const totalCount = await countCaseTransactions(database, scope);
        return totalCount === shown ? [] : [{ position: totalCount, event: { totalCount } }];
      },
    },
    options,
  );
}
