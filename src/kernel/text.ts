import { badUserInput } from './errors.js';

// What PostgreSQL cannot store in text or in JSON: U+0000, and surrogates that stand alone.
const UNSTORABLE = /[\0\p{Cs}]/u;

/** Whether the database can hold the text, or compare with it. */
export const isStorable = (text: string): boolean => !UNSTORABLE.test(text);

/**
 * Text of 1 to `longest` characters (code points), with something in it besides white space, and nothing that cannot be
 * stored.
 */
export function parseText(member: string, value: unknown, longest: number): string {
  const length = typeof value === 'string' ? Array.from(value).length : 0;
  if (typeof value !== 'string' || length > longest || value.trim() === '' || !isStorable(value)) {
    throw badUserInput(`${member} must be text of 1 to ${longest} characters.`);
  }
  return value;
}

export function parseOptionalText(member: string, value: unknown, longest: number): string | null {
  return value === undefined || value === null ? null : parseText(member, value, longest);
}
