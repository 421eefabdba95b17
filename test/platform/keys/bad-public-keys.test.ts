import { expect, it } from '@jest/globals';
import { ED25519_TORSION_SUBGROUP } from '@noble/curves/ed25519.js';
import { generateSigningKey } from '../../../src/platform/crypto/index.js';
import { openSigningKey, parseKeyUri } from '../../../src/platform/keys/index.js';

const URI = parseKeyUri('vault:transit/relayer');

/** Opens a key for which a store returns this public key. */
const opened = (publicKey: Uint8Array) =>
  openSigningKey(
    {
      vault: {
        masterKey: () => {
          throw new Error('Nobody asks for a master key.');
        },
        signingKey: () =>
          Promise.resolve({ publicKey, sign: () => Promise.reject(new Error('Nobody signs.')) }),
      },
    },
    URI,
  );

it.each<[string, Uint8Array]>([
  ['31 bytes', new Uint8Array(31).fill(7)],
  ['33 bytes', new Uint8Array(33).fill(7)],
  ['no bytes', new Uint8Array(0)],
  ['bytes that are no point of the curve', new Uint8Array(32).fill(2)],
  ...ED25519_TORSION_SUBGROUP.map((point, order): [string, Uint8Array] => [
    order === 0 ? 'the identity' : `point ${order} of small order`,
    Uint8Array.from(Buffer.from(point, 'hex')),
  ]),
])('a key of a store is refused with %s, before it signs anything', async (_, publicKey) => {
  await expect(opened(publicKey)).rejects.toMatchObject({
    name: 'ConfigurationError',
    message:
      'The key vault:transit/relayer has no valid Ed25519 public key (32 bytes, a point that is not of small order). Name another key.',
  });
});

it('a store key is accepted only with the public key of a key pair', async () => {
  const { publicKey } = generateSigningKey();
  expect((await opened(publicKey)).publicKey).toEqual(publicKey);
});
