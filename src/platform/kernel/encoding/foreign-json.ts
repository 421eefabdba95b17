/** The limits for JSON from outside. */
export interface JsonBounds {
  /** Levels of lists and objects. */
  readonly maxDepth: number;
  /** Number of lists, objects and values in them. A parsed value takes far more memory than its text. */
  readonly maxValues: number;
}

export const DEFAULT_JSON_BOUNDS: JsonBounds = { maxDepth: 64, maxValues: 100_000 };

/** The text exceeds a limit. It was not parsed. */
export class JsonOutOfBounds extends SyntaxError {
  override readonly name = 'JsonOutOfBounds';
}

/**
 * Parses JSON from others, after checking in the text that the value is neither too deep nor too large. The caller limits the
 * length of the text.
 * @throws {SyntaxError}
 */
export function parseForeignJson(text: string, bounds: Partial<JsonBounds> = {}): unknown {
  requireJsonBounds(text, bounds);
  return JSON.parse(text);
}

/**
 * Checks the limits in one pass over the text, without building a value.
 * @throws {JsonOutOfBounds}
 */
export function requireJsonBounds(text: string, bounds: Partial<JsonBounds> = {}): void {
  new JsonMeter(bounds).read(new TextEncoder().encode(text));
}

/** Counts the levels and values of JSON while its bytes arrive in chunks. */
class JsonMeter {
  private readonly bounds: JsonBounds;
  private depth = 0;
  private values = 1;
  private isInString = false;
  /** Whether the last byte escapes the next one. */
  private isEscaped = false;

  constructor(bounds: Partial<JsonBounds>) {
    this.bounds = { ...DEFAULT_JSON_BOUNDS, ...bounds };
  }

  /** @throws {JsonOutOfBounds} */
  read(bytes: Uint8Array): void {
    const { maxDepth, maxValues } = this.bounds;
    let { depth, values } = this;
    for (let at = this.isInString ? this.skipString(bytes, 0) : 0; at < bytes.length; at += 1) {
      // A byte of a longer UTF-8 sequence never equals one of these.
      switch (bytes[at]!) {
        case QUOTE:
          this.isInString = true;
          at = this.skipString(bytes, at + 1) - 1;
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
    this.depth = depth;
    this.values = values;
  }

  /** The position after the string that contains `begin`, or the end of the bytes if the string continues. */
  private skipString(bytes: Uint8Array, begin: number): number {
    for (let at = begin; at < bytes.length; at += 1) {
      if (this.isEscaped) this.isEscaped = false;
      else if (bytes[at] === BACKSLASH) this.isEscaped = true;
      else if (bytes[at] === QUOTE) {
        this.isInString = false;
        return at + 1;
      }
    }
    return bytes.length;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;

/** The position of the closing quote, or the end of the text if there is none. */
export function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    // An even number of backslashes escape each other, not the quote.
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

/** A body exceeds its maximum length. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong';
}

/** The limits for a JSON body. */
export interface BodyBounds extends Partial<JsonBounds> {
  readonly maxBytes: number;
}

/**
 * Reads the text of a JSON body. Limits are checked as chunks arrive, and the rest of a body that is too long, deep or large is
 * not read. `take` is called with the size of each chunk, and reading continues when it resolves. Chunks are consumed: one that
 * fills its buffer is empty afterwards.
 * @throws {BodyTooLong}
 * @throws {JsonOutOfBounds}
 */
export async function readJsonText(
  body: AsyncIterable<Uint8Array> | null,
  { maxBytes, ...bounds }: BodyBounds,
  take: (bytes: number) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const meter = new JsonMeter(bounds);
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    // Leaving the loop cancels the rest.
    for await (const piece of body ?? []) {
      pieces.push(piece);
      size += piece.length;
      if (size > maxBytes) throw new BodyTooLong(`The answer has more than ${maxBytes} bytes.`);
      meter.read(piece);
      await take(piece.length);
    }
    // Decoded only after the checks: most of the memory of a refused answer would be its text.
    const decoder = new TextDecoder();
    return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
  } finally {
    pieces.forEach(release);
  }
}

/** Frees bytes without other references. Otherwise, the garbage collector would let tens of MiB accumulate first. */
function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
