import type { RawBuilder } from 'kysely';
import { all, sql, type Reader } from '../../../platform/database/index.js';
import { inSlices } from '../../../platform/jobs/index.js';
import { amountVisibility, areAttached } from '../../transactions/index.js';
import { DAY_SECONDS, dayOf } from '../case-window.js';
import { type CaseReferences, referenceBytes } from './case-references.js';
import type { CaseScope, CaseSnapshot } from './case-scope.js';
import type { CaseRow } from './case-transaction.js';
import { CASE_TRANSACTION_TYPES, type CaseTransactionType } from './case-transaction-types.js';

/**
 * The position of a record in the order of a case: by block time, asset and position. Without `fullTxIds` it is by day and
 * reference, so that the position reveals no more than the day.
 */
export type CasePosition = Pick<CaseRow, 'blockTime' | 'position' | 'reference'> & {
  readonly assetId: string;
};

export interface CasePage {
  /** Only records of this snapshot. The default is all records. */
  readonly snapshot?: CaseSnapshot | undefined;
  /** Only records of this type. */
  readonly type?: CaseTransactionType | undefined;
  /** Only records after this one. */
  readonly after?: CasePosition | undefined;
  readonly limit: number;
  /** Maximum number of records of one asset. If an asset reaches it, more of its records may follow in between. */
  readonly perAsset?: number | undefined;
}

/** A page of records, and the position where it ends. */
export interface CasePageText {
  readonly records: readonly PagedRecord[];
  /** The position of the last record. Undefined if there is none. */
  readonly last: CasePosition | undefined;
  /** Whether the page ends early, at an asset that reached its limit. More records follow. */
  readonly isCut: boolean;
}

/** A record on a page. Columns that the scope makes the same for all records are absent, because reading each takes time. */
interface PagedRecord extends Pick<CaseRow, 'blockTime'> {
  readonly text: string;
  /** The form that {@link encryptedOf} reads, if the case shows the record's encrypted amount. */
  readonly encrypted: string | null;
  /** Absent without `fullTxIds`, which needs the reference in its place. */
  readonly position?: number;
  readonly reference?: string;
  /** The position of its asset in the scope, from 1, and whether the asset reached its limit. Absent if there is only one. */
  readonly ordinal?: number;
  readonly isFull?: boolean;
}

/**
 * The members of each record on a page, as SQL on `transactions` with {@link COMPUTED}, `assets`, and on {@link REFERENCE}
 * without `fullTxIds`.
 */
export interface RecordText {
  readonly text: RawBuilder<string>;
  /** The common text of an asset’s records, as SQL on `assets`. Computed once; the text refers to it as {@link OF_ASSET}. */
  readonly ofAsset: RawBuilder<string>;
  /** {@link ENCRYPTED} if the text has slots for a decrypted amount, otherwise null. */
  readonly encrypted?: RawBuilder<string | null>;
}

/** The next records of a scope, in order. Each asset is read from its own index, only as far as the page. */
export async function selectCaseTransactions(
  reader: Reader,
  scope: CaseScope,
  page: CasePage,
): Promise<CaseRow[]> {
  return rowsOf((await selectCasePage(reader, scope, page, ROW_TEXT)).records);
}

/** The next records as texts, or in the form of {@link ROW_TEXT}, which {@link rowsOf} parses. */
export async function selectCasePage(
  reader: Reader,
  scope: CaseScope,
  page: CasePage,
  record: RecordText,
): Promise<CasePageText> {
  return scope.references === null
    ? selectByTime(reader, scope, page, record)
    : selectByReference(reader, { ...scope, references: scope.references }, page, record);
}

