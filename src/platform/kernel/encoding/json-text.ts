import { randomUUID } from 'node:crypto';
import { PIECE_LENGTH, textPieces } from './json.js';

/** Serialized JSON as a value among others. {@link stringify} inserts its text unchanged. */
export class JsonText {
  constructor(private readonly text: string) {}

  toJSON(): string {
    placed.push(this.text);
    return PLACE;
  }
}

/** A placeholder for a text while the values around it are serialized. It is secret, so input cannot contain it. */
const PLACE = randomUUID();
const placed: string[] = [];

/** `JSON.stringify` that also writes each {@link JsonText}. */
export function stringify(value: object): string {
  placed.length = 0;
  const text = JSON.stringify(value);
  if (placed.length === 0) return text;
  return text.split(`"${PLACE}"`).reduce((before, after, at) => before + (placed[at - 1] ?? '') + after);
}

/** Levels of an answer that are looked through and split. */
const LEVELS = 6;
/** More items than a page has. */
const MAX_ITEMS = 1_000;
/** Lists with more items are pages, whose items are short. */
const MAX_SPLIT_ITEMS = 20;

/** Whether the JSON of a value is so long that writing it at once delays other work: it has a long list or a long string. */
export function isLong(value: unknown, levels = LEVELS): boolean {
  if (typeof value === 'string') return value.length > PIECE_LENGTH;
  if (typeof value !== 'object' || value === null || levels === 0 || 'toJSON' in value) return false;
  if (Array.isArray(value) && value.length > MAX_SPLIT_ITEMS) return value.length > MAX_ITEMS;
  return Object.values(value).some((member) => isLong(member, levels - 1));
}

/** The text of {@link stringify} in short pieces, for work that pauses between them. */
export const jsonPieces = (value: object): Generator<string, void, undefined> =>
  textPieces(value, LEVELS, {
    text: leafText,
    names: (object) =>
      Object.keys(object).filter((name) => isWritten((object as Record<string, unknown>)[name])),
    maxSplitItems: MAX_SPLIT_ITEMS,
  });

/** What JSON has no value for is null in a list, and omitted in an object. */
function leafText(leaf: unknown): string {
  if (typeof leaf === 'object' && leaf !== null) return stringify(leaf);
  return isWritten(leaf) ? JSON.stringify(leaf) : 'null';
}

const isWritten = (value: unknown) =>
  value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
