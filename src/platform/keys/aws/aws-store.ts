import { ConfigurationError } from '../../kernel/configuration-error.js';
import { unavailable } from '../../kernel/errors.js';
import { ed25519PublicKey } from '../ed25519-public-key.js';
import type { KeptMasterKey, KeyStore } from '../key-store.js';
import { notWrappedBy } from '../master-key.js';
import type { SigningKey } from '../signing-key.js';
import { type AwsKmsClient, AwsRefusal } from './aws-kms-client.js';
import { awsLocator, isKeyArn } from './aws-locator.js';
import { unreachable } from '../../kernel/unreachable.js';

export const awsStore = (client: AwsKmsClient): KeyStore => ({
  masterKey: (locator) => awsMasterKey(client, awsLocator(locator)),
  signingKey: (locator) => awsSigningKey(client, awsLocator(locator)),
});

const WRAPPING = { spec: 'SYMMETRIC_DEFAULT', usage: 'ENCRYPT_DECRYPT' };
const SIGNING = { spec: 'ECC_NIST_EDWARDS25519', usage: 'SIGN_VERIFY' };
const ALGORITHM = 'ED25519_SHA_512';
const SIGNATURE_LENGTH = 64;
/** The only entry of each encryption context, which CloudTrail shows. AWS authenticates all of it. */
const CONTEXT_ENTRY = 'lucarne';

/** A symmetric key of AWS KMS. Wrapped form: its CiphertextBlob. */
function awsMasterKey(client: AwsKmsClient, keyId: string): KeptMasterKey {
  const ask = <Result>(work: () => Promise<Result>) => explained(keyId, WRAPPING, work);
  const required = () =>
    ask(async () => {
      const { KeyMetadata } = await client.send('DescribeKey', keyId);
      const { Arn, KeySpec, KeyUsage, Enabled } = (KeyMetadata ?? {}) as Readonly<Record<string, unknown>>;
      if (typeof KeySpec !== 'string' || typeof Arn !== 'string' || !isKeyArn(Arn)) return refuseAnswer();
      // The database stores the name of the key.
      if (Arn !== keyId)
        throw new ConfigurationError(
          `A master key is named by its ARN, because an alias can be moved to another key. Write aws-kms:${Arn}`,
        );
      if (KeySpec !== WRAPPING.spec || KeyUsage !== WRAPPING.usage) throw new AwsRefusal('type');
      if (Enabled !== true) throw new AwsRefusal('disabled');
    });
  return {
    provider: 'aws-kms',
    locator: keyId,
    wrap: (secret, context) =>
      ask(async () => {
        const members = { Plaintext: secret, EncryptionContext: { [CONTEXT_ENTRY]: context } };
        return bytesOf((await client.send('Encrypt', keyId, members))['CiphertextBlob']);
      }),
    unwrap: (wrapped, context) =>
      ask(async () => {
        const members = { CiphertextBlob: wrapped, EncryptionContext: { [CONTEXT_ENTRY]: context } };
        return bytesOf((await client.send('Decrypt', keyId, members))['Plaintext']);
      }),
    require: required,
    // AWS gives each new key a different id, and a person must decide its policy and price.
    makeUnlessThere: required,
  };
}

/** An Ed25519 key of AWS KMS. */
async function awsSigningKey(client: AwsKmsClient, keyId: string): Promise<SigningKey> {
  const ask = <Result>(work: () => Promise<Result>) => explained(keyId, SIGNING, work);
  const publicKey = await ask(async () => {
    const { PublicKey, KeySpec, KeyUsage } = await client.send('GetPublicKey', keyId);
    if (typeof KeySpec !== 'string') return refuseAnswer();
    if (KeySpec !== SIGNING.spec || KeyUsage !== SIGNING.usage) throw new AwsRefusal('type');
    return ed25519PublicKey(bytesOf(PublicKey)) ?? refuseAnswer();
  });
  return {
    publicKey,
    sign: (message) =>
      ask(async () => {
        const members = { Message: message, MessageType: 'RAW', SigningAlgorithm: ALGORITHM };
        const signature = bytesOf((await client.send('Sign', keyId, members))['Signature']);
        return signature.length === SIGNATURE_LENGTH ? signature : refuseAnswer();
      }),
  };
}

/** Explains what to do if AWS refuses the key. */
async function explained<Result>(
  keyId: string,
  { spec, usage }: typeof WRAPPING,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof AwsRefusal)) throw thrown;
    switch (thrown.kind) {
      case 'ciphertext':
        throw notWrappedBy(`the key ${keyId} of AWS KMS`);
      case 'missing':
        throw new ConfigurationError(
          `AWS KMS has no key ${keyId}. Correct ARN, account or region, or make it: aws kms create-key --key-spec ${spec} ` +
            `--key-usage ${usage}`,
        );
      case 'disabled':
        throw new ConfigurationError(
          `The key ${keyId} of AWS KMS is disabled or awaits its deletion. Cancel the deletion, and run: aws kms enable-key ` +
            `--key-id ${keyId}`,
        );
      case 'type':
        throw new ConfigurationError(
          `The key ${keyId} of AWS KMS has the wrong type. Name a key with key spec ${spec} and usage ${usage}.`,
        );
      default:
        return unreachable(thrown.kind);
    }
  }
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array && value.length > 0 ? Uint8Array.from(value) : refuseAnswer();
}

function refuseAnswer(): never {
  throw unavailable(
    'The endpoint of AWS KMS gives answers that AWS KMS does not give. Correct the endpoint.',
  );
}
