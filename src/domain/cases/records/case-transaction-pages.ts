import type { DecryptedAmount, DecryptionPool } from '../../../platform/crypto/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { timeSlices } from '../../../platform/jobs/index.js';
import { amountVisibility, decryptRecords } from '../../transactions/index.js';
import type { CaseScope, CaseSnapshot } from './case-scope.js';
import { type CaseRow, type CaseTransaction, type KnownAmount, maskTransaction } from './case-transaction.js';
import { type CasePosition, selectCaseTransactions } from './select-case-transactions.js';

export interface CasePagesOptions {
  /** Maximum number of records of a page. They are decrypted together. */
  readonly pageSize: number;
  /** How many pages one statement reads; 1 by default. Memory holds twice as many. */
  readonly pagesRead?: number;
  /** Ends the pages, and a decryption in progress, by throwing its reason. */
  readonly signal: AbortSignal;
}

/**
 * The masked records of a scope at a snapshot, in order, one page at a time. The caller has checked the access. Nothing
 * stays open between two pages.
 */
export async function* caseTransactionPages(
  foundation: Pick<Foundation, 'database' | 'reads' | 'sealer'>,
  pool: DecryptionPool,
  scope: CaseScope,
  snapshot: CaseSnapshot,
  { pageSize, pagesRead = 1, signal }: CasePagesOptions,
): AsyncGenerator<CaseTransaction[], void, undefined> {
  // Each reading by reference goes through whole days: fewer and larger ones.
  const limit = pageSize * pagesRead * (scope.references === null ? 1 : 5);
  const minPerAsset = Math.ceil((2 * limit) / Math.max(1, scope.assetIds.length));
  let perAsset = scope.references === null ? Math.min(limit, minPerAsset) : limit;
  const read = async (after?: CasePosition): Promise<MergedRows> => {
    const limits = { limit, perAsset };
    const rows = await selectCaseTransactions(foundation.reads, scope, { snapshot, after, ...limits });
    return mergedRows(rows, limits);
  };
  const begin = (after?: CasePosition) => {
    const reading = read(after);
    // It may never be awaited, when the caller ends early.
    reading.catch(() => undefined);
    return reading;
  };

  let next: Promise<MergedRows> | undefined = begin();
  while (next) {
    const { rows, isCut, isLast }: MergedRows = await next;
    signal.throwIfAborted();
    // Adapts to how records spread over assets: few of each of many, or many of one.
    if (isCut && rows.length < limit / 2) perAsset = Math.min(limit, 2 * perAsset);
    else if (!isCut) perAsset = Math.max(Math.min(limit, minPerAsset), Math.ceil(perAsset / 2));
    // The database reads the next page while this one is decrypted and used.
    next = isLast ? undefined : begin(rows.at(-1));
    for (let at = 0; at < rows.length; at += pageSize)
      yield await revealTransactions(foundation, pool, scope, rows.slice(at, at + pageSize), signal);
  }
}

interface MergedRows {
  readonly rows: readonly CaseRow[];
  readonly isCut: boolean;
  readonly isLast: boolean;
}

/**
 * The rows as far as they are certainly complete: up to the first asset whose limit was reached, because its next
 * records may precede those of other assets.
 */
function mergedRows(
  rows: readonly CaseRow[],
  { limit, perAsset }: { readonly limit: number; readonly perAsset: number },
): MergedRows {
  const counts = new Map<string, number>();
  const last = rows.findIndex(({ assetId }) => {
    const count = (counts.get(assetId) ?? 0) + 1;
    counts.set(assetId, count);
    return count === perAsset;
  });
  const isCut = last >= 0 && last + 1 < limit;
  return isCut
    ? { rows: rows.slice(0, last + 1), isCut, isLast: false }
    : { rows, isCut, isLast: rows.length < limit };
}

/** The records as the case's flags show them, decrypted. Decryption takes time: call it outside of any transaction. */
export async function revealTransactions(
  foundation: Pick<Foundation, 'database' | 'sealer'>,
  pool: DecryptionPool,
  { organizationId, flags }: CaseScope,
  rows: readonly CaseRow[],
  signal: AbortSignal,
): Promise<CaseTransaction[]> {
  const encrypted = rows.filter(({ type }) => amountVisibility(type) === 'encrypted');
  const decrypted = new Map<string, DecryptedAmount>();
  for (const id of new Set(encrypted.map(({ assetId }) => assetId))) {
    const records = encrypted.filter(({ assetId }) => assetId === id);
    const results = await decryptRecords(foundation, pool, { id, organizationId }, records, signal);
    for (const [recordId, result] of results) decrypted.set(recordId, result);
  }
  const slice = timeSlices();
  const revealed: CaseTransaction[] = [];
  for (const row of rows) {
    revealed.push(maskTransaction(row, amountOf(row, decrypted.get(row.id)), flags));
    const turn = slice();
    if (turn) await turn;
  }
  return revealed;
}

function amountOf({ type, publicAmount }: CaseRow, decrypted: DecryptedAmount | undefined): KnownAmount {
  if (amountVisibility(type) === 'encrypted')
    return decrypted?.kind === 'amount' ? decrypted.value.toString() : undefined;
  return publicAmount ?? undefined;
}
