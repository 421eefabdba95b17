import {
  ADDEND_UNITS,
  clearingUnits,
  EXACT,
  HALF,
  limbBound,
  MAX_LIMB,
  MAX_MULTIPLE,
  MAX_PRODUCT,
  MAX_QUOTIENT,
  MAX_TOP,
  PRODUCT_UNITS,
  prove,
  UNIT,
  valueOf,
} from './bounds.ts';
import { ConstantTable } from './constant-table.ts';
import { abs, balanced, doubleBits, inverse, LIMB, LIMB_BITS, LIMBS, limbsOf, P } from './numbers.ts';

// Writes `field`: products, sums of products and reductions in F_p and F_p² for the proof kernel, unrolled, each with the proof
// that no step rounds or overflows. docs/proof-kernel.md explains both.

const p = limbsOf(P);
const minusInverse = -balanced(inverse(P, LIMB), LIMB);
/** k·p ≡ −1 (mod 2^51), so that (k·p + 1)/2^51 times a limb clears that limb without a product for the digit. */
const k = minusInverse;
const n = limbsOf((k * P + 1n) / LIMB);
prove((k * P + 1n) % LIMB === 0n, 'k·p ≡ −1 (mod 2^51)');

/**
 * The maximum of the sum of products of a routine and its addend, in units of p. With the amount that clearing adds, it is 2.5
 * minus the errors of the estimate. So quotients are rounded to at most MAX_QUOTIENT, and the remainder is within HALF: one
 * half, plus what the estimate omits (2^-31), plus the roundings of the estimate itself (below 2^-48).
 */
export const BUDGET = MAX_QUOTIENT * UNIT + UNIT / 2n - 4n - clearingUnits(k);
export const UNITS = { product: PRODUCT_UNITS, addend: ADDEND_UNITS };

/** Adding this rounds a product below 2^102 to a multiple of 2^51: sums are in [2^103, 2^104), where one bit is 2^51. */
const ROUND = 3n << 102n;
/** Adding this to a number below 2^51 puts its integer into the low bits: sums are in [2^52, 2^53). */
const OFFSET = 3n << LIMB_BITS;
const [ROUND_BITS, OFFSET_BITS] = [doubleBits(ROUND), doubleBits(OFFSET)];
/** Keeps columns positive, so that a shift is a division that rounds down. Its carry is subtracted from the next column. */
const BIAS = 1n << 62n;

const table = new ConstantTable();
const [P_LIMBS, N_LIMBS] = [p, n].map((limbs) => limbs.map((limb) => table.double(limb))) as [
  string[],
  string[],
];
const MASK = table.load(LIMB - 1n);
const EXPONENT = table.double(1n << 52n);
const DIGIT = table.double((1n << 52n) + MAX_LIMB);
/** 1/p in units of the last limb. Because of two roundings, the relative error is less than 2^-51. */
const INVERSE_TOP = table.double(1 / (Number(P) / 2 ** Number(LIMB_BITS * BigInt(LIMBS - 1))));

/** A product of two limbs, of one lane or of both, and its maximum. */
interface Factors {
  readonly x: (at: number) => string;
  readonly y: (at: number) => string;
}

interface Routine {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly string[];
  /** Σ x·y, lane by lane. */
  readonly products: readonly Factors[];
  /** Statements that come first. */
  readonly before?: readonly string[];
  /** The value that CHECKED requires of the operands: the sum of their m·n. */
  readonly multiples: string;
  /** How often a product in F_p of that sum occurs in a lane. */
  readonly factor: bigint;
  readonly addend?: string;
}

/** The columns of a sum of products, 2^51 apart: their bounds, and the constants that were added with them. */
class Columns {
  readonly lines: string[] = [];
  readonly #started = new Set<number>();
  readonly #excess = Array<bigint>(2 * LIMBS).fill(0n);
  readonly #sums = Array<bigint>(2 * LIMBS).fill(0n);

  /** Adds bits that represent an integer of at most `bound`, plus `excess`. */
  add(column: number, expression: string, bound: bigint, excess = 0n): void {
    this.#excess[column]! += excess;
    this.#sums[column]! += bound;
    const before = this.#started.has(column) ? `t${column}` : `INITIAL_${column}`;
    this.lines.push(
      `  ${this.#started.has(column) ? '' : 'let '}t${column} = i64x2.add(${before}, ${expression});`,
    );
    this.#started.add(column);
  }

