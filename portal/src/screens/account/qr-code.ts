/**
 * QR codes (ISO/IEC 18004) of short texts: byte mode, error correction level M, versions 1 to 10. Drawn here because the
 * text of an authenticator holds its secret, which goes to nobody else.
 */

/** Error correction bytes of each block, and the numbers of blocks with a data length each (table 9, level M). */
const VERSIONS: readonly { readonly correction: number; readonly blocks: readonly number[] }[] = [
  { correction: 10, blocks: [16] },
  { correction: 16, blocks: [28] },
  { correction: 26, blocks: [44] },
  { correction: 18, blocks: [32, 32] },
  { correction: 24, blocks: [43, 43] },
  { correction: 16, blocks: [27, 27, 27, 27] },
  { correction: 18, blocks: [31, 31, 31, 31] },
  { correction: 22, blocks: [38, 38, 39, 39] },
  { correction: 22, blocks: [36, 36, 36, 37, 37] },
  { correction: 26, blocks: [43, 43, 43, 43, 44] },
];
const LEVEL_M = 0b00;
const PADDING = [0xec, 0x11];

/** The modules of the code, row by row: true is dark. */
export type QrCode = readonly (readonly boolean[])[];

/** @throws Where the text takes more than 213 bytes. */
export function qrCode(text: string): QrCode {
  const bytes = new TextEncoder().encode(text);
  const version =
    1 + VERSIONS.findIndex(({ blocks }, index) => bytes.length + overhead(index + 1) <= sum(blocks));
  if (version === 0) throw new Error('The text is too long for a QR code.');
  const codewords = interleaved(version, dataCodewords(version, bytes));
  const candidates = MASKS.map((_, mask) => drawn(version, codewords, mask));
  return candidates.reduce((best, code) => (penalty(code) < penalty(best) ? code : best));
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
/** Bits of the byte mode's header: 4, then the length in 8 or 16. */
const overhead = (version: number) => (version < 10 ? 2 : 3);

function dataCodewords(version: number, bytes: Uint8Array): number[] {
  const lengthBits = version < 10 ? 8 : 16;
  const bits = [0b0100, ...Array.from(bytes)];
  const widths = [4, ...Array.from(bytes, () => 8)];
  bits.splice(1, 0, bytes.length);
  widths.splice(1, 0, lengthBits);
  const stream = bits.flatMap((value, index) => bitsOf(value, widths[index]!));
  const size = sum(VERSIONS[version - 1]!.blocks);
  // The terminator, and zeros up to a whole byte.
  stream.push(...Array<number>(Math.min(4, size * 8 - stream.length)).fill(0));
  stream.push(...Array<number>((8 - (stream.length % 8)) % 8).fill(0));
  const words = Array.from({ length: stream.length / 8 }, (_, index) =>
    stream.slice(index * 8, index * 8 + 8).reduce((word, bit) => word * 2 + bit, 0),
  );
  return Array.from({ length: size }, (_, index) => words[index] ?? PADDING[(index - words.length) % 2]!);
}

const bitsOf = (value: number, width: number): number[] =>
  Array.from({ length: width }, (_, index) => (value >> (width - 1 - index)) & 1);

/** The blocks with their error correction, interleaved byte by byte. */
function interleaved(version: number, data: readonly number[]): number[] {
  const { correction, blocks } = VERSIONS[version - 1]!;
  let begin = 0;
  const parts = blocks.map((length) => data.slice(begin, (begin += length)));
  const checks = parts.map((part) => remainder(part, correction));
  const inTurn = (lists: readonly (readonly number[])[]) =>
    Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, index) =>
      lists.flatMap((list) => (index < list.length ? [list[index]!] : [])),
    ).flat();
  return [...inTurn(parts), ...inTurn(checks)];
}

/** In GF(256) with the polynomial x⁸ + x⁴ + x³ + x² + 1. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((b >> bit) & 1) * a;
  }
  return product;
}

/** The error correction bytes of a block: its remainder by the generator of Reed and Solomon. */
function remainder(data: readonly number[], length: number): number[] {
  let generator = [1];
  for (let index = 0, root = 1; index < length; index += 1, root = multiply(root, 2)) {
    generator = [...generator, 0].map(
      (coefficient, place) => coefficient ^ multiply(generator[place - 1] ?? 0, root),
    );
  }
  const rest = Array<number>(length).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift()!;
    rest.push(0);
    rest.forEach((_, place) => (rest[place]! ^= multiply(generator[place + 1]!, factor)));
  }
  return rest;
}

const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

const alignments = (version: number): number[] => {
  if (version === 1) return [];
  const last = version * 4 + 10;
  return version < 7 ? [6, last] : [6, 6 + Math.ceil((last - 6) / 4) * 2, last];
};

