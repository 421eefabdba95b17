import { randomUUID } from 'node:crypto';

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