async function selectByTime(
  reader: Reader,
  scope: CaseScope,
  { snapshot, type, after, limit, perAsset = limit }: CasePage,
  record: RecordText,
): Promise<CasePageText> {
  const rows = (number: RawBuilder<unknown>) => sql`
    ${scopedAssets(scope, snapshot, after)} ${sharedText(record)} cross join lateral (
      select transactions.block_time as "blockTime", transactions.position, ${number} as number, ${recordColumns(record)}
      from (
        select transactions.*, ${COMPUTED} from transactions
        where ${all([
          inScope(scope, type),
          after &&
            sql`(transactions.block_time, transactions.position) > (${after.blockTime}::bigint, scope.after)`,
        ])}
        order by transactions.block_time, transactions.position limit ${perAsset}) as transactions) as page`;
  // Raw, because it is the hot path of large reports: one index scan for each asset. That of a single one is in order.
  if (scope.assetIds.length === 1 && perAsset >= limit) {
    const only = sql<PagedRecord>`select page.text, page.encrypted, page."blockTime", page.position from ${rows(sql`0`)}`;
    return pageOf(scope, limit, inOrder(await reader.rows(only)));
  }
  // The page ends at the first asset whose limit was reached, because its next records may precede those of other assets.
  const isMerged = perAsset < limit;
  const number = isMerged
    ? sql`row_number() over (order by transactions.block_time, transactions.position)`
    : sql`0`;
  const fullBefore = isMerged
    ? sql`count(*) filter (where page.number = ${perAsset}) over (
        order by page."blockTime", scope.ordinal, page.position rows between unbounded preceding and 1 preceding)`
    : sql`0`;
  const merged = sql<PagedRecord>`
    select cut.text, cut.encrypted, cut."blockTime", cut.position, cut.ordinal, cut.number = ${perAsset} as "isFull" from (
      select page.*, scope.ordinal::integer, ${fullBefore} as full_before from ${rows(number)}
      order by page."blockTime", scope.ordinal, page.position limit ${limit}) as cut
    where cut.full_before = 0`;
  return pageOf(scope, limit, await reader.rows(merged));
}

/**
 * The rest of the last record's day by reference, and as many whole days after it as the page may need. The references of a
 * day are known only when all of its records were read.
 */
async function selectByReference(
  reader: Reader,
  scope: CaseScope & { readonly references: CaseReferences },
  { snapshot, type, after, limit }: CasePage,
  record: RecordText,
): Promise<CasePageText> {
  const { period } = scope;
  const nextDay = after ? (dayOf(after.blockTime) + 1) * DAY_SECONDS : period.from;
  // Raw, as above: the hot path of large reports.
  const [last] = await reader.rows(sql<{ blockTime: number }>`
    select page.block_time as "blockTime" from ${scopedAssets(scope, snapshot, after)}
    cross join lateral (
      select transactions.block_time from transactions
      where ${all([inScope(scope, type), sql`transactions.block_time >= ${nextDay}`])}
      order by transactions.block_time limit ${limit}) as page
    order by page.block_time offset ${limit - 1} limit 1`);
  const until = last ? (dayOf(last.blockTime) + 1) * DAY_SECONDS : period.until;
  const from = after ? dayOf(after.blockTime) * DAY_SECONDS : period.from;
  // Raw, as above. With `offset 0`, PostgreSQL computes each reference once. Otherwise it would compute it at each use.
  const ordered = sql<PagedRecord>`
      select ${recordColumns(record)}, transactions.block_time as "blockTime", ${REFERENCE} as reference
      from ${scopedAssets(scope, snapshot, after)} ${sharedText(record)}
      join (select transactions.*, ${COMPUTED} from transactions) as transactions on ${inScope(scope, type)}
      cross join lateral (
        select transactions.block_time / ${DAY_SECONDS}::bigint as day,
          ${referenceBytes(scope.references)} as reference offset 0) as place
      where ${all([
        sql`transactions.block_time >= ${from} and transactions.block_time < ${until}`,
        after &&
          sql`(place.day, place.reference) > (${dayOf(after.blockTime)}::bigint, decode(${after.reference}, 'hex'))`,
      ])}
      order by place.day, place.reference limit ${limit}`;
  return pageOf(scope, limit, await reader.rows(ordered));
}

const ENCRYPTED_TYPES = CASE_TRANSACTION_TYPES.filter((type) => amountVisibility(type) === 'encrypted');

/** Columns of a record that its text uses more than once. A page by time computes them once, below its limit. */
const COMPUTED = sql`
  transactions.public_data ->> 'authority' as authority, transactions.public_data ->> 'amount' as amount,
  transactions.type = any(${ENCRYPTED_TYPES}::text[]) as is_encrypted`;

