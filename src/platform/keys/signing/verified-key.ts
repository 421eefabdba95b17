import { isSigningPublicKey, verify } from '../../crypto/index.js';
import { ConfigurationError } from '../../kernel/configuration-error.js';
import { unavailable } from '../../kernel/errors.js';
import type { SigningKey } from '../signing-key.js';

/**
 * A key that is stored elsewhere, whose signatures are each verified before they are used: a wrong one would be paid for on the
 * ledger. `name` is for messages.
 */
export function verifiedKey(key: SigningKey, name: string): SigningKey {
  if (!isSigningPublicKey(key.publicKey))
    throw new ConfigurationError(
      `The key ${name} has no valid Ed25519 public key (32 bytes, a point that is not of small order). Name another key.`,
    );
  return {
    publicKey: key.publicKey,
    async sign(message) {
      const signature = await key.sign(message);
      if (verify(key.publicKey, message, signature)) return signature;
      throw unavailable(`A signature of the key ${name} does not verify, so it is not used.`);
    },
  };
}
