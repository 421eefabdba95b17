import { locateAsset } from '../assets/index.js';
import { prepared, type Foundation } from '../database/index.js';
import { badUserInput } from '../kernel/errors.js';
import { locateId, type Id } from '../kernel/ids.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import type { Connection } from '../kernel/connection.type.js';
import { connectionOf } from '../kernel/connection.type.js';
import {
  CONFIDENTIAL_EVENT_TYPES,
  parseAddress,
  type Address,
  type ConfidentialEventType,
} from '../ledger/index.js';
import { requireScope, type Principal } from '../organizations/index.js';
import { parsePeriod, type Period } from './period.js';
import {
  RECORD_COLUMNS,
  SUMMARY_COLUMNS,
  type IndexedTransaction,
  type TransactionSummary,
} from './transaction.js';

export interface ListTransactionsInput {
  readonly assetId: string;
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly type?: string | null | undefined;
  /** Records whose source or destination it is. */
  readonly account?: string | null | undefined;
  /** Of `indexedAt`, inclusive. */
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
}

/** Whether the records have their details. Without them a page is read in a fraction of the time. */
export interface ListTransactionsOptions {
  readonly details?: boolean;
}

export type ListedTransaction = TransactionSummary & Partial<IndexedTransaction>;

/**
 * A page of the asset's records, oldest first. Positions are given in the order of commits, so that a reader who goes
 * on from the last cursor never misses a record and never sees one twice.
 */
export async function listTransactions(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
  input: ListTransactionsInput,
  { details = true }: ListTransactionsOptions = {},
): Promise<Connection<ListedTransaction>> {
  const { organizationId } = requireScope(principal, 'transactions:read');
  const assetId = locateId('ast', input.assetId);
  const filters = {
    type: parseType(input.type),
    account: input.account == null ? null : parseAddress('account', input.account),
    ...parsePeriod({ from: 'from', to: 'to' }, input.from, input.to),
  };
  const limit = parseLimit('first', input.first);
  const cursors = transactionCursors(assetId, filters);
  const after = input.after == null ? 0 : cursors.decode('number', 'after', input.after);

  const rows = await database.rows(
    page({ organizationId, assetId, after, limit: limit + 1, filters, details }),
  );
  // No row is a page behind the last record, or no asset.
  if (rows.length === 0) await locateAsset(database, organizationId, assetId);
  return connectionOf(pageOf(rows, limit), ({ position }) => cursors.encode(position));
}

interface PageSelection {
  readonly organizationId: Id<'org'>;
  readonly assetId: Id<'ast'>;
  readonly after: number;
  readonly limit: number;
  readonly filters: TransactionFilters;
  readonly details: boolean;
}

/** Each filter is part of the statement only where it is given: so each combination is a statement of its own. */
function page({ organizationId, assetId, after, limit, filters, details }: PageSelection) {
  const given = FILTERS.filter(({ name }) => filters[name] !== null);
  const name = ['transactions', ...given.map((filter) => filter.name), ...(details ? ['details'] : [])].join(
    '_',
  );
  let statement = pages.get(name);
  if (!statement) {
    const conditions = given.map(({ condition }, at) => ` and ${condition(`$${at + 5}`)}`);
    statement = prepared<ListedTransaction>(
      name,
      `select ${details ? RECORD_COLUMNS : SUMMARY_COLUMNS} from transactions
      where transactions.asset_id = (select id from assets where organization_id = $1 and id = $2)
        and transactions.position > $3${conditions.join('')}
      order by transactions.position limit $4`,
    );
    pages.set(name, statement);
  }
  return statement(organizationId, assetId, after, limit, ...given.map(({ name }) => filters[name]));
}

const pages = new Map<string, ReturnType<typeof prepared<ListedTransaction>>>();

const FILTERS: readonly {
  readonly name: keyof TransactionFilters;
  readonly condition: (value: string) => string;
}[] = [
  { name: 'type', condition: (value) => `transactions.type = ${value}` },
  {
    name: 'account',
    condition: (value) =>
      `(transactions.source_account = ${value} or transactions.destination_account = ${value})`,
  },
  { name: 'from', condition: (value) => `transactions.indexed_at >= ${value}` },
  { name: 'to', condition: (value) => `transactions.indexed_at <= ${value}` },
];

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

function parseType(value: string | null | undefined): ConfidentialEventType | null {
  if (value == null) return null;
  const type = CONFIDENTIAL_EVENT_TYPES.find((known) => known === value);
  if (!type) throw badUserInput(`type must be one of ${CONFIDENTIAL_EVENT_TYPES.join(', ')}.`);
  return type;
}
