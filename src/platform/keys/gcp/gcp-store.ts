import { ConfigurationError } from '../../kernel/configuration-error.js';
import { unavailable } from '../../kernel/errors.js';
import { ed25519PublicKey } from '../ed25519-public-key.js';
import type { KeptMasterKey, KeyStore } from '../key-store.js';
import { notWrappedBy } from '../master-key.js';
import type { SigningKey } from '../signing-key.js';
import { crc32c } from './crc32c.js';
import { type GcpKmsClient, GcpRefusal } from './gcp-kms-client.js';
import { gcpLocator, isKeyName, isKeyVersion } from './gcp-locator.js';
import { unreachable } from '../../kernel/unreachable.js';

export const gcpStore = (client: GcpKmsClient): KeyStore => ({
  masterKey: (locator) => gcpMasterKey(client, gcpLocator(locator)),
  signingKey: (locator) => gcpSigningKey(client, gcpLocator(locator)),
});

const SIGNING = 'EC_SIGN_ED25519';
const WRAPPING = 'ENCRYPT_DECRYPT';
const SIGNATURE_LENGTH = 64;

/** A symmetric key of Cloud KMS. Its primary version wraps. Wrapped form: its ciphertext. */
function gcpMasterKey(client: GcpKmsClient, name: string): KeptMasterKey {
  const required = () =>
    explained(name, async () => {
      if (isKeyVersion(name)) throw otherType(name, WRAPPING, 'Name the key without a version.');
      const { name: own, purpose, primary } = await client.send('getCryptoKey', name);
      if (typeof purpose !== 'string' || typeof own !== 'string' || !isKeyName(own)) return refuseAnswer();
      // The database stores the name of the key, and a project can also be named by its number.
      if (own !== name)
        throw new ConfigurationError(`Cloud KMS has another name for the key ${name}. Write gcp-kms:${own}`);
      if (purpose !== WRAPPING) throw otherType(name, WRAPPING, `Name a key with the purpose ${WRAPPING}.`);
      if ((primary as { readonly state?: unknown } | null)?.state !== 'ENABLED')
        throw new GcpRefusal('disabled');
    });
  const associated = (context: string) => {
    const additionalAuthenticatedData = Buffer.from(context);
    return {
      additionalAuthenticatedData,
      additionalAuthenticatedDataCrc32c: { value: crc32c(additionalAuthenticatedData) },
    };
  };
  /** The service does not report what is wrong with a request, so the key is checked. */
  const looking = <Result>(work: () => Promise<Result>, otherwise: () => Error) =>
    explained(name, async () => {
      try {
        return await work();
      } catch (thrown) {
        if (!(thrown instanceof GcpRefusal) || thrown.kind !== 'argument') throw thrown;
        await required();
        throw otherwise();
      }
    });
  return {
    provider: 'gcp-kms',
    locator: name,
    wrap: (secret, context) =>
      looking(async () => {
        const plaintext = Buffer.from(secret);
        const answer = await client.send('encrypt', name, {
          ...{ plaintext, plaintextCrc32c: { value: crc32c(plaintext) } },
          ...associated(context),
        });
        const { verifiedPlaintextCrc32c: one, verifiedAdditionalAuthenticatedDataCrc32c: other } = answer;
        if (one !== true || other !== true) throw damaged();
        return checked(answer['ciphertext'], answer['ciphertextCrc32c']);
      }, refusal),
    unwrap: (wrapped, context) =>
      looking(
        async () => {
          const ciphertext = Buffer.from(wrapped);
          const answer = await client.send('decrypt', name, {
            ...{ ciphertext, ciphertextCrc32c: { value: crc32c(ciphertext) } },
            ...associated(context),
          });
          return checked(answer['plaintext'], answer['plaintextCrc32c']);
        },
        () => notWrappedBy(`the key ${name} of Cloud KMS`),
      ),
    require: required,
    // Where and how a key is protected cannot be changed later, so a person must decide it.
    makeUnlessThere: required,
  };
}

/** A version of an Ed25519 key of Cloud KMS. */
async function gcpSigningKey(client: GcpKmsClient, name: string): Promise<SigningKey> {
  if (!isKeyVersion(name)) throw otherType(name, SIGNING, 'Name a version: …/cryptoKeyVersions/1.');
  const publicKey = await explained(name, async () => {
    const { pem, pemCrc32c, algorithm } = await client.send('getPublicKey', name);
    if (typeof pem !== 'string' || typeof algorithm !== 'string') return refuseAnswer();
    if (algorithm !== SIGNING) throw otherType(name, SIGNING, `Name a key with the algorithm ${SIGNING}.`);
    const text = Buffer.from(checked(Buffer.from(pem), pemCrc32c)).toString();
    const [, body = ''] =
      /^-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----\s*$/.exec(text) ?? [];
    return ed25519PublicKey(Buffer.from(body, 'base64')) ?? refuseAnswer();
  });
  return {
    publicKey,
    sign: (message) =>
      explained(name, async () => {
        const data = Buffer.from(message);
        const answer = await client.send('asymmetricSign', name, {
          data,
          dataCrc32c: { value: crc32c(data) },
        });
        if (answer['verifiedDataCrc32c'] !== true) throw damaged();
        const signature = checked(answer['signature'], answer['signatureCrc32c']);
        return signature.length === SIGNATURE_LENGTH ? signature : refuseAnswer();
      }),
  };
}

/** Explains what to do if Cloud KMS refuses the key. */
async function explained<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof GcpRefusal)) throw thrown;
    switch (thrown.kind) {
      case 'missing':
        throw new ConfigurationError(
          `Cloud KMS has no key ${name}. Correct its name, or make it: gcloud kms keys create`,
        );
      case 'disabled':
        throw new ConfigurationError(
          `The key ${name} of Cloud KMS has no enabled version. Run: gcloud kms keys versions enable`,
        );
      case 'argument':
        throw refusal();
      default:
        return unreachable(thrown.kind);
    }
  }
}

const otherType = (name: string, wanted: string, advice: string) =>
  new ConfigurationError(
    `The key ${name} of Cloud KMS has the wrong type: it must be a key for ${wanted}. ${advice}`,
  );

const refusal = () =>
  new ConfigurationError('Cloud KMS refuses the request as malformed. Correct the name of the key.');

/** Returns bytes after checking that they are undamaged. */
function checked(value: unknown, checksum: unknown): Uint8Array {
  if (!(value instanceof Uint8Array) || value.length === 0) return refuseAnswer();
  const { value: expected } = (checksum ?? {}) as { readonly value?: unknown };
  if (String(expected) !== String(crc32c(value))) throw damaged();
  return Uint8Array.from(value);
}

const damaged = () => unavailable('Data was damaged on its way to or from Cloud KMS. Try again.');

function refuseAnswer(): never {
  throw unavailable(
    'The endpoint of Cloud KMS gives answers that Cloud KMS does not give. Correct the endpoint.',
  );
}
