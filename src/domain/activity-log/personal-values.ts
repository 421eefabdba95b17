import { sha256 } from '../../platform/crypto/index.js';
import { base64, hex } from '../../platform/kernel/encoding/bytes.js';
import type { JsonObject, JsonValue } from '../../platform/kernel/encoding/json.js';
import type { Random } from '../../platform/kernel/random.js';

/** A value about a person (a name, an e-mail address). The log holds its salted digest, so that it can be erased. */
export class Personal {
  constructor(readonly value: string) {}
}

export const personal = (value: string) => new Personal(value);

/** JSON in which personal values are marked. */
export type LogValue = string | number | boolean | null | Personal | readonly LogValue[] | LogObject;
export interface LogObject {
  readonly [member: string]: LogValue;
}

/** The value and the base64 salt of each digest, by JSON pointer (RFC 6901) into the entry. */
export type Salts = Record<string, { readonly salt: string; readonly value: string }>;

/** The only length of a salt. With a variable length, bytes could move between salt and value without changing the digest. */
export const SALT_BYTES = 16;

/** Replaces each personal value by `{ "sha256": hex of SHA-256(salt ‖ UTF-8 value) }`. */
export function digestPersonalValues(value: LogObject, random: Random): { entry: JsonObject; salts: Salts } {
  const salts: Salts = {};
  const walk = (current: LogValue, pointer: string): JsonValue => {
    if (current instanceof Personal) {
      const salt = random(SALT_BYTES);
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

/** The entry with each personal value in place of its digest, unless it was erased. */
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

/** The pointers of the values that were not logged: their digest differs or does not exist. */
export function pointersOfOtherValues(entry: JsonObject, salts: Salts): string[] {
  return Object.entries(salts).flatMap(([pointer, { salt, value }]) => {
    const digest = pointer.split('/').slice(1).reduce<JsonValue | undefined>(memberOf, entry);
    const bytes = base64.decode(salt);
    const isLogged =
      bytes?.length === SALT_BYTES &&
      memberOf(digest, 'sha256') === hex.encode(sha256(bytes, new TextEncoder().encode(value)));
    return isLogged ? [] : [pointer];
  });
}

/**
 * The pointers of one person's values. `ids` are the ids of the person: of the user, and of invitations before they were
 * accepted. A value belongs to the nearest enclosing `user_id`. An object with an `invitation_id` and no `user_id` is about the
 * invited person, and never about the actor, whose `user_id` encloses it.
 */
export function pointersOfPerson(entry: JsonObject, salts: Salts, ids: ReadonlySet<string>): string[] {
  return Object.keys(salts).filter((pointer) => {
    let current: JsonValue | undefined = entry;
    let person = personOf(current);
    for (const token of pointer.split('/').slice(1)) {
      current = memberOf(current, token);
      person = personOf(current) ?? person;
    }
    return typeof person === 'string' && ids.has(person);
  });
}

const personOf = (value: JsonValue | undefined) =>
  memberOf(value, 'user_id') ?? memberOf(value, 'invitation_id');

function memberOf(value: JsonValue | undefined, token: string): JsonValue | undefined {
  const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as JsonObject)[name];
}
