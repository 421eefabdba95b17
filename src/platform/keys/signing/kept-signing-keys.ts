import type { KeptSigningKey, KeptSigningKeys } from '../../crypto/index.js';
import { equalBytes, hex } from '../../kernel/encoding/bytes.js';
import { ConfigurationError } from '../../kernel/configuration-error.js';
import { isLucarneError, unavailable } from '../../kernel/errors.js';
import type { KeyStores } from '../key-store.js';
import { openSigningKey } from '../key-stores.js';
import { formatKeyUri, type KeyUri, parseKeyUri } from '../key-uri.js';
import type { SigningKey } from '../signing-key.js';

/** How long a key that was away is not asked again. */
const REST_MS = 1_000;

/**
 * The keys of these stores. `next` is where the next key of an organization is. While a key is away, one caller at a time waits for
 * it, and the others learn at once that it is away: a store that hangs takes no places from work that needs none.
 */
export function createKeptSigningKeys(stores: KeyStores, next?: KeyUri, restMs = REST_MS): KeptSigningKeys {
  const away = new Map<string, Away>();
  const ask = <Result>(uri: string, work: () => Promise<Result>) => asked(away, restMs, uri, work);
  const opened = new Map<string, SigningKey>();
  const open = async ({ uri, publicKey }: KeptSigningKey): Promise<SigningKey> => {
    const name = `${uri} ${hex.encode(publicKey)}`;
    const known = opened.get(name);
    if (known) return known;
    const key = await openSigningKey(stores, parseKeyUri(uri), publicKey);
    if (!equalBytes(key.publicKey, publicKey))
      throw new ConfigurationError(
        `The key ${uri} is another one than the log was signed with. Put the one with the public key ` +
          `${hex.encode(publicKey)} back in its place.`,
      );
    opened.set(name, key);
    return key;
  };
  return {
    next: next && formatKeyUri(next),
    publicKeyAt: (uri) => ask(uri, async () => (await openSigningKey(stores, parseKeyUri(uri))).publicKey),
    sign: (key, message) => ask(key.uri, async () => (await open(key)).sign(message)),
  };
}

/** What was last said of a key that is away, until when it is not asked again, and whether somebody asks it now. */
interface Away {
  readonly cause: unknown;
  readonly until: number;
  isAsked: boolean;
}

async function asked<Result>(
  away: Map<string, Away>,
  restMs: number,
  uri: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const known = away.get(uri);
  if (known) {
    if (known.isAsked || performance.now() < known.until) throw cannotSign(known.cause);
    known.isAsked = true;
  }
  try {
    const result = await work();
    away.delete(uri);
    return result;
  } catch (thrown) {
    away.delete(uri);
    if (isLucarneError(thrown) && thrown.code === 'UNAVAILABLE')
      away.set(uri, { cause: thrown, until: performance.now() + restMs, isAsked: false });
    else if (!(thrown instanceof ConfigurationError)) throw thrown;
    throw cannotSign(thrown);
  }
}

/** Callers learn that it cannot sign; the cause, which names the store, is for the operator. */
const cannotSign = (cause: unknown) =>
  unavailable(
    'The key that signs the activity log and receipts cannot be used at present. Try again later.',
    {
      reason: 'signing_key_away',
      retryAfterSeconds: 5,
      cause,
    },
  );