/** The modules of the fixed patterns, which hold no data. `undefined` is free. */
function patterns(version: number): (boolean | undefined)[][] {
  const size = version * 4 + 17;
  const code = Array.from({ length: size }, () => Array<boolean | undefined>(size).fill(undefined));
  const set = (row: number, column: number, isDark: boolean) => {
    if (row >= 0 && column >= 0 && row < size && column < size) code[row]![column] = isDark;
  };
  for (let index = 0; index < size; index += 1) {
    set(6, index, index % 2 === 0);
    set(index, 6, index % 2 === 0);
  }
  for (const [top, left] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const) {
    for (let row = -4; row <= 4; row += 1)
      for (let column = -4; column <= 4; column += 1) {
        const ring = Math.max(Math.abs(row), Math.abs(column));
        set(top + row, left + column, ring !== 2 && ring !== 4);
      }
  }
  const places = alignments(version);
  for (const top of places)
    for (const left of places) {
      if (isFinder(top, left, size)) continue;
      for (let row = -2; row <= 2; row += 1)
        for (let column = -2; column <= 2; column += 1)
          set(top + row, left + column, Math.max(Math.abs(row), Math.abs(column)) !== 1);
    }
  if (version >= 7) {
    const bits = version * 4096 + bch(version, 12, 0x1f25);
    for (let index = 0; index < 18; index += 1) {
      const isDark = ((bits >> index) & 1) === 1;
      const [near, far] = [Math.floor(index / 3), size - 11 + (index % 3)];
      set(near, far, isDark);
      set(far, near, isDark);
    }
  }
  drawFormat(code, 0);
  return code;
}

const isFinder = (row: number, column: number, size: number) =>
  (row < 9 && (column < 9 || column > size - 9)) || (row > size - 9 && column < 9);

/** The remainder of a value, shifted by `length` bits, by a generator polynomial. */
function bch(value: number, length: number, generator: number): number {
  let rest = value;
  for (let index = 0; index < length; index += 1) rest = (rest << 1) ^ ((rest >> (length - 1)) * generator);
  return rest;
}

/** The level and the mask, twice. */
function drawFormat(code: (boolean | undefined)[][], mask: number): void {
  const size = code.length;
  const value = (LEVEL_M << 3) | mask;
  const bits = ((value << 10) | bch(value, 10, 0x537)) ^ 0x5412;
  for (let index = 0; index < 15; index += 1) {
    const isDark = ((bits >> index) & 1) === 1;
    const row = index < 6 ? index : index < 8 ? index + 1 : size - 15 + index;
    code[row]![8] = isDark;
    const column = index < 8 ? size - 1 - index : index < 9 ? 7 : 14 - index;
    code[8]![column] = isDark;
  }
  code[size - 8]![8] = true;
}

/** The data modules, in order: pairs of columns from the right, alternating up and down. */
function dataPlaces(free: readonly (readonly (boolean | undefined)[])[]): (readonly [number, number])[] {
  const size = free.length;
  const places: (readonly [number, number])[] = [];
  let goesUp = true;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      const row = goesUp ? size - 1 - step : step;
      for (const column of [right, right - 1])
        if (free[row]![column] === undefined) places.push([row, column]);
    }
    goesUp = !goesUp;
  }
  return places;
}

function drawn(version: number, codewords: readonly number[], mask: number): boolean[][] {
  const code = patterns(version);
  const places = dataPlaces(code);
  const bits = codewords.flatMap((word) => bitsOf(word, 8));
  const isMasked = MASKS[mask]!;
  places.forEach(([row, column], index) => {
    code[row]![column] = (bits[index] === 1) !== isMasked(row, column);
  });
  drawFormat(code, mask);
  return code.map((row) => row.map((isDark) => isDark === true));
}

/** How hard a code is to read (7.8.3): runs, blocks, what looks like a finder, and one color in excess. */
function penalty(code: readonly (readonly boolean[])[]): number {
  const size = code.length;
  const columns = code.map((_, column) => code.map((row) => row[column]!));
  let points = 0;
  for (const line of [...code, ...columns]) {
    const text = line.map((isDark) => (isDark ? '1' : '0')).join('');
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) points += run.length - 2;
    for (let at = 0; at <= size - 11; at += 1)
      if (['10111010000', '00001011101'].includes(text.slice(at, at + 11))) points += 40;
  }
  for (let row = 1; row < size; row += 1)
    for (let column = 1; column < size; column += 1) {
      const isDark = code[row]![column];
      if (
        code[row - 1]![column] === isDark &&
        code[row]![column - 1] === isDark &&
        code[row - 1]![column - 1] === isDark
      )
        points += 3;
    }
  const share = code.flat().filter(Boolean).length / size ** 2;
  return points + Math.floor(Math.abs(share - 0.5) * 20) * 10;
}
