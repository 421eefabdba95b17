import {
  type FollowOptions,
  followPositions,
  type Foundation,
  type Reader,
} from '../../../platform/database/index.js';
import { parseOptionalOneOf } from '../../../platform/kernel/enums/enums.js';
import { parseMembers } from '../../../platform/kernel/errors.js';
import { type Principal } from '../../access/index.js';
import { transactionsTopic } from '../../transactions/index.js';
import { requireCaseAccess, requireCaseAccessStill } from '../case-access.js';
import { casesTopic } from '../case-changes.js';
import {
  type CaseScope,
  type CaseSnapshot,
  narrowScope,
  type Narrowing,
  scopeOf,
  snapshotOf,
} from './case-scope.js';
import { CASE_TRANSACTION_TYPES, type CaseTransactionType } from './case-transaction-types.js';
import { countAddedCaseTransactions, countCaseTransactions } from './select-case-transactions.js';

export interface FollowCaseTransactionsInput extends Narrowing {
  readonly foreignId: string;
  readonly id: string;
  readonly type?: string | null | undefined;
}

/** The number of transactions that the case shows with the filters. */
export interface CaseTransactionCount {
  readonly totalCount: number;
}

/**
 * The number of transactions that a case shows: now, and after each one that is added. It reveals no more than the listing,
 * which has the same filters.
 * Ends with `NOT_FOUND` when the window, the assignment or the permission ends.
 */
export async function followCaseTransactions(
  foundation: Foundation,
  principal: Principal | undefined,
  input: FollowCaseTransactionsInput,
  options: FollowOptions = {},
): Promise<AsyncGenerator<CaseTransactionCount, void, undefined>> {
  const { database, clock, signals } = foundation;
  const access = await requireCaseAccess(
    foundation,
    principal,
    { foreignId: input.foreignId, caseId: input.id },
    'reports:view_transactions',
  );
  const { scope, type } = parseMembers({
    scope: () => narrowScope(scopeOf(foundation, access.case), input),
    type: () => parseOptionalOneOf('type', CASE_TRANSACTION_TYPES, input.type),
  });
  let counted: Counted | undefined;
  return followPositions<CaseTransactionCount>(
    signals,
    {
      // A change of the case can end the access: it is checked at once, not with the next poll.
      topics: [casesTopic(scope.applicationId), ...scope.assetIds.map(transactionsTopic)],
      after: -1,
      batch: Number.POSITIVE_INFINITY,
      async read(shown) {
        await requireCaseAccessStill(database, access, clock.now());
        counted = await countOnward(database, scope, type, counted);
        const { totalCount } = counted;
        return totalCount === shown ? [] : [{ position: totalCount, event: { totalCount } }];
      },
    },
    options,
  );
}

interface Counted {
  readonly snapshot: CaseSnapshot;
  readonly totalCount: number;
}

/** Counts only what was added since the last count, because a case can have millions of records. */
async function countOnward(
  reader: Reader,
  scope: CaseScope,
  type: CaseTransactionType | undefined,
  last: Counted | undefined,
): Promise<Counted> {
  const snapshot = await snapshotOf(reader, scope);
  const hasSameAssets =
    last?.snapshot.size === snapshot.size && [...snapshot.keys()].every((id) => last.snapshot.has(id));
  const covered = { ...scope, assetIds: scope.assetIds.filter((id) => snapshot.has(id)) };
  const totalCount = hasSameAssets
    ? last.totalCount + (await countAddedCaseTransactions(reader, covered, last.snapshot, snapshot, type))
    : await countCaseTransactions(reader, covered, snapshot, undefined, type);
  return { snapshot, totalCount };
}
