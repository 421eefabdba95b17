import { ed25519, ristretto255 } from '@noble/curves/ed25519.js';
import { CosetTable } from './coset-table.js';
import type { RistrettoPoint } from './elgamal.js';

/**
 * Discrete logarithms of small values in ristretto255: the x of x·G, below 2^bits. Baby-step giant-step (Shanks) on an
 * invariant of the ristretto coset. In affine Edwards coordinates, t = x·y is the same, up to sign, for all points with the
 * same encoding and for their negatives; and with s = x² + y²,
 *
 *   t(P ± Q) = (t_P·s_Q ± t_Q·s_P) / (1 − d²·t_P²·t_Q²),
 *
 * so one division serves two giant steps, and one inversion serves a batch of them (Montgomery's trick). The search takes
 * variable time: its duration reveals roughly how large the value is, but nothing about a key.
 */
export interface DiscreteLogarithm {
  /**
   * The x with x·G = point and 0 ≤ x < 2^bits, for bits of 1 to 32. Returns `undefined` if there is none, after at most
   * 1.07·2^bits / (4·babySteps) pairs of steps. Smaller values are found sooner.
   */
  solve(point: RistrettoPoint, bits: number): bigint | undefined;
  /** The size of the table of baby steps, in bytes. */
  readonly tableBytes: number;
}

const Edwards = ed25519.Point;
const Ristretto = ristretto255.Point;
type EdwardsPoint = InstanceType<typeof Edwards>;

const FIELD = Edwards.Fp.ORDER;
const D_SQUARED = (Edwards.CURVE().d * Edwards.CURVE().d) % FIELD;
const MAX_BITS = 32;

/** Each stage of a search is this many bits wider than the previous one: a larger value costs 1/16 more because of it. */
const STAGE_BITS = 4;
/** If the giant walk has fewer cells than this, a separate stage costs more than it saves. */
const MIN_STAGE = 16;

/** A number of baby steps that balances the time to build and the time to search. */
const DEFAULT_BABY_STEPS = 2 ** 17;

