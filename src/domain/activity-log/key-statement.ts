import { openNote, parseVerifierKey, unverifiedText } from '../../platform/crypto/index.js';
import type { EventType } from './event-types.js';

/** The entries that change which keys sign a log. */
export const KEY_CHANGES = [
  'signing_key.rotated',
  'signing_key.compromised',
  'signing_key.lost',
] as const satisfies readonly EventType[];
export type KeyChangeType = (typeof KEY_CHANGES)[number];

/** The signed statement of a key change. Keys are C2SP verifier keys, named after the log. */
export type KeyStatement =
  | { readonly type: 'signing_key.rotated'; readonly previous: string; readonly next: string }
  | { readonly type: 'signing_key.compromised'; readonly key: string; readonly fromIndex: number }
  | { readonly type: 'signing_key.lost'; readonly previous: string; readonly next: string };

// The name of a log contains no space, so a statement cannot be mistaken for a checkpoint.
const TITLES: Readonly<Record<KeyChangeType, string>> = {
  'signing_key.rotated': 'lucarne signing key rotation v1',
  'signing_key.compromised': 'lucarne signing key compromise v1',
  'signing_key.lost': 'lucarne signing key loss v1',
};

/** The text of the signed note that states the change: a title, the name of the log, and two lines. */
export function statementText(origin: string, statement: KeyStatement): string {
  const [one, other] =
    statement.type === 'signing_key.compromised'
      ? [statement.key, statement.fromIndex.toString()]
      : [statement.previous, statement.next];
  return `${TITLES[statement.type]}\n${origin}\n${one}\n${other}\n`;
}

/** The statement of a note about the keys of this log, without checking signatures; `undefined` if it has none. */
export function readStatement(note: string, origin: string, type: KeyChangeType): KeyStatement | undefined {
  const text = unverifiedText(note);
  const [, , one = '', other = ''] = text?.split('\n') ?? [];
  const statement: KeyStatement =
    type === 'signing_key.compromised'
      ? { type, key: one, fromIndex: Number(other) }
      : { type, previous: one, next: other };
  if ('fromIndex' in statement && !(Number.isSafeInteger(statement.fromIndex) && statement.fromIndex >= 0))
    return undefined;
  // One comparison covers the title, the log, the spelling of the number and the end.
  return statementText(origin, statement) === text ? statement : undefined;
}

/** Whether the key, a verifier key, signed the note. */
export function isSignedBy(note: string, key: string): boolean {
  const parsed = parseVerifierKey(key);
  return parsed !== undefined && openNote(note, parsed) !== undefined;
}
