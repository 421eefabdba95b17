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
export function selectCaseTransactions(
  reader: Reader,
  scope: CaseScope,
  { snapshot, type, behind, limit, perAsset = limit }: CasePage,
): Promise<CaseRow[]> {
  return reader.rows(sql<CaseRow>`
    select page.*, assets.symbol, assets.decimals
    from ${scopedAssets(scope, snapshot, behind)}
    cross join lateral (
      select ${CASE_COLUMNS} from transactions
      where ${all([
        inScope(scope, type),
        behind &&
          sql`(transactions.block_time, transactions.position) > (${behind.blockTime}::bigint, scope.behind)`,
      ])}
      order by transactions.block_time, transactions.position limit ${perAsset}) as page
    order by page."blockTime", scope.ordinal, page.position limit ${limit}`);
}

/** Of a large report these are read a million times: what no case shows is left out. */
const CASE_COLUMNS = sql`
  transactions.id, transactions.asset_id as "assetId", transactions.position,
  transactions.signature as "networkTransactionId", transactions.type, transactions.slot,
  transactions.block_time as "blockTime", transactions.signer, transactions.source_account as "sourceAccount",
  transactions.destination_account as "destinationAccount", transactions.ciphertexts,
  transactions.public_data ->> 'authority' as authority, transactions.public_data ->> 'amount' as "publicAmount"`;

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