  /**
   * Adds x·y, which is at most `bound`, as two exact halves: the nearest multiple of 2^51 to the next column, and the
   * remainder, at most 2^50, to this one. `share` is its part of the sum, if that is known to be less.
   */
  product(column: number, x: string, y: string, bound: bigint, share = bound): void {
    prove(bound <= 1n << 102n, 'a product is at most 2^102');
    this.lines.push(`  y = ${y};`, `  high = f64x2.relaxed_madd(${x}, y, ROUND);`);
    this.add(column + 1, 'high', share / LIMB + 2n, ROUND_BITS);
    this.add(column, `f64x2.relaxed_madd(${x}, y, f64x2.sub(BOTH, high))`, MAX_LIMB, OFFSET_BITS);
  }

  /** Moves the bits above the 51 low bits of a column, rounded to the nearest, to the next. */
  carry(column: number): void {
    const sum = this.sum(column);
    prove(sum + MAX_LIMB < BIAS, `column ${column} is below 2^62 and above −2^62`);
    this.add(column + 1, `i64x2.shr_u(t${column}, ${LIMB_BITS})`, sum / LIMB + 1n, BIAS >> LIMB_BITS);
  }

  /** The 51 low bits of a column as a digit in [−2^50, 2^50). */
  digit(column: number): string {
    return `f64x2.sub(v128.or(v128.and(t${column}, MASK), EXPONENT), DIGIT)`;
  }

  sum(column: number): bigint {
    return this.#sums[column]!;
  }

  /** The initial constants of columns. The last has no bias, and ends as the bits of a double around OFFSET. */
  initial(): string[] {
    const last = 2 * LIMBS - 1;
    return this.#excess.map((excess, column) => {
      const begin = column < last ? BIAS + MAX_LIMB : OFFSET_BITS;
      return `  const INITIAL_${column} = ${table.load(begin - excess)};`;
    });
  }
}

/** The quotient that is nearest to t/p, for a value whose last limb, without carries, is `top`. */
const quotient = (top: string) => `f64x2.neg(f64x2.nearest(f64x2.mul(${top}, ${INVERSE_TOP})))`;

