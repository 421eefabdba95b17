import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { sign, signingPublicKey } from '../../../../src/platform/crypto/index.js';
import type { AwsConfiguration } from '../../../../src/platform/keys/aws/aws-kms-client.js';
import { createKeyStores, type KeyStores } from '../../../../src/platform/keys/index.js';
import type { Trouble } from './local-vault.js';
import { listen } from '../../../kit/process/local-server.js';

export interface LocalAwsKms extends AsyncDisposable {
  readonly stores: KeyStores;
  readonly configuration: AwsConfiguration;
  readonly endpoint: string;
  /** The requested operations so far, such as `Encrypt`. */
  readonly requests: string[];
  /** Called before each answer. */
  trouble: ((operation: string) => Trouble | 'stalls in the body' | undefined) | undefined;
  makeKey(keyId: string, spec?: string, usage?: string): void;
  setState(keyId: string, state: 'Enabled' | 'Disabled' | 'PendingDeletion'): void;
  deleteKey(keyId: string): void;
  /** Adds another name for a key. */
  makeAlias(alias: string, keyId: string): void;
}

interface Key {
  readonly spec: string;
  readonly usage: string;
  readonly secret: Buffer;
  state: string;
}

type Body = Readonly<Record<string, unknown>>;
interface Answer {
  readonly status: number;
  readonly body: object;
}

const answered = (body: object): Answer => ({ status: 200, body });
/** The documented error types of each operation. */
export const awsError = (type: string, message = 'It is refused.'): { status: number; body: string } => ({
  status: 400,
  body: JSON.stringify({ __type: type, message }),
});
const refused = (type: string): Answer => ({
  status: 400,
  body: { __type: type, message: 'It is refused.' },
});

const CREDENTIALS = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'hush-of-aws' };

/**
 * A server for the documented requests of AWS KMS (JSON 1.1), with real AES-256-GCM and Ed25519, used through AWS's SDK. It is
 * not KMS: it only matches the documentation.
 */
export async function openLocalAwsKms({ timeoutMs = 5_000 } = {}): Promise<LocalAwsKms> {
  const keys = new Map<string, Key>();
  const aliases = new Map<string, string>();
  const requests: string[] = [];
  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const operation = String(request.headers['x-amz-target']).replace('TrentService.', '');
    requests.push(operation);
    const trouble = kms.trouble?.(operation);
    if (trouble === 'silence') return;
    if (trouble === 'stalls in the body') {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
      response.write('{"Plaintext":');
      return;
    }
    const { status, body } =
      trouble ?? answer(request, operation, JSON.parse(Buffer.concat(chunks).toString()) as Body);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(typeof body === 'object' ? JSON.stringify(body) : body);
  }

  function answer({ headers }: IncomingMessage, operation: string, body: Body): Answer {
    if (!headers.authorization?.includes(`Credential=${CREDENTIALS.accessKeyId}/`))
      return refused('UnrecognizedClientException');
    const asked = String(body['KeyId']);
    const keyId = aliases.get(asked) ?? asked;
    const key = keys.get(keyId);
    if (!key) return refused('NotFoundException');
    const { spec, usage, state } = key;
    const described = {
      KeyId: keyId,
      Arn: keyId,
      KeySpec: spec,
      KeyUsage: usage,
      Enabled: state === 'Enabled',
      KeyState: state,
    };
    if (operation === 'DescribeKey') return answered({ KeyMetadata: described });
    if (state !== 'Enabled')
      return refused(state === 'Disabled' ? 'DisabledException' : 'KMSInvalidStateException');
    const isSigning = operation === 'GetPublicKey' || operation === 'Sign';
    if (isSigning === (usage === 'ENCRYPT_DECRYPT'))
      return refused(
        operation === 'GetPublicKey' ? 'UnsupportedOperationException' : 'InvalidKeyUsageException',
      );
    switch (operation) {
      case 'Encrypt':
        return encrypted(keyId, key, body);
      case 'Decrypt':
        return decrypted(keyId, key, body);
      case 'GetPublicKey':
        return answered({
          KeyId: keyId,
          KeySpec: spec,
          KeyUsage: usage,
          PublicKey: base64(spki(key.secret)),
        });
      default:
        return signed(key, body);
    }
  }

  const kms: LocalAwsKms = {
    ...{ configuration: {}, stores: {}, endpoint: '', requests, trouble: undefined },
    makeKey: (keyId, spec = 'SYMMETRIC_DEFAULT', usage = 'ENCRYPT_DECRYPT') =>
      void keys.set(keyId, { spec, usage, secret: randomBytes(32), state: 'Enabled' }),
    setState: (keyId, state) => void (keys.get(keyId)!.state = state),
    makeAlias: (alias, keyId) => void aliases.set(alias, keyId),
    deleteKey: (keyId) => void keys.delete(keyId),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const endpoint = `http://127.0.0.1:${await listen(server)}`;
  const configuration = { endpoint, credentials: CREDENTIALS, timeoutMs };
  return Object.assign(kms, { endpoint, configuration, stores: createKeyStores({ aws: configuration }) });
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const bytesOf = (value: unknown) => Buffer.from(String(value), 'base64');

/** SubjectPublicKeyInfo of an Ed25519 key in DER. */
export const spki = (seed: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), signingPublicKey(seed)]);

// The key's id is authenticated with the context, because the blob of KMS names its key.
const associated = (keyId: string, { EncryptionContext = {} }: Body) =>
  Buffer.from(JSON.stringify([keyId, EncryptionContext]));

function encrypted(keyId: string, { secret }: Key, body: Body): Answer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(associated(keyId, body));
  const sealed = [nonce, cipher.update(bytesOf(body['Plaintext'])), cipher.final(), cipher.getAuthTag()];
  return answered({ KeyId: keyId, CiphertextBlob: base64(Buffer.concat(sealed)) });
}

function decrypted(keyId: string, { secret }: Key, body: Body): Answer {
  const bytes = bytesOf(body['CiphertextBlob']);
  try {
    const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12)).setAAD(
      associated(keyId, body),
    );
    decipher.setAuthTag(bytes.subarray(-16));
    const plaintext = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    return answered({ KeyId: keyId, Plaintext: base64(plaintext) });
  } catch {
    return refused('InvalidCiphertextException');
  }
}

function signed({ secret, spec }: Key, body: Body): Answer {
  const isRight =
    spec === 'ECC_NIST_EDWARDS25519' &&
    body['SigningAlgorithm'] === 'ED25519_SHA_512' &&
    body['MessageType'] === 'RAW';
  if (!isRight) return refused('ValidationException');
  return answered({ Signature: base64(sign(secret, bytesOf(body['Message']))) });
}
