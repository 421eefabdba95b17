import { ConfigurationError } from '../../kernel/configuration-error.js';
import { base64 } from '../../kernel/encoding/bytes.js';
import type { SigningKey } from '../signing-key.js';
import { describeKey, noSuchKey, refuseAnswer } from './transit-key.js';
import type { VaultClient } from './vault-client.js';
import { locatorOf, type TransitKey } from './vault-uri.js';

const PUBLIC_KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
const TYPE = 'ed25519';

/**
 * An Ed25519 key of Transit, which makes the signatures itself. Uses the version with this public key, or without `wanted` the
 * version that is the latest now, even if Vault adds another one later.
 */
export async function vaultSigningKey(
  client: VaultClient,
  key: TransitKey,
  wanted?: Uint8Array,
): Promise<SigningKey> {
  const called = `The key “${locatorOf(key)}” of Vault`;
  const description = await describeKey(client, key);
  if (!description) throw noSuchKey(key, `type=${TYPE}`);
  const { type, isDerived, latestVersion, publicKeys } = description;
  if (type !== TYPE || isDerived)
    throw new ConfigurationError(
      `${called} is ${type === TYPE ? 'derived' : 'of another type'}. Name a key of type ${TYPE} that is not derived.`,
    );
  const text = wanted && base64.encode(wanted);
  const [version] = [...publicKeys].find(([, each]) => each === text) ?? [latestVersion];
  const publicKey = base64.decode(publicKeys.get(version) ?? '');
  if (publicKey?.length !== PUBLIC_KEY_LENGTH) return refuseAnswer();
  const prefix = `vault:v${version}:`;
  return {
    publicKey,
    async sign(message) {
      const answer = await client.send(`${key.mount}/sign/${key.name}`, {
        input: base64.encode(message),
        key_version: version,
      });
      if (answer.status !== 200)
        throw new ConfigurationError(
          `${called} does not sign. Restore it if it is deleted, and correct its min_encryption_version.`,
        );
      const { signature } = answer.data;
      const bytes =
        typeof signature === 'string' && signature.startsWith(prefix)
          ? base64.decode(signature.slice(prefix.length))
          : undefined;
      return bytes?.length === SIGNATURE_LENGTH ? bytes : refuseAnswer();
    },
  };
}
