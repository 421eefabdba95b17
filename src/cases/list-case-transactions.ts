import type { DecryptionPool } from '../crypto/index.js';
import type { Foundation } from '../database/index.js';
import { badUserInput } from '../kernel/errors.js';
import { connectionOf, type Connection } from '../kernel/connection.type.js';
import { isId } from '../kernel/ids.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import type { Principal } from '../organizations/index.js';
import { requireCaseAccess } from './case-access.js';
import { scopeOf, snapshotOf } from './case-scope.js';
import { caseTotals, type CaseAssetTotals } from './case-totals.js';
import { caseTransactionPages, revealTransactions } from './case-transaction-pages.js';
import { CASE_TRANSACTION_TYPES, type CaseTransaction } from './case-transaction.js';
import { recordCaseView } from './record-case-view.js';
import {
  countCaseTransactions,
  selectCaseTransactions,
  type CasePosition,
} from './select-case-transactions.js';

export interface ListCaseTransactionsInput {
  readonly application: string;
  readonly caseId: string;
  /** 1 to 200; 50 when absent. */
  readonly first?: number | null | undefined;
  /** The cursor to go on behind. */
  readonly after?: string | null | undefined;
  readonly type?: string | null | undefined;
}

/** Most records that totals are made of at once: each confidential one is decrypted. Larger cases have reports. */
export const LARGEST_TOTALS = 1_000;
const TOTALS_PAGE = 200;

/** A page of what the case shows, oldest first, with decrypted amounts. That it was looked at is logged. */
export async function listCaseTransactions(
  foundation: Foundation,
  pool: DecryptionPool,
  principal: Principal | undefined,
  input: ListCaseTransactionsInput,
): Promise<Connection<CaseTransaction>> {
  const access = await requireCaseAccess(
    foundation,
    principal,
    input.application,
    input.caseId,
    'reports:view_transactions',
  );
  const limit = parseLimit('first', input.first);
  const type = CASE_TRANSACTION_TYPES.find((known) => known === input.type);
  if (input.type != null && !type) {
    throw badUserInput(`type must be one of ${CASE_TRANSACTION_TYPES.join(', ')}.`);
  }
  const cursors = cursorsFor('caseTransactions', { caseId: access.case.id, type: type ?? null });
  const behind =
    input.after == null ? undefined : parsePosition(cursors.decode('string', 'after', input.after));

  const scope = scopeOf(access.case);
  const found = await selectCaseTransactions(foundation.database, scope, { type, behind, limit: limit + 1 });
  const { rows, hasNextPage } = pageOf(found, limit);
  const shown = await revealTransactions(foundation, pool, scope, rows, NEVER);
  await recordCaseView(foundation, access);
  const cursorOf = new Map(shown.map((transaction, index) => [transaction, positionText(rows[index]!)]));
  return connectionOf({ rows: shown, hasNextPage }, (transaction) =>
    cursors.encode(cursorOf.get(transaction) ?? ''),
  );
}

/**
 * What the case's records move, by asset and type. Made of all of them, so that it is refused for more than 1,000: a
 * report sums up as many as there are.
 */
export async function sumCaseTransactions(
  foundation: Foundation,
  pool: DecryptionPool,
  principal: Principal | undefined,
  input: Pick<ListCaseTransactionsInput, 'application' | 'caseId'>,
): Promise<CaseAssetTotals[]> {
  const access = await requireCaseAccess(
    foundation,
    principal,
    input.application,
    input.caseId,
    'reports:view_transactions',
  );
  const { database } = foundation;
  const scope = scopeOf(access.case);
  const snapshot = await snapshotOf(database, scope);
  const most = LARGEST_TOTALS + 1;
  if ((await countCaseTransactions(database, scope, snapshot, most)) === most) {
    throw badUserInput(
      `totals are made of at most ${LARGEST_TOTALS.toLocaleString('en')} transactions, and the case has more: ` +
        'generate a report of the type transaction_summary.',
    );
  }
  const totals = caseTotals();
  const options = { pageSize: TOTALS_PAGE, signal: NEVER };
  for await (const page of caseTransactionPages(foundation, pool, scope, snapshot, options)) totals.add(page);
  await recordCaseView(foundation, access);
  return totals.result();
}

// A page is small, and the pool bounds what waits in it.
const NEVER = new AbortController().signal;

const positionText = ({ blockTime, assetId, position }: CasePosition) =>
  `${blockTime}:${assetId}:${position}`;

function parsePosition(text: string): CasePosition {
  const [blockTime, assetId, position, ...rest] = text.split(':');
  const numbers = [blockTime, position].map((part) =>
    part !== undefined && /^\d{1,15}$/.test(part) ? Number(part) : undefined,
  );
  if (numbers[0] === undefined || numbers[1] === undefined || !isId('ast', assetId) || rest.length > 0) {
    throw badUserInput('after is not a cursor of this listing.');
  }
  return { blockTime: numbers[0], assetId, position: numbers[1] };
}
