import type { DecryptedAmount, DecryptionPool } from '../crypto/index.js';
import type { Foundation } from '../database/index.js';
import { amountVisibility, decryptRecords } from '../disclosures/index.js';
import type { CaseScope, CaseSnapshot } from './case-scope.js';
import { maskTransaction, type CaseRow, type CaseTransaction, type KnownAmount } from './case-transaction.js';
import { selectCaseTransactions, type CasePosition } from './select-case-transactions.js';

export interface CasePagesOptions {
  /** Most records of a page: so many are decrypted together. */
  readonly pageSize: number;
  /** How many pages one statement reads, 1 when absent. Twice as many are in memory at once. */
  readonly pagesRead?: number;
  /** Ends the pages, a decryption under way too, by throwing its reason. */
  readonly signal: AbortSignal;
}

/**
 * The masked records of a scope as they were at the snapshot, in order, a page at a time. The caller has checked that
 * they may be seen. Nothing is held open between two pages.
 */
export async function* caseTransactionPages(
  foundation: Pick<Foundation, 'database' | 'sealer'>,
  pool: DecryptionPool,
  scope: CaseScope,
  snapshot: CaseSnapshot,
  { pageSize, pagesRead = 1, signal }: CasePagesOptions,
): AsyncGenerator<CaseTransaction[], void, undefined> {
  const limit = pageSize * pagesRead;
  const fewest = Math.ceil((2 * limit) / Math.max(1, scope.assetIds.length));
  let perAsset = Math.min(limit, fewest);
  const read = async (behind?: CasePosition): Promise<MergedRows> => {
    const limits = { limit, perAsset };
    const rows = await selectCaseTransactions(foundation.database, scope, { snapshot, behind, ...limits });
    return mergedRows(rows, limits);
  };
  const begin = (behind?: CasePosition) => {
    const reading = read(behind);
    // It is awaited later, or never: whoever ends early does not ask what came of it.
    reading.catch(() => undefined);
    return reading;
  };

  let next: Promise<MergedRows> | undefined = begin();
  while (next) {
    const { rows, isCut, isLast }: MergedRows = await next;
    signal.throwIfAborted();
    // As many of each asset as a reading of them all needs: few of many, or all of the one that has the most.
    if (isCut && rows.length < limit / 2) perAsset = Math.min(limit, 2 * perAsset);
    else if (!isCut) perAsset = Math.max(Math.min(limit, fewest), Math.ceil(perAsset / 2));
    // The database reads the next ones while these are decrypted and used.
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
 * The rows as far as they are sure to be in order: up to the first asset of which as many were read as could be, for
 * its next ones may come before those of other assets.
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

/** The records as the case's flags show them, with their amounts. Outside of any transaction: decryption takes time. */
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
  return rows.map((row) => maskTransaction(row, amountOf(row, decrypted.get(row.id)), flags));
}

function amountOf({ type, publicAmount }: CaseRow, decrypted: DecryptedAmount | undefined): KnownAmount {
  if (amountVisibility(type) === 'encrypted')
    return decrypted?.kind === 'amount' ? decrypted.value.toString() : undefined;
  return publicAmount ?? undefined;
}