function routine({
  name,
  description,
  parameters,
  products,
  before = [],
  multiples,
  factor,
  addend,
}: Routine): string {
  const columns = new Columns();
  const limb = (limbs: readonly bigint[], at: number) => abs(limbs[at]!);
  // The sum of m·n over all products of a lane.
  const all = MAX_PRODUCT * BigInt(products.length);
  const most = all * PRODUCT_UNITS > BUDGET ? BUDGET / PRODUCT_UNITS : all;
  for (let i = 0; i < LIMBS; i += 1) {
    for (const { x, y } of products) {
      columns.lines.push(`  x = ${x(i)};`);
      for (let j = 0; j < LIMBS; j += 1) {
        const one = limbBound(i) * limbBound(j);
        columns.product(i + j, 'x', y(j), MAX_PRODUCT * one, (most * one) / BigInt(products.length));
      }
    }
  }
  for (let i = 0; i < LIMBS - 1; i += 1) {
    // For the digit m, m + m·k·p is a multiple of 2^51: m·n in the columns from the next one on.
    columns.lines.push(`  m = ${columns.digit(i)};`);
    columns.carry(i);
    for (let j = 0; j < LIMBS; j += 1) columns.product(i + 1 + j, 'm', N_LIMBS[j]!, MAX_LIMB * limb(n, j));
  }
  // The last digit is cleared by a multiple of p itself: n would leave a sixth limb.
  const last = LIMBS - 1;
  columns.lines.push(`  m = ${columns.digit(last)};`);
  columns.carry(last);
  columns.lines.push(
    `  high = f64x2.relaxed_madd(m, ${table.double(minusInverse)}, ROUND);`,
    `  m = f64x2.relaxed_madd(m, ${table.double(minusInverse)}, f64x2.sub(ROUND, high));`,
  );
  // The low half of m·p0 is minus the digit, which is no longer in the carry. Only the high half counts.
  columns.add(
    LIMBS,
    `f64x2.relaxed_madd(m, ${P_LIMBS[0]!}, ROUND)`,
    (MAX_LIMB * limb(p, 0)) / LIMB + 1n,
    ROUND_BITS,
  );
  for (let j = 1; j < LIMBS; j += 1) columns.product(last + j, 'm', P_LIMBS[j]!, MAX_LIMB * limb(p, j));
  if (addend !== undefined) {
    for (let j = 0; j < LIMBS; j += 1)
      columns.add(LIMBS + j, `f64x2.add(v128.load(${addend}, ${16 * j}), OFFSET)`, limbBound(j), OFFSET_BITS);
  }
  const top = 2 * LIMBS - 1;
  // So far without the carries from below, which are at most the divided sums of the columns below.
  prove(columns.sum(top) < LIMB, 'the last column is below 2^51 when the quotient is estimated');
  let below = 0n;
  for (let j = LIMBS; j < top; j += 1) below += columns.sum(j) << (LIMB_BITS * BigInt(j - LIMBS));
  prove(below * UNIT * 2n < P, 'what the estimate of the quotient leaves out is below 2^-31 of p');
  columns.lines.push(`  q = ${quotient('f64x2.sub(i64x2.add(t9, OFFSET), OFFSET)')};`);
  for (let j = 0; j < LIMBS; j += 1) {
    const bound = MAX_QUOTIENT * limb(p, j);
    prove(bound < LIMB, 'q times a limb of p is below 2^51');
    columns.add(LIMBS + j, `f64x2.relaxed_madd(q, ${P_LIMBS[j]!}, OFFSET)`, bound, OFFSET_BITS);
  }
  for (let j = LIMBS; j < top; j += 1) {
    columns.lines.push(`  v128.store(out, ${columns.digit(j)}, ${16 * (j - LIMBS)});`);
    columns.carry(j);
  }
  // The value is within HALF of zero and its other limbs are digits, so this limb is at most MAX_TOP.
  prove(MAX_TOP < LIMB, 'the last limb is below 2^51');
  columns.lines.push(`  v128.store(out, f64x2.sub(t${top}, OFFSET), ${16 * last});`);
  const check =
    addend === undefined
      ? `requireProducts(${multiples}, ${factor})`
      : `requireProductsAndAddend(${multiples}, ${factor}, ${addend})`;
  return [
    `/** ${description} */`,
    `export function ${name}(${['out', ...parameters].map((name) => `${name}: usize`).join(', ')}): void {`,
    `  if (CHECKED) ${check};`,
    ...before.map((line) => `  ${line}`),
    `  const ROUND = ${table.double(ROUND)}, BOTH = ${table.double(ROUND + OFFSET)}, OFFSET = ${table.double(OFFSET)};`,
    `  const MASK = ${MASK}, EXPONENT = ${EXPONENT}, DIGIT = ${DIGIT};`,
    ...columns.initial(),
    '  let x: v128, y: v128, high: v128, m: v128, q: v128;',
    ...columns.lines,
    '  if (CHECKED) setMultiple(out, 1);',
    '}',
  ].join('\n');
}

{
  // m = −2^50 is the only digit for which the low half of m'·p0 could be on either side: it is minus the digit.
  const nearest = (value: bigint) => {
    const rest = balanced(value, LIMB);
    const down = (value - rest) / LIMB;
    // Ties are rounded to even; `balanced` maps them to −2^50.
    return rest === -MAX_LIMB && down % 2n !== 0n ? down - 1n : down;
  };
  const low = (value: bigint) => value - nearest(value) * LIMB;
  prove(low(low(-MAX_LIMB * minusInverse) * p[0]!) === MAX_LIMB, 'the digit −2^50 is cleared, too');
}

const whole = (element: string) => (at: number) => `v128.load(${element}, ${16 * at})`;
const real = (element: string) => (at: number) => `v128.load_splat<u64>(${element}, ${16 * at})`;
const imaginary = (element: string) => (at: number) => `v128.load_splat<u64>(${element}, ${16 * at + 8})`;
const swapped = (element: string) => (at: number) =>
  `v128.shuffle<f64>(${whole(element)(at)}, ${whole(element)(at)}, 1, 0)`;
