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
// With them, a name looks like another one: what a display leaves out (Unicode, `Default_Ignorable_Code_Point`), and a blank letter.
const UNSEEN = /[\p{DI}\u2800]/u;
// Where writing needs them: joiners and selectors in scripts whose letters they shape, in emoji, flags and keycaps.
const SHAPING = new RegExp(
  [
    '(?<=[\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Nkoo}\\p{sc=Mong}\\p{sc=Deva}\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Orya}\\p{sc=Taml}' +
      '\\p{sc=Telu}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Tibt}])[\\u200c\\u200d]',
    '(?<=[\\p{ExtPict}\\p{EMod}\\ufe0f])[\\ufe0e\\ufe0f\\u200d]',
    '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
    '(?<=\\u{1f3f4}[\\u{e0020}-\\u{e007e}]*)[\\u{e0020}-\\u{e007f}]',
    '(?<=\\p{sc=Han})[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]',
    '(?<=\\p{sc=Mong})[\\u180b-\\u180f]',
  ].join('|'),
  'gu',
);
// Marks of direction, in a name that is written from right to left.
const RIGHT_TO_LEFT = /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}]/u;
const DIRECTION_MARKS = /[\u061c\u200e\u200f]/gu;

function hidesCharacters(name: string): boolean {
  const shaped = name.replace(SHAPING, '');
  return UNSEEN.test(RIGHT_TO_LEFT.test(name) ? shaped.replace(DIRECTION_MARKS, '') : shaped);
}

/** {@link parseText} on one line, which shows as it was written wherever it stands, and all of it. */
export function parseName(member: string, value: unknown, maxLength: number): string {
  const name = parseText(member, value, maxLength);
  if (OUT_OF_PLACE.test(name) || hidesCharacters(name) || !VISIBLE.test(name))
    throw invalidMember(
      member,
      `must be text of 1 to ${maxLength} characters on one line, without invisible characters or characters that control the display`,
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
