import { type Foundation, sql } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { requireRequestDecider } from '../case-access.js';
import { secondsOfPeriod } from '../case-window.js';
import type { CaseRequest } from './case-request.js';
import type { Principal } from '../../access/index.js';
import { CASE_TRANSACTION_TYPES, type CaseTransactionType } from '../records/case-transaction-types.js';
import { inScope, scopedAssets } from '../records/select-case-transactions.js';

/** The data that an approval would show now: counts and times, no amounts. */
export interface CaseRequestPreview {
  readonly transactions: number;
  readonly byType: readonly { readonly type: CaseTransactionType; readonly count: number }[];
  readonly byAsset: readonly { readonly assetId: Id<'ast'>; readonly count: number }[];
  /** Unix seconds. Null if there are no transactions. */
  readonly earliest: number | null;
  readonly latest: number | null;
}

interface CountRow {
  readonly assetId: Id<'ast'>;
  readonly type: CaseTransactionType;
  readonly count: number;
  readonly earliest: number;
  readonly latest: number;
}

/** The data that the request covers now, for those who decide it. */
export async function previewRequest(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
  { organizationId, applicationId, assetIds, periodFrom, periodTo }: CaseRequest,
): Promise<CaseRequestPreview> {
  requireRequestDecider(principal, applicationId);
  const scope = {
    ...{ organizationId, applicationId, assetIds: [...assetIds].sort() },
    period: secondsOfPeriod(periodFrom, periodTo),
  };
  // Raw, because it shares its tables with the pages of a case.
  const rows = await database.rows(sql<CountRow>`
    select transactions.asset_id as "assetId", transactions.type, count(*) as count,
      min(transactions.block_time) as earliest, max(transactions.block_time) as latest
    from ${scopedAssets(scope)} join transactions on ${inScope(scope)}
    group by transactions.asset_id, transactions.type order by transactions.asset_id`);
  const sum = (counted: readonly CountRow[]) => counted.reduce((total, { count }) => total + count, 0);
  return {
    transactions: sum(rows),
    byType: CASE_TRANSACTION_TYPES.flatMap((type) => {
      const count = sum(rows.filter((row) => row.type === type));
      return count > 0 ? [{ type, count }] : [];
    }),
    byAsset: [...new Set(rows.map(({ assetId }) => assetId))].map((assetId) => ({
      assetId,
      count: sum(rows.filter((row) => row.assetId === assetId)),
    })),
    earliest: rows.length === 0 ? null : Math.min(...rows.map(({ earliest }) => earliest)),
    latest: rows.length === 0 ? null : Math.max(...rows.map(({ latest }) => latest)),
  };
}
