import type { Address, LedgerSignal } from '../../../platform/ledger/index.js';
import type { FollowedAddress } from './followed-addresses.js';
import { unreachable } from '../../../platform/kernel/unreachable.js';

/** The wait for announced transactions. Most become final within half a minute. */
const ANNOUNCEMENT_MS = 120_000;
/** Accounts without an announcement that one pass reads, in turn. */
const SWEEP_SIZE = 16;

/**
 * The addresses of a mint that must be read. The mint itself always is, because every movement of money names it. An account
 * is read when it is new, when an announced transaction names it, when announcements had a gap, and in turn, because an
 * announcement can be lost.
 */
export class DueAddresses {
  readonly #mint: Address;
  readonly #due = new Set<Address>();
  readonly #announced = new Map<Address, { slot: number; until: number }>();
  readonly #unconfirmed = new Set<Address>();
  #feedBroken = true;
  #sweptUpTo: Address | undefined;

  constructor(mint: Address) {
    this.#mint = mint;
  }

  /** Whether an announced transaction is not finalized yet. */
  get awaitsAnnounced(): boolean {
    return this.#announced.size > 0;
  }

  /** Whether more addresses are due than one pass took. */
  get isBehind(): boolean {
    return this.#due.size > 0;
  }

  add(addresses: Iterable<Address>): void {
    for (const address of addresses) this.#due.add(address);
  }

  /** Announcements begin some time after the request, so these addresses are read again then. */
  addSubscribed(addresses: Iterable<Address>): void {
    for (const address of addresses) this.#unconfirmed.add(address);
  }

  hear(signal: LedgerSignal, followed: ReadonlyMap<Address, FollowedAddress>, now: number): void {
    switch (signal.kind) {
      case 'mention': {
        const slot = Math.max(signal.slot, this.#announced.get(signal.address)?.slot ?? 0);
        this.#announced.set(signal.address, { slot, until: now + ANNOUNCEMENT_MS });
        break;
      }
      case 'disconnected':
        this.#feedBroken = true;
        break;
      case 'connected':
        this.add(this.#feedBroken ? followed.keys() : this.#unconfirmed);
        this.#unconfirmed.clear();
        this.#feedBroken = false;
        break;
      default:
        unreachable(signal);
    }
  }

  /** The next addresses, at most `limit`. They are due again unless {@link done} is called. */
  take(followed: ReadonlyMap<Address, FollowedAddress>, limit: number): readonly Address[] {
    const chosen = new Set<Address>([this.#mint]);
    const choose = (addresses: Iterable<Address>) => {
      for (const address of addresses) {
        if (chosen.size >= limit) return;
        if (followed.has(address)) chosen.add(address);
      }
    };
    choose(this.#announced.keys());
    choose(this.#due);
    choose(this.#nextToSweep(followed));
    this.add(chosen);
    return [...chosen];
  }

  /** `finalizedSlot` is from before the read: everything announced up to that slot was read, or will never be listed. */
  done(addresses: Iterable<Address>, finalizedSlot: number, now: number): void {
    for (const address of addresses) {
      this.#due.delete(address);
      if ((this.#announced.get(address)?.slot ?? Infinity) <= finalizedSlot) this.#announced.delete(address);
    }
    for (const [address, { until }] of this.#announced) {
      if (until <= now) this.#announced.delete(address);
    }
  }

  *#nextToSweep(followed: ReadonlyMap<Address, FollowedAddress>): Generator<Address> {
    const addresses = [...followed.keys()];
    const start = this.#sweptUpTo === undefined ? 0 : addresses.indexOf(this.#sweptUpTo) + 1;
    for (let step = 0; step < Math.min(SWEEP_SIZE, addresses.length); step += 1) {
      const address = addresses[(start + step) % addresses.length];
      if (address === undefined) return;
      this.#sweptUpTo = address;
      yield address;
    }
  }
}
