import { locateAsset } from '../assets/index.js';
import { all, sql, type Foundation } from '../database/index.js';
import { badUserInput } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';
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
import { TRANSACTION_COLUMNS, type IndexedTransaction } from './transaction.js';

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

/**
 * A page of the asset's records, oldest first. Positions are given in the order of commits, so that a reader who goes
 * on from the last cursor never misses a record and never sees one twice.
 */
export async function listTransactions(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListTransactionsInput,
): Promise<Connection<IndexedTransaction>> {
  const { organizationId } = requireScope(principal, 'transactions:read');
  const asset = await locateAsset(foundation.database, organizationId, input.assetId);
  const filters = {
    type: parseType(input.type),
    account: input.account == null ? null : parseAddress('account', input.account),
    ...parsePeriod({ from: 'from', to: 'to' }, input.from, input.to),
  };
  const limit = parseLimit('first', input.first);
  const cursors = transactionCursors(asset.id, filters);
  const after = input.after == null ? 0 : cursors.decode('number', 'after', input.after);

  const rows = await foundation.database.rows(sql<IndexedTransaction>`
    select ${TRANSACTION_COLUMNS} from transactions join assets on assets.id = transactions.asset_id
    where ${all([
      sql`assets.organization_id = ${organizationId}`,
      sql`transactions.asset_id = ${asset.id}`,
      sql`transactions.position > ${after}`,
      filters.type === null ? undefined : sql`transactions.type = ${filters.type}`,
      filters.account === null
        ? undefined
        : sql`(transactions.source_account = ${filters.account} or transactions.destination_account = ${filters.account})`,
      filters.from === null ? undefined : sql`transactions.indexed_at >= ${filters.from}`,
      filters.to === null ? undefined : sql`transactions.indexed_at <= ${filters.to}`,
    ])}
    order by transactions.position limit ${limit + 1}`);
  return connectionOf(pageOf(rows, limit), ({ position }) => cursors.encode(position));
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

function parseType(value: string | null | undefined): ConfidentialEventType | null {
  if (value == null) return null;
  const type = CONFIDENTIAL_EVENT_TYPES.find((known) => known === value);
  if (!type) throw badUserInput(`type must be one of ${CONFIDENTIAL_EVENT_TYPES.join(', ')}.`);
  return type;
}
