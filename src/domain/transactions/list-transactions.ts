import { findAssetOf } from '../assets/index.js';
import { type Foundation, prepared, type Prepared } from '../../platform/database/index.js';
import { parseOptionalOneOf } from '../../platform/kernel/enums/enums.js';
import { type Id, parseIdOrNotFound } from '../../platform/kernel/ids.js';
import {
  cursorsFor,
  MAX_PAGE_SIZE,
  pageOf,
  type PageInput,
  parsePage,
} from '../../platform/kernel/paging/paging.js';
import { type Connection, connectionOf } from '../../platform/kernel/paging/connection.type.js';
import {
  type Address,
  CONFIDENTIAL_EVENT_TYPES,
  type ConfidentialEventType,
  parseAddress,
} from '../../platform/ledger/index.js';
import { type Principal, requireScope } from '../access/index.js';
import { parsePeriod, type Period } from './period.js';
import {
  type IndexedTransaction,
  RECORD_COLUMNS,
  SUMMARY_COLUMNS,
  type TransactionSummary,
} from './transaction.js';

export interface ListTransactionsInput extends PageInput {
  readonly assetId: string;
  readonly type?: string | null | undefined;
  /** Records with this account as source or destination. */
  readonly account?: string | null | undefined;
  /** Earliest `indexedAt`, inclusive. */
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
}

/** Whether the records have their details. A page without them takes a fraction of the time. */
export interface ListTransactionsOptions {
  readonly details?: boolean;
}

export type ListedTransaction = TransactionSummary & Partial<IndexedTransaction>;

/**
 * A page of the asset's records, oldest first. Positions are assigned in the order of commits, so a reader who continues from
 * the last cursor never misses a record and never sees one twice.
 */
export async function listTransactions(
  foundation: Pick<Foundation, 'database' | 'reads'>,
  principal: Principal | undefined,
  input: ListTransactionsInput,
  { details = true }: ListTransactionsOptions = {},
): Promise<Connection<ListedTransaction>> {
  const { limit, cursors, selection, requireAsset } = pageReader(foundation, principal, input);
  const rows = await foundation.reads.rows(page({ ...selection, details }));
  if (rows.length === 0) await requireAsset();
  return connectionOf(pageOf(rows, limit), ({ position }) => cursors.encode(position));
}

/** Checks access and input, and returns the page to read. */
export function pageReader(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
  input: ListTransactionsInput,
) {
  const { organizationId } = requireScope(principal, 'transactions:read');
  const assetId = parseIdOrNotFound('ast', input.assetId);
  const {
    cursors,
    limit,
    after = 0,
    period,
    ...others
  } = parsePage(
    input,
    'number',
    ({ period, ...others }) => transactionCursors(assetId, { ...others, ...period }),
    {
      type: () => parseOptionalOneOf('type', CONFIDENTIAL_EVENT_TYPES, input.type) ?? null,
      account: () => (input.account == null ? null : parseAddress('account', input.account)),
      period: () => parsePeriod({ from: 'from', to: 'to' }, input.from, input.to),
    },
  );
  const filters = { ...others, ...period };
  const selection = { organizationId, assetId, after, limit: limit + 1, filters };
  // Without a row, the page is after the last record, or the asset does not exist.
  const requireAsset = () => findAssetOf(database, organizationId, assetId);
  return { assetId, limit, cursors, selection, requireAsset };
}

interface PageSelection {
  readonly organizationId: Id<'org'>;
  readonly assetId: Id<'ast'>;
  readonly after: number;
  readonly limit: number;
  readonly filters: TransactionFilters;
  readonly details: boolean;
}

interface PageForm<Row> {
  /** The selected columns of `transactions`. */
  readonly columns: { readonly summary: string; readonly details: string };
  /** Builds the statement that reads `page`. */
  readonly make: (
    name: string,
    page: string,
    details: boolean,
  ) => (...values: readonly unknown[]) => Prepared<Row>;
}

/**
 * Prepared: the listing is a hot path. Each combination of filters is one statement. Each reads its rows from an index in the
 * order of positions, so a page costs the same however many records the asset has.
 */
