import { all, sql, type Reader } from '../database/index.js';
import { notFound } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';
import { unreachable } from '../kernel/unreachable.js';
import { TRANSACTION_COLUMNS, type IndexedTransaction } from '../transactions/index.js';
import type { DisclosureFacts } from './disclosure-rules.js';
import { LARGEST_DISCLOSURE, tooManyRecords, type DisclosureScope } from './disclosure-scope.js';

interface Selection {
  readonly organizationId: Id<'org'>;
  readonly assetId: Id<'ast'>;
  readonly scope: DisclosureScope;
  /**
   * The newest record that can be selected. Positions are given in the order of commits and records never change, so
   * scope and position fix the selection for good.
   */
  readonly asOfPosition: number;
}

/** The position of the asset's newest record. */
export async function newestPosition(
  reader: Reader,
  organizationId: Id<'org'>,
  assetId: Id<'ast'>,
): Promise<number> {
  const [row] = await reader.rows(sql<{ position: number }>`
    select coalesce(max(position), 0) as position
    from transactions join assets on assets.id = transactions.asset_id
    where assets.organization_id = ${organizationId} and transactions.asset_id = ${assetId}`);
  return row?.position ?? 0;
}

/** The records of a scope in the order of indexing. */
export function selectRecords(reader: Reader, selection: Selection): Promise<IndexedTransaction[]> {
  return reader.rows(sql<IndexedTransaction>`
    select ${TRANSACTION_COLUMNS} from transactions join assets on assets.id = transactions.asset_id
    where ${conditions(selection)} order by transactions.position limit ${LARGEST_DISCLOSURE}`);
}

/**
 * What the rules of a policy are told of a scope.
 *
 * @throws `NOT_FOUND` when a chosen record is not the organization's or not of the asset, `BAD_USER_INPUT` when the
 * scope selects more than 10,000 records.
 */
export async function measureScope(
  reader: Reader,
  selection: Selection,
): Promise<Pick<DisclosureFacts, 'recordCount' | 'spanSeconds' | 'accountSets'>> {
  const { scope } = selection;
  switch (scope.kind) {
    case 'account': {
      const [row] = await reader.rows(sql<{ count: number }>`
        select count(*) as count from (
          select 1 from transactions join assets on assets.id = transactions.asset_id
          where ${conditions(selection)} limit ${LARGEST_DISCLOSURE + 1}) as selected`);
      const recordCount = row?.count ?? 0;
      if (recordCount > LARGEST_DISCLOSURE) throw tooManyRecords();
      const spanSeconds = scope.from && scope.to ? (scope.to.getTime() - scope.from.getTime()) / 1000 : null;
      return { recordCount, spanSeconds, accountSets: [[scope.account]] };
    }
    case 'transactions': {
      const rows = await selectRecords(reader, selection);
      if (rows.length < scope.transactionIds.length) throw notFound('transaction');
      return {
        recordCount: rows.length,
        spanSeconds: spanOf(rows.map(({ blockTime }) => blockTime)),
        accountSets: rows.map(({ sourceAccount, destinationAccount }) =>
          [sourceAccount, destinationAccount].filter((account) => account !== null),
        ),
      };
    }
    default:
      return unreachable(scope);
  }
}

// A record whose time the ledger does not tell could be of any time.
function spanOf(times: readonly (number | null)[]): number | null {
  let earliest = Infinity;
  let latest = -Infinity;
  for (const time of times) {
    if (time === null) return null;
    earliest = Math.min(earliest, time);
    latest = Math.max(latest, time);
  }
  return latest - earliest;
}

function conditions({ organizationId, assetId, scope, asOfPosition }: Selection) {
  const ofScope =
    scope.kind === 'transactions'
      ? [sql`transactions.id = any(${[...scope.transactionIds]}::text[])`]
      : [
          sql`(source_account = ${scope.account} or destination_account = ${scope.account})`,
          // Block times are whole seconds: rounding inwards keeps both ends inclusive.
          scope.from ? sql`block_time >= ${Math.ceil(scope.from.getTime() / 1000)}` : undefined,
          scope.to ? sql`block_time <= ${Math.floor(scope.to.getTime() / 1000)}` : undefined,
        ];
  return all([
    sql`assets.organization_id = ${organizationId}`,
    sql`transactions.asset_id = ${assetId}`,
    sql`transactions.position <= ${asOfPosition}`,
    ...ofScope,
  ]);
}
