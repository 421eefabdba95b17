import { base64, concatBytes, equalBytes } from '../../kernel/encoding/bytes.js';
import { noteKeyId, verify } from '../signing.js';

/** Who signs a note: the name and key that a verifier key tells, and the way to sign under it. */
export interface NoteSigner {
  readonly name: string;
  /** 32 bytes, Ed25519. */
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

const KEY_ID_LENGTH = 4;
/** Longer notes are refused unread: a checkpoint with many witnesses has a few kilobytes. */
const MAX_NOTE_LENGTH = 1_000_000;

/** C2SP signed-note: the text, an empty line, and a line for each signature. The text ends with a newline. */
export function signNote(text: string, ...signers: readonly [NoteSigner, ...NoteSigner[]]): string {
  if (!isNoteText(text))
    throw new RangeError('A note is text without control characters that ends its line.');
  const message = new TextEncoder().encode(text);
  const signatures = signers.map((signer) => {
    const signature = concatBytes(noteKeyId(signer.name, signer.publicKey), signer.sign(message));
    return `— ${signer.name} ${base64.encode(signature)}\n`;
  });
  return `${text}\n${signatures.join('')}`;
}

/**
 * The text of a signed note, or `undefined` unless it is well formed and carries a signature of this key that holds.
 * Signatures of others, such as witnesses, are passed over.
 */
export function openNote(
  note: string,
  key: { readonly name: string; readonly publicKey: Uint8Array },
): string | undefined {
  const parts = parseNote(note);
  if (!parts) return undefined;
  const keyId = noteKeyId(key.name, key.publicKey);
  const ours = parts.signatures.filter(({ name, id }) => name === key.name && equalBytes(id, keyId));
  const message = new TextEncoder().encode(parts.text);
  const holds = ours.length > 0 && ours.every(({ signature }) => verify(key.publicKey, message, signature));
  return holds ? parts.text : undefined;
}

/** The text of a note that nobody vouches for yet; `undefined` unless it is well formed. */
export const unverifiedText = (note: string): string | undefined => parseNote(note)?.text;

interface NoteParts {
  readonly text: string;
  readonly signatures: readonly {
    readonly name: string;
    readonly id: Uint8Array;
    readonly signature: Uint8Array;
  }[];
}

function parseNote(note: string): NoteParts | undefined {
  if (note.length > MAX_NOTE_LENGTH || !isNoteText(note)) return undefined;
  // The last empty line: the text itself may contain empty lines.
  const end = note.lastIndexOf('\n\n');
  if (end < 0) return undefined;
  const lines = note.slice(end + 2, -1).split('\n');
  const signatures = lines.map((line) => {
    const [, name, encoded] = /^— ([^\s+]+) (\S+)$/u.exec(line) ?? [];
    const bytes = encoded === undefined ? undefined : base64.decode(encoded);
    if (name === undefined || !bytes || bytes.length <= KEY_ID_LENGTH) return undefined;
    return { name, id: bytes.slice(0, KEY_ID_LENGTH), signature: bytes.slice(KEY_ID_LENGTH) };
  });
  if (!signatures.every((signature) => signature !== undefined)) return undefined;
  return { text: note.slice(0, end + 1), signatures };
}

// No control characters but the newline; a lone surrogate has no UTF-8.
const isNoteText = (text: string) => text.endsWith('\n') && !/[^\P{Cc}\n]|\p{Surrogate}/u.test(text);