export function pageStatement<Row>(prefix: string, { columns, make }: PageForm<Row>) {
  const statements = new Map<string, ReturnType<typeof make>>();
  return ({ organizationId, assetId, after, limit, filters, details }: PageSelection): Prepared<Row> => {
    const { type, account, from, to } = filters;
    const present = FILTERS.filter((name) => filters[name] !== null);
    const name = [prefix, ...present, ...(details ? ['details'] : [])].join('_');
    let statement = statements.get(name);
    if (!statement) {
      const text = pageText(new Set(present), details ? columns.details : columns.summary);
      statement = make(name, text, details);
      statements.set(name, statement);
    }
    // An account's records are indexed by type: without a type, those of each type are read and merged.
    const types = account === null || type === null ? type : [type];
    const indexed = account !== null && types === null ? CONFIDENTIAL_EVENT_TYPES : types;
    const values = [indexed, account, from, to].filter((value) => value !== null);
    return statement(organizationId, assetId, after, limit, ...values);
  };
}

const page = pageStatement('transactions', {
  columns: { summary: SUMMARY_COLUMNS, details: RECORD_COLUMNS },
  make: (name, text) => prepared<ListedTransaction>(name, text),
});

/**
 * One record more than the largest page. Without this literal, PostgreSQL expects a page to be a tenth of the records, and plans
 * each read for its limit instead of keeping a plan.
 */
const MAX_PAGE_ROWS = MAX_PAGE_SIZE + 1;

const FILTERS = ['type', 'account', 'from', 'to'] as const satisfies readonly (keyof TransactionFilters)[];

const ASSET = '(select id from assets where organization_id = $1 and id = $2)';

/**
 * Whether all parts that the page may need are attached. If not, the statement fails. The condition names no row of the page,
 * so PostgreSQL evaluates it first, even if there are no rows.
 */
const isAttached = (from: string, to: string) => `(
  select archived is null
    or refuse_archived(archived, $3::bigint, null, null, ${from}::timestamptz, ${to}::timestamptz)
  from assets where organization_id = $1 and id = $2)`;

/** Raw, as all that follow: a hot page is prepared once for each set of filters. */
function pageText(present: ReadonlySet<keyof TransactionFilters>, columns: string): string {
  let values = 4;
  const next = () => `$${++values}`;
  const type = present.has('type') || present.has('account') ? next() : undefined;
  const account = present.has('account') ? next() : undefined;
  const from = present.has('from') ? next() : undefined;
  const to = present.has('to') ? next() : undefined;
  const attached = isAttached(from ?? 'null', to ?? 'null');
  const range = [
    'transactions.position > $3',
    ...(from === undefined ? [] : [`transactions.position >= ${boundary('from', from)}`]),
    ...(to === undefined ? [] : [`transactions.position <= ${boundary('to', to)}`]),
  ].join(' and ');
  if (account === undefined) {
    const ofType = type === undefined ? '' : `and transactions.type = ${type}`;
    return `select page.* from (
        select ${columns} from transactions
        where ${attached} and transactions.asset_id = ${ASSET} and ${range} ${ofType}
        order by transactions.position limit ${MAX_PAGE_ROWS}) as page
      order by page.position limit $4`;
  }
  // Reads whole records, because a lookup by position would search every part for each.
  const sideOf = (side: 'source' | 'destination') =>
    `select page.* from unnest(${type}::text[]) as kind (type) cross join lateral (
      select transactions.* from transactions
      where transactions.asset_id = ${ASSET} and transactions.${side}_account = ${account}
        and transactions.type = kind.type and ${range}
      order by transactions.position limit $4) as page`;
  return `select ${columns} from (
      select distinct on (position) * from (${sideOf('source')} union all ${sideOf('destination')}) as sides
      order by position limit $4) as transactions
    where ${attached}
    order by transactions.position`;
}

/**
 * The position of the first record indexed at or after a time, or of the last one at or before it. The time of indexing never
 * falls as the position rises. Null if there is no such record, so no position matches.
 */
function boundary(end: 'from' | 'to', time: string): string {
  const [comparison, order] = end === 'from' ? ['>=', 'asc'] : ['<=', 'desc'];
  return `(select edge.position from transactions as edge
    where edge.asset_id = $2 and edge.indexed_at ${comparison} ${time}
    order by edge.indexed_at ${order}, edge.position ${order} limit 1)`;
}

interface TransactionFilters extends Period {
  readonly type: ConfidentialEventType | null;
  readonly account: Address | null;
}

export const NO_FILTERS: TransactionFilters = { type: null, account: null, from: null, to: null };

/** The cursors of one asset's records: positions, bound to the asset and the filters. */
export function transactionCursors(assetId: Id<'ast'>, { type, account, from, to }: TransactionFilters) {
  const times = { from: from?.getTime() ?? null, to: to?.getTime() ?? null };
  return cursorsFor('transactions', { assetId, type, account, ...times });
}
