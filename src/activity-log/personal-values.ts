import { sha256 } from '../crypto/index.js';
import { base64, hex } from '../kernel/bytes.js';
import type { JsonObject, JsonValue } from '../kernel/json.js';
import type { Random } from '../kernel/random.js';

/** A value about a person (a name, an e-mail address): it enters the log as a salted digest, so it can be erased. */
export class Personal {
  constructor(readonly value: string) {}
}

export const personal = (value: string) => new Personal(value);

/** JSON in which personal values are marked. */
export type LogValue = string | number | boolean | null | Personal | readonly LogValue[] | LogObject;
export interface LogObject {
  readonly [member: string]: LogValue;
}

/** By JSON pointer (RFC 6901) into the entry: what opens the digest that stands there. `salt` is base64. */
export type Salts = Record<string, { readonly salt: string; readonly value: string }>;

const SALT_LENGTH = 16;

/** Replaces each personal value by `{ "sha256": hex of SHA-256(salt ‖ UTF-8 value) }`. */
export function digestPersonalValues(value: LogObject, random: Random): { entry: JsonObject; salts: Salts } {
  const salts: Salts = {};
  const walk = (current: LogValue, pointer: string): JsonValue => {
    if (current instanceof Personal) {
      const salt = random(SALT_LENGTH);
      salts[pointer] = { salt: base64.encode(salt), value: current.value };
      return { sha256: hex.encode(sha256(salt, new TextEncoder().encode(current.value))) };
    }
    if (Array.isArray(current))
      return current.map((item, index) => walk(item as LogValue, `${pointer}/${index}`));
    if (typeof current === 'object' && current !== null) {
      return Object.fromEntries(
        Object.entries(current as LogObject).map(([name, member]) => [
          name,
          walk(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
        ]),
      );
    }
    return current;
  };
  return { entry: walk(value, '') as JsonObject, salts };
}

/** The entry as its readers see it: digests opened where their salt is still there. */
export function openPersonalValues(entry: JsonObject, salts: Salts): JsonObject {
  const walk = (current: JsonValue, pointer: string): JsonValue => {
    const opened = salts[pointer];
    if (opened) return opened.value;
    if (Array.isArray(current))
      return current.map((item, index) => walk(item as JsonValue, `${pointer}/${index}`));
    if (typeof current === 'object' && current !== null) {
      return Object.fromEntries(
        Object.entries(current as JsonObject).map(([name, member]) => [
          name,
          walk(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
        ]),
      );
    }
    return current;
  };
  return walk(entry, '') as JsonObject;
}

/** The pointers of the salts that open what is said of one person: the `user_id` that encloses a value names whose it is. */
export function pointersOfPerson(entry: JsonObject, salts: Salts, userId: string): string[] {
  return Object.keys(salts).filter((pointer) => {
    let current: JsonValue | undefined = entry;
    let person = memberOf(current, 'user_id');
    for (const token of pointer.split('/').slice(1)) {
      current = memberOf(current, token);
      person = memberOf(current, 'user_id') ?? person;
    }
    return person === userId;
  });
}

function memberOf(value: JsonValue | undefined, token: string): JsonValue | undefined {
  const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as JsonObject)[name];
}