/** Builds the tables, once for each thread. `babySteps` is 2^4 to 2^18; see `DEFAULT_BABY_STEPS`. */
export function createDiscreteLogarithm(babySteps = DEFAULT_BABY_STEPS): DiscreteLogarithm {
  if (babySteps < 2 ** 4 || babySteps > 2 ** 18) throw new RangeError('Baby steps are 2^4 to 2^18.');
  const table = buildTable(babySteps);
  const stride = 2 * babySteps - 1;
  const giantSteps = new StepTable(Edwards.BASE.multiply(BigInt(stride)));

  /** Searches [0, 2^bits) outwards from its middle: each pair of steps checks both sides. */
  function searchStage(
    point: EdwardsPoint,
    bits: number,
    accept: (x: number) => boolean,
  ): number | undefined {
    const centre = 2 ** (bits - 1);
    const anchor = invariantsOf(point.subtract(Edwards.BASE.multiplyUnsafe(BigInt(centre))));
    const last = Math.ceil((centre - babySteps + 1) / stride);
    giantSteps.extendTo(last);

    for (let from = 0; from <= last; from += BATCH) {
      const to = Math.min(from + BATCH, last + 1);
      let found: number | undefined;
      pairSums(anchor, giantSteps, from, to, (step, sum, difference) => {
        // anchor ± step·stride·G = ±j·G, where the table contains j but not its sign.
        for (const j of table.get(sum)) found ??= firstAccepted(centre - step * stride, j, accept);
        for (const j of table.get(difference)) found ??= firstAccepted(centre + step * stride, j, accept);
      });
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return {
    tableBytes: table.byteLength,

    solve(point, bits) {
      if (!Number.isInteger(bits) || bits < 1 || bits > MAX_BITS) throw new RangeError('Bits are 1 to 32.');
      const bound = 2 ** bits;
      const accept = (x: number) =>
        x >= 0 && x < bound && Ristretto.BASE.multiplyUnsafe(BigInt(x)).equals(point);

      const edwards = Edwards.fromAffine(point.toAffine());
      for (const j of table.get(even(invariantsOf(edwards).t))) if (accept(j)) return BigInt(j);
      for (const stage of stagesOf(bits, babySteps)) {
        const found = searchStage(edwards, stage, accept);
        if (found !== undefined) return BigInt(found);
      }
      return undefined;
    },
  };
}

function firstAccepted(middle: number, j: number, accept: (x: number) => boolean): number | undefined {
  if (accept(middle + j)) return middle + j;
  return accept(middle - j) ? middle - j : undefined;
}

/** The bit widths of the successive searches, narrowest first, if the baby steps alone do not suffice. */
function stagesOf(bits: number, babySteps: number): number[] {
  if (2 ** bits <= babySteps) return [];
  const stages = [bits];
  for (let width = bits - STAGE_BITS; 2 ** width >= MIN_STAGE * 2 * babySteps; width -= STAGE_BITS) {
    stages.unshift(width);
  }
  return stages;
}

/** The t and s of a point. Their signs belong together: (−t, s) is the negative point, (−t, −s) an equal one. */
interface Invariants {
  readonly t: bigint;
  readonly s: bigint;
}

function invariantsOf(point: EdwardsPoint): Invariants {
  const { x, y } = point.toAffine();
  return { t: (x * y) % FIELD, s: (x * x + y * y) % FIELD };
}

/** The one of ±element that represents both in the table. */
const even = (element: bigint) => (element & 1n ? FIELD - element : element);

/** The invariants of 0·Q, 1·Q, 2·Q, … in the form of the formula, computed when needed. */
class StepTable {
  readonly t: bigint[] = [];
  readonly s: bigint[] = [];
  /** d²·t². */
  readonly w: bigint[] = [];
  readonly #unit: EdwardsPoint;
  #next: EdwardsPoint = Edwards.ZERO;

  constructor(unit: EdwardsPoint) {
    this.#unit = unit;
  }

  extendTo(last: number): void {
    while (this.t.length <= last) {
      const points: EdwardsPoint[] = [];
      for (let count = Math.min(last + 1 - this.t.length, 4096); count > 0; count -= 1) {
        points.push(this.#next);
        this.#next = this.#next.add(this.#unit);
      }
      const inverses = invertAll(points.map((point) => point.Z));
      for (const [index, { X, Y }] of points.entries()) {
        const inverse = inverses[index]!;
        const x = (X * inverse) % FIELD;
        const y = (Y * inverse) % FIELD;
        const t = (x * y) % FIELD;
        this.t.push(t);
        this.s.push((x * x + y * y) % FIELD);
        this.w.push((((t * t) % FIELD) * D_SQUARED) % FIELD);
      }
    }
  }
}

/** Maximum number of pairs that share an inversion. One more pair costs 3 multiplications; an inversion costs about 250. */
const BATCH = 512;

/** For each step k of [from, to), visits the even representatives of ±t(A + k·Q) and ±t(A − k·Q), for the table of Q. */
function pairSums(
  anchor: Invariants,
  steps: StepTable,
  from: number,
  to: number,
  visit: (step: number, sum: bigint, difference: bigint) => void,
): void {
  const { t, s } = anchor;
  const tSquared = (t * t) % FIELD;
  const denominators: bigint[] = [];
  for (let step = from; step < to; step += 1) {
    // Never zero: d is not a square, so the addition law is complete.
    denominators.push(1n - ((tSquared * steps.w[step]!) % FIELD) + FIELD);
  }
  const inverses = invertAll(denominators);
  for (let step = from; step < to; step += 1) {
    const inverse = inverses[step - from]!;
    const u = t * steps.s[step]!;
    const v = steps.t[step]! * s;
    const left = ((u % FIELD) * inverse) % FIELD;
    const right = ((v % FIELD) * inverse) % FIELD;
    const sum = left + right;
    const difference = left - right;
    visit(
      step,
      even(sum >= FIELD ? sum - FIELD : sum),
      even(difference < 0n ? difference + FIELD : difference),
    );
  }
}

/** Inverts non-zero elements with one inversion (Montgomery's trick). */
function invertAll(elements: readonly bigint[]): bigint[] {
  const inverses: bigint[] = [];
  let product = 1n;
  for (const element of elements) {
    inverses.push(product);
    product = (product * element) % FIELD;
  }
  let inverse = Edwards.Fp.inv(product);
  for (let index = elements.length - 1; index >= 0; index -= 1) {
    inverses[index] = (inverses[index]! * inverse) % FIELD;
    inverse = (inverse * elements[index]!) % FIELD;
  }
  return inverses;
}

/** Maps t(j·G) to j, for 0 ≤ j < babySteps. Built in pairs, too, around anchors at a distance of two reaches. */
function buildTable(babySteps: number): CosetTable {
  const table = new CosetTable(babySteps);
  const reach = BATCH - 1;
  const unit = new StepTable(Edwards.BASE);
  unit.extendTo(reach);
  for (let j = 0; j <= Math.min(reach, babySteps - 1); j += 1) table.put(even(unit.t[j]!), j);

  const spacing = 2 * reach + 1;
  const stride = Edwards.BASE.multiplyUnsafe(BigInt(spacing));
  let anchor = stride;
  for (let middle = spacing; middle - reach < babySteps; middle += spacing) {
    pairSums(invariantsOf(anchor), unit, 0, BATCH, (step, sum, difference) => {
      if (middle + step < babySteps) table.put(sum, middle + step);
      if (step > 0 && middle - step < babySteps) table.put(difference, middle - step);
    });
    anchor = anchor.add(stride);
  }
  return table;
}
