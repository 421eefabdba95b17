/**
 * The baby steps of a discrete-logarithm search. It maps the fingerprint of a field element to a small integer, in an
 * open-addressed table with 8 bytes per slot, half full. A fingerprint has 32 bits in addition to the slot number, so a look-up
 * can return a wrong integer. The search verifies every candidate.
 */
export class CosetTable {
  readonly #fingerprints: Uint32Array;
  readonly #values: Int32Array;
  readonly #mask: number;

  /** A table for `capacity` entries, at most 2^19. */
  constructor(capacity: number) {
    const slots = 2 ** Math.ceil(Math.log2(2 * capacity));
    if (slots > 2 ** 20) throw new RangeError('A coset table has at most 2^19 entries.');
    this.#fingerprints = new Uint32Array(slots);
    this.#values = new Int32Array(slots).fill(EMPTY);
    this.#mask = slots - 1;
  }

  get byteLength(): number {
    return this.#fingerprints.byteLength + this.#values.byteLength;
  }

  put(element: bigint, value: number): void {
    const bits = Number(BigInt.asUintN(FINGERPRINT_BITS, element >> 1n));
    let slot = Math.floor(bits / 2 ** 32) & this.#mask;
    while (this.#values[slot] !== EMPTY) slot = (slot + 1) & this.#mask;
    this.#fingerprints[slot] = bits;
    this.#values[slot] = value;
  }

  /** The integers for the element's fingerprint: its own, if there is one, and occasionally one of another element. */
  get(element: bigint): readonly number[] {
    const bits = Number(BigInt.asUintN(FINGERPRINT_BITS, element >> 1n));
    const fingerprint = bits >>> 0;
    let found = NONE;
    for (let slot = Math.floor(bits / 2 ** 32) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const value = this.#values[slot]!;
      if (value === EMPTY) return found;
      if (this.#fingerprints[slot] === fingerprint) found = [...found, value];
    }
  }
}

const EMPTY = -1;
const NONE: readonly number[] = [];

// 32 bits of fingerprint and 20 of the slot, without the lowest bit, which is always 0 because representatives are even.
const FINGERPRINT_BITS = 52;
