import { promisify } from 'node:util';
import { inflate } from 'node:zlib';

const inflated = promisify(inflate);

const WOFF_HEADER_BYTES = 44;
const WOFF_ENTRY_BYTES = 20;
const FONT_HEADER_BYTES = 12;
const FONT_ENTRY_BYTES = 16;

/**
 * The OpenType font in a WOFF file (W3C, WOFF 1.0), so that a reader finds a glyph without decompressing the others.
 * Decompresses off the main thread.
 */
export async function unwrapWoff(woff: Buffer): Promise<Buffer> {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('The font is not a WOFF file.');
  const count = woff.readUInt16BE(12);
  const power = Math.floor(Math.log2(count));
  const header = Buffer.alloc(FONT_HEADER_BYTES + FONT_ENTRY_BYTES * count);
  // OpenType 1.9, table directory: version, tables, and three figures for a binary search.
  woff.copy(header, 0, 4, 8);
  header.writeUInt16BE(count, 4);
  header.writeUInt16BE(2 ** power * FONT_ENTRY_BYTES, 6);
  header.writeUInt16BE(power, 8);
  header.writeUInt16BE((count - 2 ** power) * FONT_ENTRY_BYTES, 10);
  const parts: Uint8Array[] = [header];
  let at = header.length;
  for (let index = 0; index < count; index += 1) {
    const from = WOFF_HEADER_BYTES + WOFF_ENTRY_BYTES * index;
    const offset = woff.readUInt32BE(from + 4);
    const stored = woff.subarray(offset, offset + woff.readUInt32BE(from + 8));
    const isStored = stored.length === woff.readUInt32BE(from + 12);
    const whole = isStored ? stored : await inflated(stored);
    const table = woff.toString('latin1', from, from + 4) === 'post' ? withoutGlyphNames(whole) : whole;
    const to = FONT_HEADER_BYTES + FONT_ENTRY_BYTES * index;
    // Tag, checksum, offset, length.
    woff.copy(header, to, from, from + 4);
    woff.copy(header, to + 4, from + 16, from + 20);
    header.writeUInt32BE(at, to + 8);
    header.writeUInt32BE(table.length, to + 12);
    // Tables begin at multiples of four bytes.
    const padding = Buffer.alloc((4 - (table.length % 4)) % 4);
    parts.push(table, padding);
    at += table.length + padding.length;
  }
  return Buffer.concat(parts);
}

const POST_HEADER_BYTES = 32;
const POST_WITHOUT_NAMES = 0x00_03_00_00;

/** The `post` table in version 3.0. Reading 65,000 unused glyph names would block everything else. */
function withoutGlyphNames(post: Uint8Array): Buffer {
  const header = Buffer.from(post.subarray(0, POST_HEADER_BYTES));
  header.writeUInt32BE(POST_WITHOUT_NAMES);
  return header;
}
