import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { sign } from '../../../../src/platform/crypto/index.js';
import { crc32c } from '../../../../src/platform/keys/gcp/crc32c.js';
import { createKeyStores, type KeyStores } from '../../../../src/platform/keys/index.js';
import { CREDENTIAL, localGcpClient } from './local-gcp-client.js';
import { spki } from './local-aws-kms.js';
import type { Trouble } from './local-vault.js';
import { listen } from '../../../kit/process/local-server.js';

export interface LocalGcpKms extends AsyncDisposable {
  readonly port: number;
  readonly stores: KeyStores;
  /** The requests so far, such as `encrypt`. `key` and `publicKey` are reads. */
  readonly requests: string[];
  /** Called before each answer, and for the `token` before each request. */
  trouble: ((request: string) => Trouble | undefined) | undefined;
  makeKey(
    name: string,
    purpose?: 'ENCRYPT_DECRYPT' | 'ASYMMETRIC_SIGN',
    algorithm?: 'EC_SIGN_ED25519' | 'EC_SIGN_P256_SHA256',
  ): void;
  setEnabled(name: string, isEnabled: boolean): void;
}

interface Key {
  readonly purpose: string;
  readonly algorithm: string | undefined;
  readonly secret: Buffer;
  isEnabled: boolean;
}

type Body = Readonly<Record<string, string | undefined>>;
interface Answer {
  readonly status: number;
  readonly body: object;
}

const answered = (body: object): Answer => ({ status: 200, body });
const STATUSES = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
} as const;
const refused = (status: keyof typeof STATUSES): Answer => ({
  status: STATUSES[status],
  body: { error: { code: STATUSES[status], message: 'hush', status } },
});
export const gcpError = (status: keyof typeof STATUSES): Trouble => {
  const { body, ...rest } = refused(status);
  return { ...rest, body: JSON.stringify(body) };
};

/**
 * A server for the documented requests of Cloud KMS (REST), with real AES-256-GCM, Ed25519 and CRC-32C, used through Google's
 * SDK. It is not KMS: it only matches the documentation.
 */
export async function openLocalGcpKms({ timeoutMs = 5_000 } = {}): Promise<LocalGcpKms> {
  const keys = new Map<string, Key>();
  const requests: string[] = [];
  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, name = '', asked = 'key'] =
      /^\/v1\/([^:?]+?)(?:[:/](publicKey|\w+(?=\?)))?\?/.exec(request.url!) ?? [];
    const isKey =
      /cryptoKeys\/[\w-]+$/.test(`${name}/${asked}`) || /cryptoKeyVersions\/\d+$/.test(`${name}/${asked}`);
    const [called, key] = isKey ? ['key', `${name}/${asked}`] : [asked, name];
    requests.push(called);
    const trouble = kms.trouble?.(called);
    if (trouble === 'silence') return;
    const text = Buffer.concat(chunks).toString();
    const { status, body } =
      trouble ?? answer(request, key, called, text === '' ? {} : (JSON.parse(text) as Body));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'object' ? JSON.stringify(body) : body);
  }

  function answer({ headers }: IncomingMessage, name: string, called: string, body: Body): Answer {
    if (headers.authorization !== CREDENTIAL) return refused('UNAUTHENTICATED');
    const own = name.replace('projects/123/', 'projects/p/');
    const key = keys.get(own);
    if (!key) return refused('NOT_FOUND');
    const { purpose, algorithm, isEnabled } = key;
    if (called === 'key')
      return answered({
        name: own,
        purpose,
        primary: { name: own, state: isEnabled ? 'ENABLED' : 'DISABLED' },
      });
    if (!isEnabled) return refused('FAILED_PRECONDITION');
    const isSigning = called === 'publicKey' || called === 'asymmetricSign';
    if (isSigning !== (purpose === 'ASYMMETRIC_SIGN')) return refused('INVALID_ARGUMENT');
    switch (called) {
      case 'encrypt':
        return encrypted(name, key, body);
      case 'decrypt':
        return decrypted(name, key, body);
      case 'publicKey': {
        const pem = `-----BEGIN PUBLIC KEY-----\n${base64(spki(key.secret))}\n-----END PUBLIC KEY-----\n`;
        return answered({ name, pem, pemCrc32c: String(crc32c(Buffer.from(pem))), algorithm });
      }
      default: {
        const data = bytesOf(body['data']);
        if (String(crc32c(data)) !== body['dataCrc32c']) return refused('INVALID_ARGUMENT');
        const signature = sign(key.secret, data);
        return answered({
          ...{ name, signature: base64(signature), signatureCrc32c: String(crc32c(signature)) },
          verifiedDataCrc32c: true,
        });
      }
    }
  }

  const kms: LocalGcpKms = {
    ...{ port: 0, stores: {}, requests, trouble: undefined },
    makeKey: (name, purpose = 'ENCRYPT_DECRYPT', algorithm) =>
      void keys.set(name, { purpose, algorithm, secret: randomBytes(32), isEnabled: true }),
    setEnabled: (name, isEnabled) => void (keys.get(name)!.isEnabled = isEnabled),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const port = await listen(server);
  const token = () =>
    kms.trouble?.('token') === 'silence' ? new Promise<void>(() => undefined) : Promise.resolve();
  const gcp = { client: localGcpClient(port, token), timeoutMs };
  return Object.assign(kms, { port, stores: createKeyStores({ gcp }) });
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const bytesOf = (text = '') => Buffer.from(text, 'base64');
const associated = (name: string, body: Body) =>
  Buffer.concat([Buffer.from(name), bytesOf(body['additionalAuthenticatedData'])]);
const isWhole = (body: Body, member: string) =>
  String(crc32c(bytesOf(body[member]))) === body[`${member}Crc32c`];

function encrypted(name: string, { secret }: Key, body: Body): Answer {
  if (!isWhole(body, 'plaintext') || !isWhole(body, 'additionalAuthenticatedData'))
    return refused('INVALID_ARGUMENT');
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(associated(name, body));
  const sealed = Buffer.concat([
    nonce,
    cipher.update(bytesOf(body['plaintext'])),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return answered({
    ...{ name, ciphertext: base64(sealed), ciphertextCrc32c: String(crc32c(sealed)) },
    ...{ verifiedPlaintextCrc32c: true, verifiedAdditionalAuthenticatedDataCrc32c: true },
  });
}

function decrypted(name: string, { secret }: Key, body: Body): Answer {
  if (!isWhole(body, 'ciphertext') || !isWhole(body, 'additionalAuthenticatedData'))
    return refused('INVALID_ARGUMENT');
  const bytes = bytesOf(body['ciphertext']);
  try {
    const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12)).setAAD(
      associated(name, body),
    );
    decipher.setAuthTag(bytes.subarray(-16));
    const plaintext = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    return answered({
      plaintext: base64(plaintext),
      plaintextCrc32c: String(crc32c(plaintext)),
      usedPrimary: true,
    });
  } catch {
    return refused('INVALID_ARGUMENT');
  }
}
