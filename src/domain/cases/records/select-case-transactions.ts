import { all, sql, type Reader } from '../../../platform/database/index.js';
import { timeSlices } from '../../../platform/jobs/index.js';
import { DAY_SECONDS, dayOf } from '../case-window.js';
import { type CaseReferences, referenceBytes } from './case-references.js';
import type { CaseScope, CaseSnapshot } from './case-scope.js';
import { CASE_TRANSACTION_TYPES, type CaseRow, type CaseTransactionType } from './case-transaction.js';

/**
 * A record's place in the order of a case: by block time, asset and position. Without `fullTxIds` it is by day and
 * reference, so that the place of a record says no more than its day.
 */
export type CasePosition = Pick<CaseRow, 'blockTime' | 'position' | 'reference'> & {
  readonly assetId: string;
};

export interface CasePage {
  /** Only records of this snapshot; all by default. */
  readonly snapshot?: CaseSnapshot | undefined;
  /** Only records of this type. */
  readonly type?: CaseTransactionType | undefined;
  /** Only records after this one. */
  readonly after?: CasePosition | undefined;
  readonly limit: number;
  /** Maximum number of records of one asset. An asset that reaches it may have further records in between. */
  readonly perAsset?: number | undefined;
}

/** The next records of a scope, in order. Each asset is read from its own index, no further than the page. */
export async function selectCaseTransactions(
  reader: Reader,
  scope: CaseScope,
  page: CasePage,
): Promise<CaseRow[]> {
  return scope.references === null
    ? selectByTime(reader, scope, page)
    : selectByReference(reader, { ...scope, references: scope.references }, page);
}

async function selectByTime(
  reader: Reader,
  scope: CaseScope,
  { snapshot, type, after, limit, perAsset = limit }: CasePage,
): Promise<CaseRow[]> {
  // Written in SQL because it is the hot path of large reports: one index scan for each asset, one value for a page.
  const [page] = await reader.rows(sql<PageRow>`
    select string_agg(line, ${LINE_END}) as lines, ${assetsOf(scope)} as assets
    from (
      select page.line from ${scopedAssets(scope, snapshot, after)}
      cross join lateral (
        select transactions.block_time, transactions.position, ${LINE} as line from transactions
        where ${all([
          inScope(scope, type),
          after &&
            sql`(transactions.block_time, transactions.position) > (${after.blockTime}::bigint, scope.after)`,
        ])}
        order by transactions.block_time, transactions.position limit ${perAsset}) as page
      order by page.block_time, scope.ordinal, page.position limit ${limit}) as ordered`);
  return rowsOf(page);
}

/**
 * The rest of the day of the last record by reference, and as many whole days after it as the page may need: the
 * references of a day are known only when all of its records were read.
 */
async function selectByReference(
  reader: Reader,
  scope: CaseScope & { readonly references: CaseReferences },
  { snapshot, type, after, limit }: CasePage,
): Promise<CaseRow[]> {
  const { period } = scope;
  const nextDay = after ? (dayOf(after.blockTime) + 1) * DAY_SECONDS : period.from;
  // Raw, as above: the hot path of large reports.
  const [last] = await reader.rows(sql<{ blockTime: number }>`
    select page.block_time as "blockTime" from ${scopedAssets(scope, snapshot)}
    cross join lateral (
      select transactions.block_time from transactions
      where ${all([inScope(scope, type), sql`transactions.block_time >= ${nextDay}`])}
      order by transactions.block_time limit ${limit}) as page
    order by page.block_time offset ${limit - 1} limit 1`);
  const until = last ? (dayOf(last.blockTime) + 1) * DAY_SECONDS : period.until;
  const from = after ? dayOf(after.blockTime) * DAY_SECONDS : period.from;
  // Raw, as above.
  const [page] = await reader.rows(sql<PageRow>`
    select string_agg(line, ${LINE_END}) as lines, ${assetsOf(scope)} as assets
    from (
      select concat_ws(${FIELD_END}, ${LINE}, encode(place.reference, 'hex')) as line
      from ${scopedAssets(scope, snapshot)}
      join transactions on ${inScope(scope, type)}
      cross join lateral (
        select transactions.block_time / ${DAY_SECONDS}::bigint as day,
          ${referenceBytes(scope.references)} as reference) as place
      where ${all([
        sql`transactions.block_time >= ${from} and transactions.block_time < ${until}`,
        after &&
          sql`(place.day, place.reference) > (${dayOf(after.blockTime)}::bigint, decode(${after.reference}, 'hex'))`,
      ])}
      order by place.day, place.reference limit ${limit}) as ordered`);
  return rowsOf(page);
}

interface PageRow {
  readonly lines: string | null;
  readonly assets: CaseAssets | null;
}

const assetsOf = (scope: CaseScope) => sql`(
  select jsonb_object_agg(id, jsonb_build_object('symbol', symbol, 'decimals', decimals)) from assets
  where organization_id = ${scope.organizationId} and id = any(${[...scope.assetIds]}::text[]))`;

async function rowsOf(page: PageRow | undefined): Promise<CaseRow[]> {
  const { lines, assets } = page ?? {};
  if (!lines || !assets) return [];
  const slice = timeSlices();
  const rows: CaseRow[] = [];
  for (const line of lines.split(LINE_END)) {
    rows.push(rowOf(line, assets));
    const turn = slice();
    if (turn) await turn;
  }
  return rows;
}

type CaseAssets = Readonly<Record<string, Pick<CaseRow, 'symbol' | 'decimals'>>>;

