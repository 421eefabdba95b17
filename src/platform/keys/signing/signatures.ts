import type { KeptSigningKey, KeptSigningKeys } from '../../crypto/index.js';
import { unavailable } from '../../kernel/errors.js';
import { hex } from '../../kernel/encoding/bytes.js';
import { Semaphore } from '../../jobs/index.js';

/**
 * Signatures for a transaction, which must not wait for a store. A missing signature ends the attempt. It is made while no
 * transaction is open, and the next attempt finds it.
 */
export interface Signatures {
  /** The place of each key that is created from now on; `undefined` for the database. */
  readonly next: string | undefined;
  publicKeyAt(uri: string): Uint8Array;
  sign(key: KeptSigningKey, message: Uint8Array): Uint8Array;
  /** Runs several pieces of work that may need signatures. All missing signatures are made before the next attempt. */
  together<Result>(work: readonly (() => Result)[]): Result[];
  /**
   * A value that an earlier attempt kept under this name. Attempts with different random values would never sign the same
   * message.
   */
  kept<Value>(name: string): Value | undefined;
  keep<Value>(name: string, value: Value): Value;
}

/** Ends an attempt. Only {@link withSignatures} may catch it. */
class SignatureMissing extends Error {
  override readonly name = 'SignatureMissing';
  readonly makes: readonly (() => Promise<void>)[];

  constructor(makes: readonly (() => Promise<void>)[]) {
    super('A signature is missing.');
    this.makes = makes;
  }
}

/** A rotation needs a public key and four signatures, and some of them again if entries were added meanwhile. */
const MAX_ATTEMPTS = 32;
/** Maximum number of concurrent requests to stores. */
const MAX_ASKED = 8;

/**
 * Repeats the work until it has every signature that it needs. With keys that are sealed in the database, one attempt is
 * enough. `asking` is called each time stores must be asked, and calls its argument to ask them.
 *
 * @throws `UNAVAILABLE` if a store is unavailable. Nothing was done.
 */
export async function withSignatures<Result>(
  keys: KeptSigningKeys,
  attempt: (signatures: Signatures) => Promise<Result>,
  asking: (ask: () => Promise<void>) => Promise<void> = (ask) => ask(),
): Promise<Result> {
  const made = new Map<string, Uint8Array>();
  const values = new Map<string, unknown>();
  const find = (name: string, make: () => Promise<Uint8Array>): Uint8Array => {
    const found = made.get(name);
    if (found) return found;
    throw new SignatureMissing([async () => void made.set(name, await make())]);
  };
  const signatures: Signatures = {
    next: keys.next,
    publicKeyAt: (uri) => find(uri, () => keys.publicKeyAt(uri)),
    sign(key, message) {
      const own = Uint8Array.from(message);
      return find(`${key.uri} ${hex.encode(key.publicKey)} ${hex.encode(own)}`, () => keys.sign(key, own));
    },
    together(work) {
      const missing: SignatureMissing[] = [];
      const results = work.flatMap((piece) => {
        try {
          return [piece()];
        } catch (thrown) {
          if (!(thrown instanceof SignatureMissing)) throw thrown;
          missing.push(thrown);
          return [];
        }
      });
      if (missing.length > 0) throw new SignatureMissing(missing.flatMap(({ makes }) => makes));
      return results;
    },
    kept: <Value>(name: string) => values.get(name) as Value | undefined,
    keep(name, value) {
      values.set(name, value);
      return value;
    },
  };
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts += 1) {
    try {
      return await attempt(signatures);
    } catch (thrown) {
      if (!(thrown instanceof SignatureMissing)) throw thrown;
      await asking(() => makeAll(thrown));
    }
  }
  throw unavailable('Too many signatures are being made at present. Try again later.', {
    retryAfterSeconds: 5,
  });
}

/** Ends when no request is in progress anymore. */
async function makeAll({ makes }: SignatureMissing): Promise<void> {
  const places = new Semaphore(MAX_ASKED);
  const ends = await Promise.allSettled(makes.map((make) => places.run(make)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
