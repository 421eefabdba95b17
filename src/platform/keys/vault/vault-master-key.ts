import { ConfigurationError } from '../../kernel/configuration-error.js';
import { base64 } from '../../kernel/encoding/bytes.js';
import type { KeptMasterKey } from '../key-store.js';
import { notWrappedBy } from '../master-key.js';
import { describeKey, noSuchKey, refuseAnswer, type TransitKeyDescription } from './transit-key.js';
import type { VaultClient } from './vault-client.js';
import { locatorOf, type TransitKey } from './vault-uri.js';

const TYPES = ['aes256-gcm96', 'chacha20-poly1305', 'xchacha20-poly1305'];
const MADE = { type: 'aes256-gcm96', derived: true };
/** The text contains the version of the key. */
const CIPHERTEXT = /^vault:v([1-9]\d{0,8}):[A-Za-z0-9+/]+=*$/;

/**
 * A key of Transit, which wraps and unwraps itself. Wrapped form: Transit's text, which contains the version of the key, so
 * that the key can also be rotated in Vault. The context is Transit's `context`, from which it derives a key: every version of
 * Vault supports it, but older ones ignore `associated_data`.
 */
export function vaultMasterKey(client: VaultClient, key: TransitKey): KeptMasterKey {
  const called = `The key “${locatorOf(key)}” of Vault`;
  let isChecked = false;
  const required = async (): Promise<TransitKeyDescription> => {
    const description = await describeKey(client, key);
    if (!description) throw noSuchKey(key, `type=${MADE.type} derived=true`);
    const { type, isDerived } = description;
    if (!TYPES.includes(type))
      throw new ConfigurationError(`${called} has the type ${quoted(type)}. Name a key of type ${TYPES[0]}.`);
    // Transit ignores the context if the key is not derived.
    if (!isDerived)
      throw new ConfigurationError(
        `${called} was made without derived=true, so it does not authenticate what it wraps. Name a key that was made with derived=true.`,
      );
    isChecked = true;
    return description;
  };
  const encrypt = async (secret: Uint8Array, context: string) => {
    const parts = { plaintext: base64.encode(secret), context: base64.encode(Buffer.from(context)) };
    return client.send(`${key.mount}/encrypt/${key.name}`, parts);
  };
  const decrypt = async (ciphertext: string, context: string) =>
    client.send(`${key.mount}/decrypt/${key.name}`, {
      ciphertext,
      context: base64.encode(Buffer.from(context)),
    });
  const disabled = () =>
    new ConfigurationError(
      `${called} exists but cannot be used. Restore it if it is soft-deleted, and correct its minimum versions.`,
    );

  return {
    provider: 'vault',
    locator: locatorOf(key),
    async wrap(secret, context) {
      if (!isChecked) await required();
      const answer = await encrypt(secret, context);
      if (answer.status !== 200) {
        await required();
        throw disabled();
      }
      const { ciphertext } = answer.data;
      if (typeof ciphertext !== 'string' || !CIPHERTEXT.test(ciphertext)) return refuseAnswer();
      return Uint8Array.from(Buffer.from(ciphertext));
    },
    async unwrap(wrapped, context) {
      const ciphertext = Buffer.from(wrapped).toString('latin1');
      const version = Number(CIPHERTEXT.exec(ciphertext)?.[1]);
      const wrong = () => notWrappedBy(`the key “${locatorOf(key)}” of Vault`);
      if (!version) throw wrong();
      if (!isChecked) await required();
      const answer = await decrypt(ciphertext, context);
      if (answer.status === 200) return secretOf(answer.data);
      // Transit uses one status for all refusals, so the key is checked for the cause.
      const { minDecryptionVersion } = await required();
      if (version < minDecryptionVersion)
        throw new ConfigurationError(
          `${called} no longer decrypts what its version ${version} encrypted. Set its min_decryption_version to ${version} until ` +
            'the master key is rotated.',
        );
      const trial = await encrypt(new Uint8Array(1), context);
      throw trial.status === 200 ? wrong() : disabled();
    },
    async require() {
      await required();
    },
    async makeUnlessThere() {
      if (!(await describeKey(client, key))) {
        const answer = await client.send(`${key.mount}/keys/${key.name}`, MADE);
        if (answer.status === 404)
          throw new ConfigurationError(
            `Vault has no Transit engine at “${key.mount}”. Correct the mount, or run: vault secrets enable -path=${key.mount} transit`,
          );
      }
      await required();
    },
  };
}

function secretOf({ plaintext }: Readonly<Record<string, unknown>>): Uint8Array {
  return (typeof plaintext === 'string' ? base64.decode(plaintext) : undefined) ?? refuseAnswer();
}

/** Quotes text of another program for use in a sentence. */
const quoted = (text: string) => `“${text.replaceAll(/[^\w.-]/g, '').slice(0, 40)}”`;