export const OF_ASSET = sql<string>`of_asset.text`;

// `offset 0`, as above: otherwise PostgreSQL would compute it for each record.
const sharedText = ({ ofAsset }: RecordText) =>
  sql`cross join lateral (select ${ofAsset} as text offset 0) as of_asset`;

const recordColumns = ({ text, encrypted = sql`null::text` }: RecordText) =>
  sql`${text} as text, ${encrypted} as encrypted`;

/** The statement does not sort a second time. Out of order, the next page would skip records. */
function inOrder(records: readonly PagedRecord[]): readonly PagedRecord[] {
  let [time, place] = [-Infinity, -Infinity];
  for (const { blockTime, position = 0 } of records) {
    if (blockTime < time || (blockTime === time && position <= place))
      throw new Error('The records of a page are out of order.');
    [time, place] = [blockTime, position];
  }
  return records;
}

function pageOf({ assetIds }: CaseScope, limit: number, records: readonly PagedRecord[]): CasePageText {
  const end = records.at(-1);
  if (!end) return { records, last: undefined, isCut: false };
  const { blockTime, ordinal = 1, position = 0, reference } = end;
  const assetId = reference === undefined ? assetIds[ordinal - 1] : '';
  if (assetId === undefined) throw new Error('A page ends at an asset that it does not cover.');
  const isCut = records.length < limit && records.some(({ isFull }) => isFull);
  return { records, last: { blockTime, assetId, position, reference: reference ?? null }, isCut };
}

export const rowsOf = (records: readonly PagedRecord[]): Promise<CaseRow[]> => inSlices(records, rowOf);

/** The reference of a record, if the case does not grant ids. */
export const REFERENCE = sql<string>`encode(place.reference, 'hex')`;

const FIELD_END = '\t';

/**
 * A record is one line of text: reading a dozen columns of a million records would take most of the time of a large report. Ids,
 * base58, digits and JSON contain no tab. Null is an empty field.
 */
export const ROW_TEXT: RecordText = {
  text: sql`concat_ws(${FIELD_END},
    transactions.id, transactions.position, transactions.signature, transactions.type, transactions.slot, transactions.signer,
    coalesce(transactions.source_account, ''), coalesce(transactions.destination_account, ''),
    coalesce(transactions.authority, ''), coalesce(transactions.amount, ''),
    coalesce(nullif(transactions.ciphertexts, '{}')::text, ''), ${OF_ASSET})`,
  ofAsset: sql`concat_ws(${FIELD_END}, assets.id, assets.decimals, assets.symbol)`,
};
const LINE_FIELDS = 14;

const NO_CIPHERTEXTS = {};

function rowOf({ text, blockTime, reference }: PagedRecord): CaseRow {
  const fields = text.split(FIELD_END);
  // A symbol comes last, because those of old assets may contain a tab.
  if (fields.length < LINE_FIELDS) throw new Error('A record cannot be read back.');
  const ciphertexts = fields[10]!;
  return {
    ...{ blockTime, reference: reference ?? null },
    id: fields[0]! as CaseRow['id'],
    position: Number(fields[1]),
    networkTransactionId: fields[2]! as CaseRow['networkTransactionId'],
    type: fields[3] as CaseTransactionType,
    slot: Number(fields[4]),
    signer: fields[5]! as CaseRow['signer'],
    sourceAccount: (fields[6] || null) as CaseRow['sourceAccount'],
    destinationAccount: (fields[7] || null) as CaseRow['destinationAccount'],
    authority: fields[8] || null,
    publicAmount: fields[9] || null,
    ciphertexts: ciphertexts ? (JSON.parse(ciphertexts) as CaseRow['ciphertexts']) : NO_CIPHERTEXTS,
    assetId: fields[11]! as CaseRow['assetId'],
    decimals: Number(fields[12]),
    symbol: fields.slice(LINE_FIELDS - 1).join(FIELD_END),
  };
}

