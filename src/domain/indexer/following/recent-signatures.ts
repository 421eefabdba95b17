import { BoundedMap } from '../../../platform/kernel/bounds/bounded-map.js';
import type { Address, Signature } from '../../../platform/ledger/index.js';

/** The transactions that were recently examined for an address. Only the newest ones are remembered. */
export class RecentSignatures {
  readonly #keys: BoundedMap<string, true>;

  constructor(capacity = 50_000) {
    this.#keys = new BoundedMap(capacity);
  }

  has(address: Address, signature: Signature): boolean {
    return this.#keys.has(`${address}/${signature}`);
  }

  add(address: Address, signature: Signature): void {
    this.#keys.set(`${address}/${signature}`, true);
  }
}
