import { keyPairSigner, type RelaySigner, signerOf } from '#lucarne/domain/relays/payers/relay-signer.js';
import { signingPublicKey } from '#lucarne/platform/crypto/index.js';
import { hex } from '#lucarne/platform/kernel/encoding/bytes.js';
import { unavailable } from '#lucarne/platform/kernel/errors.js';
import { retried } from '#lucarne/platform/keys/retried.js';
import type { Address } from '#lucarne/platform/ledger/index.js';

/** The product's default of `LUCARNE_RELAY_RESERVE_LAMPORTS`. */
export const RESERVE_LAMPORTS = 50_000_000;
/** How long the product's clients of key stores wait for one answer. */
const STORE_TIMEOUT_MS = 5_000;
const STORE = { store: 'The simulated key store', timeoutMs: STORE_TIMEOUT_MS };

/** An account that pays. Its key is in a store that can be unavailable, and its balance can fall below its reserve. */
export class Payer {
  readonly address: Address;
  /** In hex. */
  readonly publicKey: string;
  readonly signer: RelaySigner;
  isRetiring = false;
  /** When the store became unavailable, in ms of simulated time; `Infinity` while it is available. */
  awaySince = Infinity;
  poorSince = Infinity;
  /** When the store last became available again. */
  awayUntil = -Infinity;
  poorUntil = -Infinity;
  #isStoreSilent = false;

  constructor(seedByte: number) {
    const seed = new Uint8Array(32).fill(seedByte);
    const publicKey = signingPublicKey(seed);
    const key = keyPairSigner(Uint8Array.from([...seed, ...publicKey]));
    this.address = key.address;
    this.publicKey = hex.encode(publicKey);
    // Like the product's stores: repeats attempts, each with a deadline.
    this.signer = signerOf({
      publicKey,
      sign: (message) =>
        retried(STORE, async () => {
          await new Promise((resolve) => setTimeout(resolve, 5 + 30 * Math.random()));
          if (this.#isAway && this.#isStoreSilent) await new Promise(() => undefined);
          if (this.#isAway) throw unavailable('The simulated key store is unavailable.');
          return key.sign(message);
        }),
    });
  }

  get #isAway(): boolean {
    return this.awaySince !== Infinity;
  }

  /** Makes its store refuse, or not answer. */
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

  /** Whether it had its key and its reserve, and was able to sign, since this time. */
  wasAbleSince(time: number): boolean {
    return (
      !this.isRetiring && this.awaySince === Infinity && this.awayUntil < time && this.wasRichSince(time)
    );
  }

  wasRichSince(time: number): boolean {
    return this.poorSince === Infinity && this.poorUntil < time;
  }
}
