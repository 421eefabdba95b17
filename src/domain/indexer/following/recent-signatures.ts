import type { Address, Signature } from '../../../platform/ledger/index.js';

/** The transactions that were recently examined for an address. Only the newest ones are remembered. */
export class RecentSignatures {
  readonly #capacity: number;
  readonly #keys = new Set<string>();

  constructor(capacity = 50_000) {
    this.#capacity = capacity;
  }

  has(address: Address, signature: Signature): boolean {
    return this.#keys.has(`${address}/${signature}`);
  }

  add(address: Address, signature: Signature): void {
    const key = `${address}/${signature}`;
    this.#keys.delete(key);
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > this.#capacity && oldest !== undefined) this.#keys.delete(oldest);
  }
}
