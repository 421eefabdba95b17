import { doubleBits } from './numbers.ts';

/** Constants of 64 bits, each stored twice, once for each lane. */
export class ConstantTable {
  readonly #words: bigint[] = [];

  load(bits: bigint): string {
    const word = BigInt.asUintN(64, bits);
    const known = this.#words.indexOf(word);
    const at = known >= 0 ? known : this.#words.push(word) - 1;
    return `v128.load(TABLE, ${16 * at})`;
  }

  double(value: bigint | number): string {
    return this.load(doubleBits(value));
  }

  toString(): string {
    const rows = this.#words.map((word) => `  0x${word.toString(16)}, 0x${word.toString(16)},`);
    return `const TABLE: usize = memory.data<u64>([\n${rows.join('\n')}\n], 16);`;
  }
}
