import { createHash } from 'node:crypto';

/** A seeded source of randomness (sfc32, Doty-Humphrey's "Small Fast Counting"). The same seed gives the same values. */
export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  readonly #seed: string;

  constructor(seed: string) {
    this.#seed = seed;
    const digest = createHash('sha256').update(seed).digest();
    this.#a = digest.readInt32LE(0);
    this.#b = digest.readInt32LE(4);
    this.#c = digest.readInt32LE(8);
  }

  /** A separate source: the values that one part of the world draws do not change those of the others. */
  fork(name: string): SeededRandom {
    return new SeededRandom(`${this.#seed}/${name}`);
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  readonly next = (): number => {
    const drawn = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + drawn;
    this.#c |= 0;
    return (drawn >>> 0) / 4_294_967_296;
  };

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A number from `from` (inclusive) to `to` (exclusive). */
  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  /** A whole number from `from` to `to`, both inclusive. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** A random time until the next of events that occur every `meanMs` on average. */
  until(meanMs: number): number {
    return -Math.log(1 - this.next()) * meanMs;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)]!;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => Math.floor(this.next() * 256));
  }
}
