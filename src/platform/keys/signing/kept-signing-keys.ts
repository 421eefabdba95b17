import type { KeptSigningKey, KeptSigningKeys } from '../../crypto/index.js';
import { equalBytes, hex } from '../../kernel/encoding/bytes.js';
import { ConfigurationError } from '../../kernel/configuration-error.js';
import { isLucarneError, unavailable } from '../../kernel/errors.js';
import type { KeyStores } from '../key-store.js';
import { openSigningKey } from '../key-stores.js';
import { formatKeyUri, type KeyUri, parseKeyUri } from '../key-uri.js';
import type { SigningKey } from '../signing-key.js';

/** The keys of these stores. `next` is where the next key of an organization is. */
export function createKeptSigningKeys(stores: KeyStores, next?: KeyUri): KeptSigningKeys {
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
    publicKeyAt: (uri) => asked(async () => (await openSigningKey(stores, parseKeyUri(uri))).publicKey),
    sign: (key, message) => asked(async () => (await open(key)).sign(message)),
  };
}

/** Callers learn that it cannot sign; the cause, which names the store, is for the operator. */
async function asked<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (thrown) {
    const isAway = isLucarneError(thrown) && thrown.code === 'UNAVAILABLE';
    if (!isAway && !(thrown instanceof ConfigurationError)) throw thrown;
    throw unavailable(
      'The key that signs the activity log and receipts cannot be used at present. Try again later.',
      {
        reason: 'signing_key_away',
        retryAfterSeconds: 5,
        cause: thrown,
      },
    );
  }
}
