import { keyPairSigner, type RelaySigner, signerOf } from '#lucarne/domain/relays/payers/relay-signer.js';
import { signingPublicKey } from '#lucarne/platform/crypto/index.js';
import { hex } from '#lucarne/platform/kernel/encoding/bytes.js';
import { unavailable } from '#lucarne/platform/kernel/errors.js';
import { retried } from '#lucarne/platform/keys/retried.js';
import type { Address } from '#lucarne/platform/ledger/index.js';

/** As in the product: the default of `LUCARNE_RELAY_RESERVE_LAMPORTS`. */
export const RESERVE_LAMPORTS = 50_000_000;
/** As the product's clients of key stores wait for one answer. */
const STORE_TIMEOUT_MS = 5_000;
const STORE = { store: 'The simulated key store', timeoutMs: STORE_TIMEOUT_MS };

/** An account that pays. Its key is in a store that can be away, and its balance can fall below its reserve. */
export class Payer {
  readonly address: Address;
  /** In hex. */
  readonly publicKey: string;
  readonly signer: RelaySigner;
  isRetiring = false;
  /** Since when it is so, in ms of simulated time; `Infinity`: it is not. */
  awaySince = Infinity;
  poorSince = Infinity;
  /** Until when it was so. */
  awayUntil = -Infinity;
  poorUntil = -Infinity;
  #isStoreSilent = false;

  constructor(seedByte: number) {
    const seed = new Uint8Array(32).fill(seedByte);
    const publicKey = signingPublicKey(seed);
    const key = keyPairSigner(Uint8Array.from([...seed, ...publicKey]));
    this.address = key.address;
    this.publicKey = hex.encode(publicKey);
    // As the product's own stores: attempts that are repeated, each with a deadline.
    this.signer = signerOf({
      publicKey,
      sign: (message) =>
        retried(STORE, async () => {
          await new Promise((resolve) => setTimeout(resolve, 5 + 30 * Math.random()));
          if (this.#isAway && this.#isStoreSilent) await new Promise(() => undefined);
          if (this.#isAway) throw unavailable('The simulated key store is away.');
          return key.sign(message);
        }),
    });
  }

  get #isAway(): boolean {
    return this.awaySince !== Infinity;
  }

  /** Its store refuses, or says nothing. */
  loseStore(now: number, isSilent: boolean): void {
    this.#isStoreSilent = isSilent;
    this.awaySince = Math.min(this.awaySince, now);
  }

  findStore(now: number): void {
    if (this.#isAway) this.awayUntil = now;
    this.awaySince = Infinity;
  }

  becomePoor(now: number): void {
    this.poorSince = Math.min(this.poorSince, now);
  }

  becomeRich(now: number): void {
    if (this.poorSince !== Infinity) this.poorUntil = now;
    this.poorSince = Infinity;
  }

  /** It had its key and its reserve, and signed, all the time since then. */
  wasAbleSince(time: number): boolean {
    return (
      !this.isRetiring && this.awaySince === Infinity && this.awayUntil < time && this.wasRichSince(time)
    );
  }

  wasRichSince(time: number): boolean {
    return this.poorSince === Infinity && this.poorUntil < time;
  }
}
