import type { DecryptionPool } from '../../../platform/crypto/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { inSlices } from '../../../platform/jobs/index.js';
import { amountVisibility, decryptRecords } from '../../transactions/index.js';
import type { CaseScope, CaseSnapshot } from './case-scope.js';
import { type CaseRow, type CaseTransaction, maskTransaction } from './case-transaction.js';
import { maskedText, type MaskedText } from './masked-text.js';
import {
  type CasePageText,
  type CasePosition,
  type EncryptedRow,
  encryptedOf,
  type RecordText,
  rowsOf,
  ROW_TEXT,
  selectCasePage,
} from './select-case-transactions.js';

export interface CasePagesOptions {
  /** Maximum number of records on a page. They are decrypted together. */
  readonly pageSize: number;
  /** Pages that one statement reads. The default is 1. Memory holds up to {@link PAGES_AHEAD} + 1 times as many. */
  readonly pagesRead?: number;
  /** Ends the iteration and a decryption in progress. The pages then throw its reason. */
  readonly signal: AbortSignal;
}

/** The masked records of a scope at a snapshot, in order. The caller has checked the access. Nothing stays open between pages. */
export async function* caseTransactionPages(
  foundation: Pick<Foundation, 'database' | 'reads' | 'sealer'>,
  pool: DecryptionPool,
  scope: CaseScope,
  snapshot: CaseSnapshot,
  options: CasePagesOptions,
): AsyncGenerator<CaseTransaction[], void, undefined> {
  const { pageSize, signal } = options;
  for await (const { records } of pagesOf(foundation, scope, snapshot, options, ROW_TEXT)) {
    const rows = await rowsOf(records);
    for (let at = 0; at < rows.length; at += pageSize)
      yield await revealTransactions(foundation, pool, scope, rows.slice(at, at + pageSize), signal);
  }
}

/** The text of some masked records, in order. */
export interface CaseText {
  readonly text: string;
  /** Number of records that the text completes. */
  readonly records: number;
}

export interface CaseTextOptions extends CasePagesOptions {
  /** The text of a record. It must contain the amount and, after it, the word for an undecryptable amount, each once. */
  readonly textOf: (record: MaskedText) => Pick<RecordText, 'text' | 'ofAsset'>;
  /** That word. */
  readonly undecryptable: string;
}

/** Pages that are read before the previous one was used. */
const PAGES_AHEAD = 2;
const SLOT_BYTES = 16;
/** Records of a text. Node.js keeps a larger text outside of the memory that it uses again and again. */
const TEXT_RECORDS = 100;

/**
 * The masked records as text. The database creates and masks the text, which is much faster than one record at a time. Only
 * encrypted amounts are inserted here.
 */
export async function* caseTextPages(
  foundation: Pick<Foundation, 'database' | 'reads' | 'sealer' | 'random'>,
  pool: DecryptionPool,
  scope: CaseScope,
  snapshot: CaseSnapshot,
  options: CaseTextOptions,
): AsyncGenerator<CaseText, void, undefined> {
  const { pageSize, signal, undecryptable, textOf } = options;
  // It is random, so no text of a record contains it.
  const slot = Buffer.from(foundation.random(SLOT_BYTES)).toString('hex');
  const record = maskedText(scope, { slot, undecryptable });
  const { encrypted } = record;
  const recordText = { ...textOf(record), encrypted };
  for await (const { records } of pagesOf(foundation, scope, snapshot, options, recordText)) {
    for (let at = 0; at < records.length; at += pageSize) {
      const some = records.slice(at, at + pageSize);
      const rows = some.map(({ encrypted: line }) => (line === null ? undefined : encryptedOf(line)));
      const sealed = rows.filter((row) => row !== undefined);
      const amounts = await decryptAmounts(foundation, pool, scope, sealed, signal);
      const texts = some.map(({ text }, index) => {
        const row = rows[index];
        return row ? withAmount(text, slot, amounts.get(row.id), undecryptable) : text;
      });
      for (let from = 0; from < texts.length; from += TEXT_RECORDS) {
        const together = texts.slice(from, from + TEXT_RECORDS);
        yield { text: together.join(''), records: together.length };
      }
    }
  }
}

