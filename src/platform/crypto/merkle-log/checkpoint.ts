import { base64 } from '../../kernel/encoding/bytes.js';
import { HASH_LENGTH } from './merkle-tree.js';
import { openNote, signNote, type NoteSigner } from './signed-note.js';

/** C2SP tlog-checkpoint: the state of a log at one size. */
export interface Checkpoint {
  /** The name of the log, and of its key. */
  readonly origin: string;
  readonly size: number;
  /** 32 bytes, RFC 6962. */
  readonly root: Uint8Array;
}

/** Formats the checkpoint as a signed note. The signers must have the name of the log. */
export function signCheckpoint(
  { origin, size, root }: Checkpoint,
  ...signers: readonly [NoteSigner, ...NoteSigner[]]
): string {
  if (signers.some(({ name }) => name !== origin))
    throw new RangeError('A checkpoint is signed under the name of its log.');
  return signNote(`${origin}\n${size}\n${base64.encode(root)}\n`, ...signers);
}

/** Opens a signed note. Returns `undefined` unless it is a checkpoint of the key's log with a valid signature of the key. */
export function openCheckpoint(
  note: string,
  key: { readonly name: string; readonly publicKey: Uint8Array },
): Checkpoint | undefined {
  const text = openNote(note, key);
  // Lines after the root are extensions. A reader ignores them.
  const [origin, decimal, encoded, ...rest] = text?.split('\n') ?? [];
  if (origin !== key.name || decimal === undefined || encoded === undefined || rest.length === 0)
    return undefined;
  const size = /^(0|[1-9]\d*)$/.test(decimal) ? Number(decimal) : undefined;
  const root = base64.decode(encoded);
  if (size === undefined || !Number.isSafeInteger(size) || root?.length !== HASH_LENGTH) return undefined;
  return { origin, size, root };
}

/** C2SP tlog-proof: the index of an entry and its inclusion proof, with the checkpoint that it leads to. */
export function inclusionProofFile(index: number, proof: readonly Uint8Array[], checkpoint: string): string {
  const hashes = proof.map((hash) => `${base64.encode(hash)}\n`).join('');
  return `c2sp.org/tlog-proof@v1\nindex ${index}\n${hashes}\n${checkpoint}`;
}
