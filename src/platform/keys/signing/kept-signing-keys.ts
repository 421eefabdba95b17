import type { KeptSigningKey, KeptSigningKeys } from '../../crypto/index.js';
import { equalBytes, hex } from '../../kernel/encoding/bytes.js';
import { ConfigurationError } from '../../kernel/configuration-error.js';
import { isUnavailable, unavailable } from '../../kernel/errors.js';
import type { KeyStores } from '../key-store.js';
import { openSigningKey } from '../key-stores.js';
import { formatKeyUri, type KeyUri, parseKeyUri } from '../key-uri.js';
import type { SigningKey } from '../signing-key.js';

/** How long a key that was unavailable is not asked again. */
const REST_MS = 1_000;
/** Maximum number of concurrent requests to a key. Further callers get `UNAVAILABLE`, because the key may hang. */
const MAX_UNDER_WAY = 64;

/**
 * The signing keys in these stores. `next` is the place of an organization's next key. While a key is unavailable, one caller
 * at a time waits for it, and the others fail at once, so that a store that hangs does not use up places of other work.
 */
export function createKeptSigningKeys(stores: KeyStores, next?: KeyUri, restMs = REST_MS): KeptSigningKeys {
  const lanes = new Map<string, Lane>();
  const ask = <Result>(uri: string, work: () => Promise<Result>) => asked(lanes, restMs, uri, work);
  const opened = new Map<string, SigningKey>();
  const open = async ({ uri, publicKey }: KeptSigningKey): Promise<SigningKey> => {
    const name = `${uri} ${hex.encode(publicKey)}`;
    const known = opened.get(name);
    if (known) return known;
    const key = await openSigningKey(stores, parseKeyUri(uri), publicKey);
    if (!equalBytes(key.publicKey, publicKey))
      throw new ConfigurationError(
        `The key ${uri} is not the key that signed the log. Put the key with the public key ` +
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

/** The state of one key: its requests in progress, and its last error while it is unavailable. */
interface Lane {
  underWay: number;
  away?: { readonly cause: unknown; readonly until: number } | undefined;
}

async function asked<Result>(
  lanes: Map<string, Lane>,
  restMs: number,
  uri: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const lane: Lane = lanes.get(uri) ?? { underWay: 0 };
  lanes.set(uri, lane);
  const { away } = lane;
  if (away && (lane.underWay > 0 || performance.now() < away.until)) throw cannotSign(away.cause);
  if (lane.underWay >= MAX_UNDER_WAY)
    throw cannotSign(unavailable(`${MAX_UNDER_WAY} requests to the key ${uri} have not been answered yet.`));
  lane.underWay += 1;
  try {
    const result = await work();
    lane.away = undefined;
    return result;
  } catch (thrown) {
    lane.away = undefined;
    if (isUnavailable(thrown)) lane.away = { cause: thrown, until: performance.now() + restMs };
    else if (!(thrown instanceof ConfigurationError)) throw thrown;
    throw cannotSign(thrown);
  } finally {
    lane.underWay -= 1;
  }
}

/** Callers learn only that the key cannot sign. The cause, which names the store, is for the operator. */
const cannotSign = (cause: unknown) =>
  unavailable(
    'The key that signs the activity log and receipts cannot be used at present. Try again later.',
    {
      reason: 'signing_key_away',
      retryAfterSeconds: 5,
      cause,
    },
  );