/** The text with its two slots replaced by the amount, or by nothing and the word for a missing one. */
function withAmount(text: string, slot: string, amount: string | undefined, undecryptable: string): string {
  const [before, between, after, ...more] = text.split(slot);
  if (between === undefined || after === undefined || more.length > 0)
    throw new Error('A record cannot be read back.');
  return `${before}${amount ?? ''}${between}${amount === undefined ? undecryptable : ''}${after}`;
}

/** The pages of a scope at a snapshot. The next ones are read while one is used. None is empty. */
async function* pagesOf(
  foundation: Pick<Foundation, 'reads'>,
  scope: CaseScope,
  snapshot: CaseSnapshot,
  options: CasePagesOptions,
  record: RecordText,
): AsyncGenerator<CasePageText, void, undefined> {
  const pages = readPages(foundation, scope, snapshot, options, record);
  // A generator runs one call at a time, so the pages are read one after the other.
  const read = () => {
    const reading = pages.next();
    // It may never be awaited, if the caller ends early.
    reading.catch(() => undefined);
    return reading;
  };
  const ahead = Array.from({ length: PAGES_AHEAD }, read);
  for (;;) {
    const { value: page } = await ahead.shift()!;
    options.signal.throwIfAborted();
    if (!page) return;
    ahead.push(read());
    yield page;
  }
}

async function* readPages(
  { reads }: Pick<Foundation, 'reads'>,
  scope: CaseScope,
  snapshot: CaseSnapshot,
  { pageSize, pagesRead = 1 }: CasePagesOptions,
  record: RecordText,
): AsyncGenerator<CasePageText, void, undefined> {
  // Each statement by reference reads whole days, so few large statements are better.
  const limit = pageSize * pagesRead * (scope.references === null ? 1 : 5);
  const minPerAsset = Math.ceil((2 * limit) / Math.max(1, scope.assetIds.length));
  let perAsset = scope.references === null ? Math.min(limit, minPerAsset) : limit;
  let after: CasePosition | undefined;
  for (;;) {
    const page = await selectCasePage(reads, scope, { snapshot, after, limit, perAsset }, record);
    const { last, isCut } = page;
    const { length: count } = page.records;
    if (count > 0) yield page;
    if (!isCut && count < limit) return;
    after = last;
    // Adapts to the distribution of records: a few of each of many assets, or many of one.
    if (isCut && count < limit / 2) perAsset = Math.min(limit, 2 * perAsset);
    else if (!isCut) perAsset = Math.max(Math.min(limit, minPerAsset), Math.ceil(perAsset / 2));
  }
}

/** The records, decrypted and masked by the case's flags. Decryption takes time: call it outside of any transaction. */
export async function revealTransactions(
  foundation: Pick<Foundation, 'database' | 'sealer'>,
  pool: DecryptionPool,
  scope: CaseScope,
  rows: readonly CaseRow[],
  signal: AbortSignal,
): Promise<CaseTransaction[]> {
  const encrypted = rows.filter(({ type }) => amountVisibility(type) === 'encrypted');
  const amounts = await decryptAmounts(foundation, pool, scope, encrypted, signal);
  return inSlices(rows, (row) => {
    const isEncrypted = amountVisibility(row.type) === 'encrypted';
    const amount = isEncrypted ? amounts.get(row.id) : (row.publicAmount ?? undefined);
    return maskTransaction(row, amount, scope.flags);
  });
}

/** The amounts of encrypted records by id, as decimal strings. Amounts that no key decrypts are missing. */
async function decryptAmounts(
  foundation: Pick<Foundation, 'database' | 'sealer'>,
  pool: DecryptionPool,
  { organizationId }: Pick<CaseScope, 'organizationId'>,
  rows: readonly EncryptedRow[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const amounts = new Map<string, string>();
  for (const id of new Set(rows.map(({ assetId }) => assetId))) {
    const records = rows.filter(({ assetId }) => assetId === id);
    const results = await decryptRecords(foundation, pool, { id, organizationId }, records, signal);
    for (const [recordId, result] of results)
      if (result.kind === 'amount') amounts.set(recordId, result.value.toString());
  }
  return amounts;
}
