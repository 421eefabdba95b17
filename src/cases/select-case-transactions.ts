import { all, sql, type Reader } from '../database/index.js';
import type { CaseScope, CaseSnapshot } from './case-scope.js';
import { CASE_TRANSACTION_TYPES, type CaseRow, type CaseTransactionType } from './case-transaction.js';

/** A record's place in the order of a case: by block time, then by asset, then by position. */
export interface CasePosition {
  readonly blockTime: number;
  readonly assetId: string;
  readonly position: number;
}

export interface CasePage {
  /** Only records that were there then; every one when absent. */
  readonly snapshot?: CaseSnapshot | undefined;
  /** Only records of this type. */
  readonly type?: CaseTransactionType | undefined;
  /** The record to go on behind. */
  readonly behind?: CasePosition | undefined;
  readonly limit: number;
  /** No more of one asset are read; an asset that has as many may have others that come before what follows them. */
  readonly perAsset?: number | undefined;
}

/** The next records of a scope, in order. Each asset is read from its own index and no further than the page. */
export async function selectCaseTransactions(
  reader: Reader,
  scope: CaseScope,
  { snapshot, type, behind, limit, perAsset = limit }: CasePage,
): Promise<CaseRow[]> {
  const [page] = await reader.rows(sql<{ lines: string | null; assets: CaseAssets | null }>`
    select string_agg(line, ${LINE_END}) as lines, (
      select jsonb_object_agg(id, jsonb_build_object('symbol', symbol, 'decimals', decimals)) from assets
      where organization_id = ${scope.organizationId} and id = any(${[...scope.assetIds]}::text[])) as assets
    from (
      select page.line from ${scopedAssets(scope, snapshot, behind)}
      cross join lateral (
        select transactions.block_time, transactions.position, ${LINE} as line from transactions
        where ${all([
          inScope(scope, type),
          behind &&
            sql`(transactions.block_time, transactions.position) > (${behind.blockTime}::bigint, scope.behind)`,
        ])}
        order by transactions.block_time, transactions.position limit ${perAsset}) as page
      order by page.block_time, scope.ordinal, page.position limit ${limit}) as ordered`);
  const { lines, assets } = page ?? {};
  return lines && assets ? lines.split(LINE_END).map((line) => rowOf(line, assets)) : [];
}

type CaseAssets = Readonly<Record<string, Pick<CaseRow, 'symbol' | 'decimals'>>>;

const LINE_END = '\n';
const FIELD_END = '\t';

/**
 * A record as one text, and a page as one value: of a large report a million are read, and to read a dozen columns of
 * each takes longer than all else. Ids, base58, digits and JSON hold no line end and no tab; what is null is empty.
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
  if (fields.length !== LINE_FIELDS || !asset) throw new Error('A record does not read as it was written.');
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
    authority: fields[10] || null,
    publicAmount: fields[11] || null,
    ciphertexts: ciphertexts ? (JSON.parse(ciphertexts) as CaseRow['ciphertexts']) : NO_CIPHERTEXTS,
    symbol: asset.symbol,
    decimals: asset.decimals,
  };
}

/** How many records a scope has, as they were at the snapshot; no more than `most` are counted. */
export async function countCaseTransactions(
  reader: Reader,
  scope: CaseScope,
  snapshot?: CaseSnapshot,
  most = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const [row] = await reader.rows(sql<{ count: number }>`
    select count(*) as count from (
      select 1 from ${scopedAssets(scope, snapshot)} join transactions on ${inScope(scope)}
      limit ${most}) as counted`);
  return row?.count ?? 0;
}

const EVERY_POSITION = Number.MAX_SAFE_INTEGER;

/** The scope's assets as rows, each with where its records end, and behind which position its next ones begin. */
function scopedAssets(scope: CaseScope, snapshot?: CaseSnapshot, behind?: CasePosition) {
  const assetIds = [...scope.assetIds];
  const asOf = assetIds.map((assetId) => (snapshot ? (snapshot.get(assetId) ?? 0) : EVERY_POSITION));
  // Within the second of `behind`, the assets before its own are read, and those after it are not.
  const behindPositions = assetIds.map((assetId) => {
    if (!behind || assetId > behind.assetId) return 0;
    return assetId === behind.assetId ? behind.position : EVERY_POSITION;
  });
  return sql`
    unnest(${assetIds}::text[], ${asOf}::bigint[], ${behindPositions}::bigint[])
      with ordinality as scope (asset_id, as_of, behind, ordinal)
    join assets on ${all([
      sql`assets.id = scope.asset_id`,
      sql`assets.organization_id = ${scope.organizationId}`,
      // A snapshot has decided it already.
      snapshot ? undefined : sql`assets.application_id = ${scope.applicationId}`,
    ])}`;
}

function inScope({ period }: CaseScope, type?: CaseTransactionType) {
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
