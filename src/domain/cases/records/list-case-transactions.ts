import type { DecryptionPool } from '../../../platform/crypto/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { badUserInput, invalidMember } from '../../../platform/kernel/errors.js';
import {
  connectionOf,
  counted,
  type CountedConnection,
} from '../../../platform/kernel/paging/connection.type.js';
import { parseOptionalOneOf } from '../../../platform/kernel/enums/enums.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../../platform/kernel/paging/paging.js';
import type { Principal } from '../../access/index.js';
import type { CaseRecord } from '../case.js';
import { requireCaseAccess } from '../case-access.js';
import { DAY_SECONDS, dayOf } from '../case-window.js';
import { narrowing, narrowScope, scopeOf, snapshotOf } from './case-scope.js';
import { type CaseAssetTotals, caseTotals } from './case-totals.js';
import { caseTransactionPages, revealTransactions } from './case-transaction-pages.js';
import { CASE_TRANSACTION_TYPES } from './case-transaction-types.js';
import { type ProvableTransaction, withProofs } from './prove-transactions.js';
import { recordCaseView } from './record-case-view.js';
import {
  type CasePosition,
  countCaseTransactions,
  selectCaseTransactions,
} from './select-case-transactions.js';

export interface ListCaseTransactionsInput extends PageInput {
  readonly foreignId: string;
  readonly caseId: string;
  readonly type?: string | null | undefined;
  readonly assetId?: string | null | undefined;
  /** Inclusive. Without `fullTxIds`, both are extended to whole UTC days. */
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
}

/** Each encrypted amount is decrypted for the answer. Larger cases need a report. */
const MAX_SUMMED_TRANSACTIONS = 1_000;
const TOTALS_PAGE_SIZE = 200;

/** A page of the transactions that the case shows, oldest first, with decrypted amounts. The read is logged. */
export async function listCaseTransactions(
  foundation: Foundation,
  pool: DecryptionPool,
  principal: Principal | undefined,
  input: ListCaseTransactionsInput,
): Promise<CountedConnection<ProvableTransaction>> {
  const access = await requireCaseAccess(foundation, principal, input, 'reports:view_transactions');
  const { cursors, limit, type, scope, ...page } = parsePage(
    input,
    'string',
    ({ type = null }) =>
      cursorsFor('caseTransactions', { caseId: access.case.id, type, ...narrowing(input) }),
    {
      type: () => parseOptionalOneOf('type', CASE_TRANSACTION_TYPES, input.type),
      scope: () => narrowScope(scopeOf(foundation, access.case), input),
    },
  );
  const after = page.after === undefined ? undefined : parsePosition(access.case, page.after);

  const found = await selectCaseTransactions(foundation.database, scope, { type, after, limit: limit + 1 });
  const { rows, hasNextPage } = pageOf(found, limit);
  const shown = await revealTransactions(foundation, pool, scope, rows, NEVER);
  const assetIds = rows.map(({ assetId }) => assetId);
  await recordCaseView(foundation, access, { transactions: shown.length, assetIds });
  const provable = withProofs(foundation, pool, access, scope, rows, shown);
  const cursorOf = new Map(provable.map((transaction, index) => [transaction, positionText(rows[index]!)]));
  return counted(
    connectionOf({ rows: provable, hasNextPage }, (transaction) =>
      cursors.encode(cursorOf.get(transaction) ?? ''),
    ),
    () => countCaseTransactions(foundation.database, scope, undefined, undefined, type),
  );
}

/** The totals of the case's records by asset and type. More than 1,000 records are refused. A report has no such limit. */
export async function sumCaseTransactions(
  foundation: Foundation,
  pool: DecryptionPool,
  principal: Principal | undefined,
  input: Pick<ListCaseTransactionsInput, 'foreignId' | 'caseId'>,
): Promise<CaseAssetTotals[]> {
  const access = await requireCaseAccess(foundation, principal, input, 'reports:view_transactions');
  const { database } = foundation;
  const scope = scopeOf(foundation, access.case);
  const snapshot = await snapshotOf(database, scope);
  const max = MAX_SUMMED_TRANSACTIONS + 1;
  if ((await countCaseTransactions(database, scope, snapshot, max)) === max) {
    throw badUserInput(
      `The case has more than ${MAX_SUMMED_TRANSACTIONS.toLocaleString('en')} transactions: generate a report of the ` +
        'type transaction_summary.',
    );
  }
  const totals = caseTotals();
  const options = { pageSize: TOTALS_PAGE_SIZE, signal: NEVER };
  let transactions = 0;
  for await (const page of caseTransactionPages(foundation, pool, scope, snapshot, options)) {
    totals.add(page);
    transactions += page.length;
  }
  await recordCaseView(foundation, access, { transactions, assetIds: snapshot.keys() });
  return totals.result();
}

// Small, because the pool limits its queue.
const NEVER = new AbortController().signal;

/** The holder of a cursor can read it, so without `fullTxIds` it contains only the day and the reference. */
const positionText = ({ blockTime, assetId, position, reference }: CasePosition) =>
  reference === null ? `${blockTime}:${assetId}:${position}` : `${dayOf(blockTime)}:${reference}`;

const BY_TIME = /^(\d{1,12}):(ast_[0-9a-z]{26}):(\d{1,15})$/;
const BY_REFERENCE = /^(\d{1,8}):([0-9a-f]{32})$/;

function parsePosition({ disclosureFlags }: CaseRecord, text: string): CasePosition {
  const match = (disclosureFlags.fullTxIds ? BY_TIME : BY_REFERENCE).exec(text);
  if (!match) throw invalidMember('after', 'is not a cursor of this listing');
  const [, first, second, third] = match;
  return disclosureFlags.fullTxIds
    ? { blockTime: Number(first), assetId: second!, position: Number(third), reference: null }
    : { blockTime: Number(first) * DAY_SECONDS, assetId: '', position: 0, reference: second! };
}