/** The members of a record that its decryption needs. */
export type EncryptedRow = Pick<CaseRow, 'id' | 'assetId' | 'slot' | 'position' | 'ciphertexts'>;

/** What {@link encryptedOf} reads. */
export const ENCRYPTED = sql<string>`concat_ws(${FIELD_END},
  transactions.id, transactions.asset_id, transactions.slot, transactions.position, transactions.ciphertexts)`;

export function encryptedOf(line: string): EncryptedRow {
  const [id, assetId, slot, position, ciphertexts, ...more] = line.split(FIELD_END);
  if (ciphertexts === undefined || more.length > 0) throw new Error('A record cannot be read back.');
  return {
    ...{ id: id as CaseRow['id'], assetId: assetId as CaseRow['assetId'] },
    ...{ slot: Number(slot), position: Number(position) },
    ciphertexts: JSON.parse(ciphertexts) as CaseRow['ciphertexts'],
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
  // Raw, because it shares its tables with the statements above.
  const [row] = await reader.rows(sql<{ count: number }>`
    select count(*) as count from (
      select 1 from ${scopedAssets(scope, snapshot)} join transactions on ${inScope(scope, type)}
      limit ${max}) as counted`);
  return row?.count ?? 0;
}

/** The number of records of a scope that were added between two snapshots of the same assets. Reads only what was added. */
export async function countAddedCaseTransactions(
  reader: Reader,
  scope: CaseScope,
  since: CaseSnapshot,
  snapshot: CaseSnapshot,
  type?: CaseTransactionType,
): Promise<number> {
  const assetIds = scope.assetIds.filter((id) => (snapshot.get(id) ?? 0) > (since.get(id) ?? 0));
  if (assetIds.length === 0) return 0;
  const sinces = assetIds.map((id) => since.get(id) ?? 0);
  // Raw, because it shares its tables with the statements above. With `offset 0`, records are found by their positions.
  const [row] = await reader.rows(sql<{ count: number }>`
    select count(*) as count from ${scopedAssets({ ...scope, assetIds }, snapshot)}
    join unnest(${assetIds}::text[], ${sinces}::bigint[]) as counted (asset_id, up_to) on counted.asset_id = scope.asset_id
    cross join lateral (
      select added.asset_id, added.position, added.type, added.block_time from transactions as added
      where added.asset_id = scope.asset_id and added.position > counted.up_to and added.position <= scope.as_of
      offset 0) as transactions
    where ${inScope(scope, type)}`);
  return row?.count ?? 0;
}

/**
 * The approximate number of records of a scope at a snapshot, from the positions of its first and last record. Counting would
 * read them all. It includes the records of every type between the two.
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
  // Raw, because its tables are those of the statements above.
  const [row] = await reader.rows(sql<{ count: number }>`
    select coalesce(sum(least(scope.as_of, abs(${edge('desc')} - ${edge('asc')}) + 1)), 0)::bigint as count
    from ${scopedAssets(scope, snapshot)}`);
  return row?.count ?? 0;
}

const EVERY_POSITION = Number.MAX_SAFE_INTEGER;

/**
 * The scope's assets as rows, each with the position of its last record and the position after which to start. A statement
 * that uses it fails if records of the period, from the day of `after` on, are in cold storage.
 */
export function scopedAssets(
  scope: Pick<CaseScope, 'organizationId' | 'applicationId' | 'assetIds' | 'period'>,
  snapshot?: CaseSnapshot,
  after?: CasePosition,
) {
  const assetIds = [...scope.assetIds];
  const { from, until } = scope.period;
  // From the day of the last record, because without `fullTxIds` its records are sorted by their references.
  const rest = { from: after ? Math.max(from, dayOf(after.blockTime) * DAY_SECONDS) : from, until };
  const asOf = assetIds.map((assetId) => (snapshot ? (snapshot.get(assetId) ?? 0) : EVERY_POSITION));
  // Within the second of `after`, assets that sort before its own are complete, and those that sort after it are not.
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
      // With a snapshot, this was already checked.
      snapshot ? undefined : sql`assets.application_id = ${scope.applicationId}`,
      areAttached(scope.organizationId, scope.assetIds, { period: rest }),
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
