import { invalidMember } from './errors.js';

// PostgreSQL cannot store U+0000 or lone surrogates, neither in text nor in JSON.
const UNSTORABLE = /[\0\p{Cs}]/u;

/** Whether the database can store the text and compare with it. */
export const isStorable = (text: string): boolean => !UNSTORABLE.test(text);

/** Storable text of 1 to `maxLength` characters (code points) that is not only white space. */
export function parseText(member: string, value: unknown, maxLength: number): string {
  const length = typeof value === 'string' ? Array.from(value).length : 0;
  if (typeof value !== 'string' || length > maxLength || value.trim() === '' || !isStorable(value)) {
    throw invalidMember(member, `must be text of 1 to ${maxLength} characters`);
  }
  return value;
}

// Line ends and other control characters would place what follows outside of the name, such as in a letter, and embeddings,
// overrides and isolates would turn the text around it (Unicode Standard Annex 9).
const OUT_OF_PLACE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** {@link parseText} on one line, which shows as it was written wherever it stands. */
export function parseName(member: string, value: unknown, maxLength: number): string {
  const name = parseText(member, value, maxLength);
  if (OUT_OF_PLACE.test(name) || !VISIBLE.test(name))
    throw invalidMember(
      member,
      `must be text of 1 to ${maxLength} characters on one line, without characters that control the display`,
    );
  return name;
}

export function parseOptionalText(member: string, value: unknown, maxLength: number): string | null {
  return value === undefined || value === null ? null : parseText(member, value, maxLength);
}

// Enough for a paragraph. The GraphQL descriptions of reasons state this limit, too.
const MAX_REASON_LENGTH = 2_000;

/** The reason for an action, 1 to 2,000 characters. */
export const parseReason = (value: unknown) => parseText('reason', value, MAX_REASON_LENGTH);

export const parseOptionalReason = (value: unknown) => parseOptionalText('reason', value, MAX_REASON_LENGTH);

/** A whole number from `minimum` to `maximum`. */
export function parseInteger(member: string, value: unknown, minimum: number, maximum: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < minimum || value > maximum) {
    throw invalidMember(member, `must be an integer from ${minimum} to ${maximum}`);
  }
  return value;
}
