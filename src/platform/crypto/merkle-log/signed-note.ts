import { base64, concatBytes, equalBytes } from '../../kernel/encoding/bytes.js';
import { noteKeyId, verify } from '../signing.js';

/** Signs notes: the name and key of a verifier key, and a function that signs. */
export interface NoteSigner {
  readonly name: string;
  /** 32 bytes, Ed25519. */
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

const KEY_ID_LENGTH = 4;
/** Longer notes are refused without reading them. A checkpoint with many witnesses has a few kilobytes. */
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
 * Opens a signed note. Returns its text, or `undefined` unless it is well formed and has a valid signature of this key.
 * Signatures of other keys, such as those of witnesses, are ignored.
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

/** The text of a note without checking signatures; `undefined` unless it is well formed. */
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
  // The last empty line, because the text itself may contain empty lines.
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

// No control characters except the newline. A lone surrogate cannot be encoded as UTF-8.
const isNoteText = (text: string) => text.endsWith('\n') && !/[^\P{Cc}\n]|\p{Surrogate}/u.test(text);
