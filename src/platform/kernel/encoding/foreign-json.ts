/** What JSON from outside may cost. */
export interface JsonBounds {
  /** Levels of lists and objects. */
  readonly maxDepth: number;
  /** Lists, objects and values in them; a parsed value takes far more memory than its text. */
  readonly maxValues: number;
}

export const DEFAULT_JSON_BOUNDS: JsonBounds = { maxDepth: 64, maxValues: 100_000 };

/** The text would cost more than it may. It was not parsed. */
export class JsonOutOfBounds extends SyntaxError {
  override readonly name = 'JsonOutOfBounds';
}

/**
 * Parses JSON that others wrote, once its text shows that the value is neither too deep nor too large. The caller bounds
 * the length of the text.
 * @throws {SyntaxError}
 */
export function parseForeignJson(text: string, bounds: Partial<JsonBounds> = {}): unknown {
  requireJsonBounds(text, bounds);
  return JSON.parse(text);
}

/**
 * Reads the text once and builds nothing.
 * @throws {JsonOutOfBounds}
 */
export function requireJsonBounds(text: string, bounds: Partial<JsonBounds> = {}): void {
  const { maxDepth, maxValues } = { ...DEFAULT_JSON_BOUNDS, ...bounds };
  // A value takes at least two characters, itself and what separates it, and a level takes at least one.
  if (text.length <= maxDepth && text.length <= 2 * maxValues) return;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1;
        values += 1;
        if (depth > maxDepth)
          throw new JsonOutOfBounds(`The JSON is nested more than ${maxDepth} levels deep.`);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
        break;
      default:
        continue;
    }
    if (values > maxValues) throw new JsonOutOfBounds(`The JSON has more than ${maxValues} values.`);
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;

/** The position of the closing quote, or the end of the text where there is none. */
export function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    // An even number of backslashes escape each other, not the quote.
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

/** A body is longer than it may be. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong';
}

/**
 * The whole body of an answer as UTF-8 text. What is too long is not read to its end. `take` is asked for the bytes of
 * each piece, and nothing more is read before it answers.
 * @throws {BodyTooLong}
 */
export async function readBoundedText(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
  take: (bytes: number) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  // Decoded as it comes, so that no piece is held twice.
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  // Leaving the loop cancels the rest.
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > maxBytes) throw new BodyTooLong(`The answer has more than ${maxBytes} bytes.`);
    await take(piece.length);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
