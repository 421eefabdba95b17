import type { SealedColumn, Sealer } from '../../../platform/crypto/index.js';
import { inSlices, ownTurn } from '../../../platform/jobs/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { DisclosedRecord } from './disclosed-record.js';

/** The members of a result that are neither in its row nor in its receipt. */
export interface ResultSecrets {
  /** Base64 of 16 bytes. */
  readonly salt: string;
  readonly records: readonly DisclosedRecord[];
}

// A result that is sealed for one disclosure cannot be opened for another.
const contextOf = (id: Id<'dsc'>) => `disclosures/${id}/result`;

export const SEALED_RESULTS: SealedColumn = {
  ...{ table: 'disclosures', column: 'sealed_result', purpose: 'disclosures', rows: 100 },
  key: ['id'],
  context: ([id]) => contextOf(id as Id<'dsc'>),
};

/** Seals a result as lines of JSON: the salt, then each record. */
export async function sealResult(
  sealer: Sealer,
  id: Id<'dsc'>,
  { salt, records }: ResultSecrets,
): Promise<Uint8Array> {
  const lines = await inSlices([{ salt }, ...records], (line) => JSON.stringify(line));
  const plaintext = new TextEncoder().encode(lines.join('\n'));
  const sealed = sealer.seal(plaintext, contextOf(id));
  plaintext.fill(0);
  return sealed;
}

export async function openSealedResult(
  sealer: Sealer,
  id: Id<'dsc'>,
  sealed: Uint8Array,
): Promise<ResultSecrets> {
  const plaintext = sealer.open(sealed, contextOf(id));
  try {
    // Opening a long result takes a whole slice.
    await ownTurn();
    const [head, ...records] = await inSlices(linesOf(plaintext), (line) => JSON.parse(line) as unknown);
    const { salt } = head as { readonly salt: string };
    return { salt, records: records as DisclosedRecord[] };
  } finally {
    plaintext.fill(0);
  }
}

function* linesOf(text: Uint8Array): Generator<string, void, undefined> {
  const decoder = new TextDecoder();
  for (let at = 0; at < text.length;) {
    const found = text.indexOf(LINE_FEED, at);
    const end = found < 0 ? text.length : found;
    yield decoder.decode(text.subarray(at, end));
    at = end + 1;
  }
}

const LINE_FEED = 0x0a;
