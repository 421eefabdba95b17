import { isUtf8 } from 'node:buffer';
import { parentPort, workerData } from 'node:worker_threads';
import { HASH_LENGTH, inclusionVerifier } from '../../../platform/crypto/index.js';
import { plainEntryReader, type ShownEntries, type Tree } from './plain-entry.js';

/** What the pool sends to a worker, one at a time; each is answered by one reply. */
export interface EntriesRequest {
  /** Whole lines of an export. */
  readonly lines: Uint8Array<ArrayBuffer>;
}

export type EntriesReply =
  | ({ readonly kind: 'shown' } & ShownEntries)
  /** A line that is not an entry, not plain, not in the tree, or the last one. The sequential reader determines which. */
  | { readonly kind: 'undecided' };

const [NEWLINE, COMMA] = [0x0a, 0x2c];

const { size, root } = workerData as Tree;
const readPlain = plainEntryReader();
const shows = inclusionVerifier(size, root);

function answer({ lines }: EntriesRequest): EntriesReply {
  if (!isUtf8(lines)) return { kind: 'undecided' };
  const block = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  const indexes: number[] = [];
  const leaves: Uint8Array[] = [];
  let opened = 0;
  for (let begin = 0; begin < block.length;) {
    const end = block.indexOf(NEWLINE, begin);
    const plain = block[end - 1] === COMMA ? readPlain(block, begin, end - 1) : undefined;
    if (!plain || !shows(plain.index, plain.leaf, plain.proof)) return { kind: 'undecided' };
    indexes.push(plain.index);
    leaves.push(plain.leaf);
    opened += plain.opened;
    begin = end + 1;
  }
  const together = new Uint8Array(leaves.length * HASH_LENGTH);
  leaves.forEach((leaf, at) => together.set(leaf, at * HASH_LENGTH));
  return { kind: 'shown', indexes: Float64Array.from(indexes), leaves: together, opened };
}

parentPort?.on('message', (request: EntriesRequest) => {
  const reply = answer(request);
  const transfer = reply.kind === 'shown' ? [reply.indexes.buffer, reply.leaves.buffer] : [];
  parentPort?.postMessage(reply, transfer as ArrayBuffer[]);
});