/** i·a = (−a1, a0) */
const timesI = (element: string) => (at: number) => `v128.xor(${swapped(element)(at)}, SIGN_LOW)`;
const SIGN_LOW = 'const SIGN_LOW = i64x2(i64.MIN_VALUE, 0);';

/** a·b + c·d + … in F_p² = F_p[i]/(i² + 1): a·b0 + (i·a)·b1. */
function sumOfProducts(name: string, pairs: readonly (readonly [string, string])[], addend?: string): string {
  return routine({
    name,
    description: `${pairs.map(([a, b]) => `${a}·${b}`).join(' + ')}${addend ? ` + ${addend}` : ''} in F_p².`,
    parameters: [...pairs.flat(), ...(addend === undefined ? [] : [addend])],
    products: pairs.flatMap(([a, b]) => [
      { x: whole(a), y: real(b) },
      { x: timesI(a), y: imaginary(b) },
    ]),
    before: [SIGN_LOW],
    multiples: pairs.map(([a, b]) => `productOf(${a}, ${b})`).join(' + '),
    factor: 2n,
    ...(addend === undefined ? {} : { addend }),
  });
}

function sumOfLanes(name: string, pairs: readonly (readonly [string, string])[]): string {
  return routine({
    name,
    description: `${pairs.map(([a, b]) => `${a}·${b}`).join(' + ')} in F_p, lane by lane.`,
    parameters: pairs.flat(),
    products: pairs.map(([a, b]) => ({ x: whole(a), y: whole(b) })),
    multiples: pairs.map(([a, b]) => `productOf(${a}, ${b})`).join(' + '),
    factor: 1n,
  });
}

const square = routine({
  name: 'square',
  description: 'a² in F_p²: (a0 + a1)·(a0 − a1), and 2·a0·a1.',
  parameters: ['a'],
  products: [
    {
      x: (at) => `f64x2.add(${real('a')(at)}, ${swapped('a')(at)})`,
      y: (at) => `f64x2.sub(${whole('a')(at)}, v128.and(${imaginary('a')(at)}, LOW))`,
    },
  ],
  before: ['const LOW = i64x2(-1, 0);'],
  // Both factors are sums of two elements.
  multiples: 'squareOf(a)',
  factor: 1n,
});

/** Carries from limb to limb, in order. Every limb is rounded to a multiple of 2^51 and a remainder of at most 2^50. */
function carryAll(bounds: bigint[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < LIMBS - 1; at += 1) {
    prove(bounds[at]! <= EXACT, 'a limb is an exact integer before its carry');
    const carry = bounds[at]! / LIMB + 1n;
    bounds[at] = MAX_LIMB;
    bounds[at + 1]! += carry;
    lines.push(
      `  c = f64x2.sub(f64x2.add(x${at}, ROUND), ROUND); x${at} = f64x2.sub(x${at}, c); ` +
        `x${at + 1} = f64x2.relaxed_madd(c, SCALE, x${at + 1});`,
    );
  }
  prove(bounds[LIMBS - 1]! <= EXACT, 'the last limb is an exact integer');
  return lines;
}

/** Subtracts the nearest multiple of p from a value of at most `units`, whose limbs are at most `bounds`; then carries. */
function reduce(bounds: bigint[], units: bigint): string[] {
  const lines = [`  const q = ${quotient('x4')};`];
  let below = 0n;
  for (let at = 0; at < LIMBS - 1; at += 1) below += bounds[at]! << (LIMB_BITS * BigInt(at));
  prove(below * UNIT * 2n < P, 'what the estimate of the quotient leaves out is below 2^-31 of p');
  const most = (units + 4n + UNIT / 2n) / UNIT;
  for (let at = 0; at < LIMBS; at += 1) {
    bounds[at]! += most * abs(p[at]!);
    prove(bounds[at]! <= EXACT, 'a limb less q times the limb of p is an exact integer');
    lines.push(`  x${at} = f64x2.relaxed_madd(q, ${P_LIMBS[at]!}, x${at});`);
  }
  lines.push(...carryAll(bounds));
  // Now the value is within HALF of zero.
  return [...lines, ...Array.from({ length: LIMBS }, (_, at) => `  v128.store(out, x${at}, ${16 * at});`)];
}

