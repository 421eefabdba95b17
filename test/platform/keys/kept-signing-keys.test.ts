import { expect, it } from '@jest/globals';
import { generateSigningKey } from '../../../src/platform/crypto/index.js';
import { ConfigurationError } from '../../../src/platform/kernel/configuration-error.js';
import { unavailable } from '../../../src/platform/kernel/errors.js';
import { createKeptSigningKeys, parseKeyUri } from '../../../src/platform/keys/index.js';
import type { SigningKey } from '../../../src/platform/keys/signing-key.js';

const URI = 'vault:transit/log';

/** A store that answers when the test decides. */
function pendingStore() {
  const asks: PromiseWithResolvers<SigningKey>[] = [];
  const store = {
    masterKey: () => {
      throw new Error('Nobody asks for a master key.');
    },
    signingKey: () => {
      const ask = Promise.withResolvers<SigningKey>();
      asks.push(ask);
      return ask.promise;
    },
  };
  return { asks, keys: createKeptSigningKeys({ vault: store }, parseKeyUri(URI)) };
}

const away = () => unavailable('The store is away.', { retryAfterSeconds: 5 });
const isAway = expect.objectContaining({ code: 'UNAVAILABLE', reason: 'signing_key_away' });

it('only one caller waits for a store that does not answer, and others learn immediately that it is unavailable', async () => {
  const { asks, keys } = pendingStore();
  const first = keys.publicKeyAt(URI);
  asks[0]!.reject(away());
  await expect(first).rejects.toEqual(isAway);
  // It is not asked again immediately.
  await expect(keys.publicKeyAt(URI)).rejects.toEqual(isAway);
  expect(asks).toHaveLength(1);

  let waiting: Promise<Uint8Array> | undefined;
  while (asks.length === 1) {
    waiting = keys.publicKeyAt(URI);
    waiting.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  for (let other = 0; other < 20; other += 1) await expect(keys.publicKeyAt(URI)).rejects.toEqual(isAway);
  expect(asks).toHaveLength(2);

  const publicKey = generateSigningKey().publicKey;
  asks[1]!.resolve({ publicKey, sign: () => Promise.reject(new Error('Nobody signs.')) });
  expect(await waiting).toEqual(publicKey);
  // It is available again for everyone.
  const others = [keys.publicKeyAt(URI), keys.publicKeyAt(URI)];
  for (const ask of asks.slice(2))
    ask.resolve({ publicKey, sign: () => Promise.reject(new Error('Nobody signs.')) });
  expect(await Promise.all(others)).toEqual([publicKey, publicKey]);
});

it('an unavailable or unusable key does not affect the other keys of its store', async () => {
  const { asks, keys } = pendingStore();
  const broken = keys.publicKeyAt('vault:transit/broken');
  asks.at(-1)!.reject(new ConfigurationError('It is of another type.'));
  await expect(broken).rejects.toEqual(isAway);
  // It may have been repaired, so it is asked again.
  const repaired = keys.publicKeyAt('vault:transit/broken');
  asks.at(-1)!.reject(away());
  await expect(repaired).rejects.toEqual(isAway);
  const other = keys.publicKeyAt(URI);
  expect(asks).toHaveLength(3);
  asks.at(-1)!.reject(new Error('A defect.'));
  await expect(other).rejects.toThrow('A defect.');
});

it('a key that does not answer gets at most 64 requests at a time, and further callers do not wait', async () => {
  const { asks, keys } = pendingStore();
  const waiting = Array.from({ length: 64 }, () => keys.publicKeyAt(URI));
  await expect(keys.publicKeyAt(URI)).rejects.toMatchObject({
    reason: 'signing_key_away',
    cause: {
      message: expect.stringContaining('64 requests to the key vault:transit/log have not been answered'),
    },
  });
  const other = keys.publicKeyAt('vault:transit/other');
  expect(asks).toHaveLength(65);
  const publicKey = generateSigningKey().publicKey;
  for (const ask of asks) ask.resolve({ publicKey, sign: () => Promise.reject(new Error('Nobody signs.')) });
  expect(await Promise.all([...waiting, other])).toHaveLength(65);
  const again = keys.publicKeyAt(URI);
  asks.at(-1)!.resolve({ publicKey, sign: () => Promise.reject(new Error('Nobody signs.')) });
  expect(await again).toEqual(publicKey);
});