const LINE_END = '\n';
const FIELD_END = '\t';

/**
 * A record is one line of text and a page one value: reading a dozen columns of a million records would take most of
 * the time of a large report. Ids, base58, digits and JSON hold no line end and no tab. Null is an empty field.
 */
const LINE = sql`concat_ws(${FIELD_END},
  transactions.id, transactions.asset_id, transactions.position, transactions.signature, transactions.type,
  transactions.slot, transactions.block_time, transactions.signer, coalesce(transactions.source_account, ''),
  coalesce(transactions.destination_account, ''), coalesce(transactions.public_data ->> 'authority', ''),
  coalesce(transactions.public_data ->> 'amount', ''), coalesce(nullif(transactions.ciphertexts, '{}')::text, ''))`;
const LINE_FIELDS = 13;

const NO_CIPHERTEXTS = {};

function rowOf(line: string, assets: CaseAssets): CaseRow {
  const fields = line.split(FIELD_END);
  const assetId = fields[1] as CaseRow['assetId'];
  const asset = assets[assetId];
  // A reference follows where the case grants no ids.
  if (fields.length < LINE_FIELDS || fields.length > LINE_FIELDS + 1 || !asset)
    throw new Error('A record cannot be read back.');
  const ciphertexts = fields[12]!;
  return {
    id: fields[0]! as CaseRow['id'],
    assetId,
    position: Number(fields[2]),
    networkTransactionId: fields[3]! as CaseRow['networkTransactionId'],
    type: fields[4] as CaseTransactionType,
    slot: Number(fields[5]),
    blockTime: Number(fields[6]),
    signer: fields[7]! as CaseRow['signer'],
    sourceAccount: (fields[8] || null) as CaseRow['sourceAccount'],
    destinationAccount: (fields[9] || null) as CaseRow['destinationAccount'],
    reference: fields[LINE_FIELDS] ?? null,
    authority: fields[10] || null,
    publicAmount: fields[11] || null,
    ciphertexts: ciphertexts ? (JSON.parse(ciphertexts) as CaseRow['ciphertexts']) : NO_CIPHERTEXTS,
    symbol: asset.symbol,
    decimals: asset.decimals,
  };
}

/** The number of records of a scope at a snapshot, counted up to `max`. */
export async function countCaseTransactions(
  reader: Reader,
  scope: CaseScope,
  snapshot?: CaseSnapshot,
  max = Number.MAX_SAFE_INTEGER,
  type?: CaseTransactionType,
): Promise<number> {
  // Raw: it shares its tables with the statements above.
  const [row] = await reader.rows(sql<{ count: number }>`
    select count(*) as count from (
      select 1 from ${scopedAssets(scope, snapshot)} join transactions on ${inScope(scope, type)}
      limit ${max}) as counted`);
  return row?.count ?? 0;
}

/**
 * About how many records a scope has at a snapshot, by the positions of its first and last one: counting them would read
 * them all. It counts records of every type between the two.
 */
export async function estimateCaseTransactions(
  reader: Reader,
  scope: CaseScope,
  snapshot: CaseSnapshot,
): Promise<number> {
  const edge = (order: 'asc' | 'desc') => sql`(
    select transactions.position from transactions
    where transactions.asset_id = scope.asset_id and transactions.block_time >= ${scope.period.from}
      and transactions.block_time < ${scope.period.until}
    order by transactions.block_time ${sql.raw(order)}, transactions.position ${sql.raw(order)} limit 1)`;
  const [row] = await reader.rows(sql<{ count: number }>`
    select coalesce(sum(least(scope.as_of, abs(${edge('desc')} - ${edge('asc')}) + 1)), 0)::bigint as count
    from ${scopedAssets(scope, snapshot)}`);
  return row?.count ?? 0;
}

const EVERY_POSITION = Number.MAX_SAFE_INTEGER;

/** The scope's assets as rows, each with the position of its last record and the one after which to start. */
export function scopedAssets(
  scope: Pick<CaseScope, 'organizationId' | 'applicationId' | 'assetIds'>,
  snapshot?: CaseSnapshot,
  after?: CasePosition,
) {
  const assetIds = [...scope.assetIds];
  const asOf = assetIds.map((assetId) => (snapshot ? (snapshot.get(assetId) ?? 0) : EVERY_POSITION));
  // Within the second of `after`, assets that sort before its own are complete, and those after it are not.
  const afterPositions = assetIds.map((assetId) => {
    if (!after || assetId > after.assetId) return 0;
    return assetId === after.assetId ? after.position : EVERY_POSITION;
  });
  return sql`
    unnest(${assetIds}::text[], ${asOf}::bigint[], ${afterPositions}::bigint[])
      with ordinality as scope (asset_id, as_of, after, ordinal)
    join assets on ${all([
      sql`assets.id = scope.asset_id`,
      sql`assets.organization_id = ${scope.organizationId}`,
      // A snapshot has decided it already.
      snapshot ? undefined : sql`assets.application_id = ${scope.applicationId}`,
    ])}`;
}

export function inScope({ period }: Pick<CaseScope, 'period'>, type?: CaseTransactionType) {
  return all([
    sql`transactions.asset_id = scope.asset_id`,
    type === undefined
      ? sql`transactions.type = any(${[...CASE_TRANSACTION_TYPES]}::text[])`
      : sql`transactions.type = ${type}`,
    sql`transactions.block_time >= ${period.from}`,
    sql`transactions.block_time < ${period.until}`,
    sql`transactions.position <= scope.as_of`,
  ]);
}