const CARRIES = `  const ROUND = ${table.double(ROUND)}, SCALE = ${table.double(2 ** -51)};`;

function normalize(): string {
  const bounds = Array.from({ length: LIMBS }, (_, at) => MAX_MULTIPLE * limbBound(at));
  const loads = bounds.map((_, at) => `x${at} = ${whole('a')(at)}`);
  return [
    `/** A sum of up to ${MAX_MULTIPLE} elements as one element. */`,
    'export function normalize(out: usize, a: usize): void {',
    `  if (CHECKED) requireMultiple(a, ${MAX_MULTIPLE});`,
    CARRIES,
    `  let ${loads.join(', ')}, c: v128;`,
    ...carryAll(bounds),
    ...reduce(bounds, MAX_MULTIPLE * HALF),
    '  if (CHECKED) setMultiple(out, 1);',
    '}',
  ].join('\n');
}

function multiplyByXi(): string {
  // 8a with carries that are all taken from the original limbs: 8·2^50 plus a carry would not be exact.
  const carry = (8n * MAX_LIMB) / LIMB + 1n;
  prove(8n * MAX_LIMB <= EXACT, '8 times a limb is an exact integer');
  const bounds = Array.from({ length: LIMBS }, (_, at) => {
    const rest = at < LIMBS - 1 ? MAX_LIMB : 8n * MAX_TOP;
    return rest + (at > 0 ? carry : 0n) + 2n * limbBound(at);
  });
  const limbs = bounds.map((_, at) => at);
  return [
    '/** (9 + i)·a, the non-residue that F_p12 is made with: 8a + a + i·a. */',
    'export function multiplyByXi(out: usize, a: usize): void {',
    '  if (CHECKED) requireMultiple(a, 1);',
    CARRIES,
    `  ${SIGN_LOW}`,
    ...limbs.map(
      (at) => `  const a${at} = ${whole('a')(at)}, e${at} = f64x2.mul(a${at}, ${table.double(8n)});`,
    ),
    ...limbs.slice(0, -1).map((at) => `  const c${at} = f64x2.sub(f64x2.add(e${at}, ROUND), ROUND);`),
    ...limbs.map((at) => {
      const rest = at < LIMBS - 1 ? `f64x2.sub(e${at}, c${at})` : `e${at}`;
      const carried = at === 0 ? rest : `f64x2.relaxed_madd(c${at - 1}, SCALE, ${rest})`;
      const others = `f64x2.add(a${at}, v128.xor(v128.shuffle<f64>(a${at}, a${at}, 1, 0), SIGN_LOW))`;
      return `  let x${at} = f64x2.add(${carried}, ${others});`;
    }),
    '  let c: v128;',
    ...reduce(bounds, 10n * HALF),
    '  if (CHECKED) setMultiple(out, 1);',
    '}',
  ].join('\n');
}

prove(valueOf(HALF) < P, 'a reduced value is below p');

/** The source of the module for the compiler. */
export function fieldSource(): string {
  const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'j', 'k', 'l', 'm'].map((letter) => `${letter}_`);
  const pairs = (count: number) =>
    Array.from({ length: count }, (_, at) => [letters[2 * at]!, letters[2 * at + 1]!] as const);
  const routines = [
    sumOfProducts('multiply', pairs(1)),
    square,
    ...[2, 3, 4, 6].map((count) => sumOfProducts(`sumOf${count}`, pairs(count))),
    sumOfProducts('sumOf2Plus', pairs(2), 'addend'),
    sumOfLanes('multiplyLanes', pairs(1)),
    sumOfLanes('sumOf2Lanes', pairs(2)),
    normalize(),
    multiplyByXi(),
  ];
  return [
    "import { CHECKED, productOf, requireMultiple, requireProducts, requireProductsAndAddend, setMultiple, squareOf } from './checked';",
    table.toString(),
    ...routines,
  ].join('\n\n');
}
