import { query, type Reader, sql } from '../../../platform/database/index.js';
import { notFound } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { ConfidentialEventType } from '../../../platform/ledger/index.js';
import { unreachable } from '../../../platform/kernel/unreachable.js';
import {
  areAttached,
  type IndexedTransaction,
  recordColumns,
  recordsOfAsset,
} from '../../transactions/index.js';
import type { DisclosureFacts } from '../policies/disclosure-rules.js';
import { MAX_DISCLOSED_RECORDS, tooManyRecords, type DisclosureScope } from '../disclosure-scope.js';

interface Selection {
  readonly organizationId: Id<'org'>;
  readonly assetId: Id<'ast'>;
  readonly scope: DisclosureScope;
  /**
   * The newest record that can be selected. Positions are given in the order of commits and records never change, so
   * scope and position determine the selection permanently.
   */
  readonly asOfPosition: number;
}

/** The records of a scope in the order of indexing. */
export function selectRecords(reader: Reader, selection: Selection): Promise<IndexedTransaction[]> {
  return reader.rows(
    selected(selection).select(recordColumns()).orderBy('transactions.position').limit(MAX_DISCLOSED_RECORDS),
  );
}

/**
 * The facts of a scope for the rules of a policy.
 *
 * @throws `NOT_FOUND` if a chosen record does not belong to the organization or the asset, `BAD_USER_INPUT` if the scope
 *   selects more than 10,000 records, `CONFLICT` if records of the scope are or can be in cold storage.
 */
export async function measureScope(
  reader: Reader,
  selection: Selection,
): Promise<Pick<DisclosureFacts, 'recordCount' | 'spanSeconds' | 'accountSets'>> {
  const { scope } = selection;
  switch (scope.kind) {
    case 'account': {
      const recordCount = await countRecords(reader, selection);
      if (recordCount > MAX_DISCLOSED_RECORDS) throw tooManyRecords();
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

/** The number of records that a scope selects, counted up to one more than the maximum. */
async function countRecords(reader: Reader, selection: Selection): Promise<number> {
  const [row] = await reader.rows(
    query
      .selectFrom(
        selected(selection)
          .select('transactions.id')
          .limit(MAX_DISCLOSED_RECORDS + 1)
          .as('selected'),
      )
      .select(({ fn }) => fn.countAll<number>().as('count')),
  );
  return row?.count ?? 0;
}

interface Summary {
  /** Counted up to one more than the maximum. */
  readonly count: number;
  readonly byType: readonly { readonly type: ConfidentialEventType; readonly count: number }[];
  /** Unix seconds. Null if no record has a block time. */
  readonly earliest: number | null;
  readonly latest: number | null;
  /** The number of token accounts, each counted once. */
  readonly accounts: number;
}

/** What is public about the records of a scope, in numbers. */
export async function summarizeRecords(reader: Reader, selection: Selection): Promise<Summary> {
  const rows = await reader.rows(
    query
      .with('selected', () =>
        selected(selection)
          .select(['type', 'block_time', 'source_account', 'destination_account'])
          .limit(MAX_DISCLOSED_RECORDS + 1),
      )
      .selectFrom('selected')
      .select((summary) => [
        'type',
        summary.fn.countAll<number>().as('count'),
        summary.fn.min('block_time').as('earliest'),
        summary.fn.max('block_time').as('latest'),
        summary
          .selectFrom((named) =>
            named
              .selectFrom('selected')
              .select('source_account as account')
              .union(named.selectFrom('selected').select('destination_account as account'))
              .as('named'),
          )
          .select(({ fn }) => fn.count<number>('named.account').as('accounts'))
          .as('accounts'),
      ])
      .groupBy('type')
      .orderBy('type'),
  );
  const times = rows.flatMap(({ earliest, latest }) => [earliest, latest]).filter((time) => time !== null);
  return {
    count: rows.reduce((sum, { count }) => sum + count, 0),
    byType: rows.map(({ type, count }) => ({ type, count })),
    earliest: times.length === 0 ? null : Math.min(...times),
    latest: times.length === 0 ? null : Math.max(...times),
    accounts: rows[0]?.accounts ?? 0,
  };
}

/** Chosen records of an asset, in any order. */
export function selectChosenRecords(
  reader: Reader,
  {
    organizationId,
    assetId,
    ids,
  }: Pick<Selection, 'organizationId' | 'assetId'> & {
    readonly ids: readonly Id<'txn'>[];
  },
): Promise<IndexedTransaction[]> {
  return reader.rows(chosen(organizationId, assetId, ids).select(recordColumns()));
}

// A record without a block time could have any time.
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

function selected({ organizationId, assetId, scope, asOfPosition }: Selection) {
  switch (scope.kind) {
    case 'transactions':
      return chosen(organizationId, assetId, scope.transactionIds).where(
        'transactions.position',
        '<=',
        asOfPosition,
      );
    case 'account': {
      const { account, from, to } = scope;
      // Block times are whole seconds, so rounding inwards keeps both ends inclusive.
      const first = from && Math.ceil(from.getTime() / 1000);
      const last = to && Math.floor(to.getTime() / 1000);
      return recordsOfAsset(organizationId, assetId)
        .where('transactions.position', '<=', asOfPosition)
        .where(areAttached(organizationId, [assetId], { period: { from: first, until: last && last + 1 } }))
        .where((where) =>
          where.or([where('source_account', '=', account), where('destination_account', '=', account)]),
        )
        .$if(first !== null, (rows) => rows.where('block_time', '>=', first))
        .$if(last !== null, (rows) => rows.where('block_time', '<=', last));
    }
    default:
      return unreachable(scope);
  }
}

const chosen = (organizationId: Id<'org'>, assetId: Id<'ast'>, ids: readonly Id<'txn'>[]) =>
  recordsOfAsset(organizationId, assetId)
    .where((where) => where('transactions.id', '=', where.fn.any(where.val([...ids]))))
    .where(areAllAttached(organizationId, assetId, ids));

/** Chosen records can be in cold storage only if one is missing. */
const areAllAttached = (organizationId: Id<'org'>, assetId: Id<'ast'>, ids: readonly Id<'txn'>[]) =>
  sql<boolean>`((select count(*) from transactions as chosen where chosen.asset_id = ${assetId}
    and chosen.id = any(${[...ids]}::text[])) = ${ids.length} or ${areAttached(organizationId, [assetId])})`;
