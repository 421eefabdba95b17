import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { sign, signingPublicKey } from '../../../../src/platform/crypto/index.js';
import { createKeyStores, type KeyStores } from '../../../../src/platform/keys/index.js';
import type { VaultConfiguration } from '../../../../src/platform/keys/vault/vault-client.js';
import { listen } from '../../../kit/process/local-server.js';

/** The answer instead of the correct one. */
export type Trouble = { readonly status: number; readonly body?: string } | 'silence';

export interface LocalVault extends AsyncDisposable {
  readonly configuration: VaultConfiguration;
  readonly stores: KeyStores;
  readonly token: string;
  /** The requests so far, such as `POST transit/encrypt/master`. */
  readonly requests: string[];
  /** Called before each answer. */
  trouble: ((request: string) => Trouble | undefined) | undefined;
  makeKey(name: string, type: string, more?: { readonly derived?: boolean }): void;
  /** Creates another version of the key, like `vault write -f transit/keys/NAME/rotate`. */
  rotate(name: string): void;
  setMinDecryptionVersion(name: string, version: number): void;
  deleteKey(name: string): void;
  /** Soft-deletes a key: it can be read, but not used. */
  disable(name: string): void;
}

interface Key {
  readonly type: string;
  readonly derived: boolean;
  readonly versions: Buffer[];
  minDecryptionVersion: number;
  isDisabled: boolean;
}

type Body = Readonly<Record<string, string | number | boolean | undefined>>;
type Answer = { readonly status: number; readonly body?: object };

const refused = (status: number, ...errors: string[]): Answer => ({ status, body: { errors } });
const answered = (data: object): Answer => ({ status: 200, body: { request_id: 'one', lease_id: '', data } });

/**
 * A server for the documented requests of Vault's Transit engine, mounted at `transit`, with real AES-256-GCM and Ed25519. It
 * is not Vault: it only matches the documentation.
 */
export async function openLocalVault({ timeoutMs = 5_000 } = {}): Promise<LocalVault> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-vault-'));
  const tokenFile = path.join(directory, 'token');
  const token = `hvs.${randomBytes(24).toString('base64url')}`;
  await writeFile(tokenFile, `${token}\n`, { mode: 0o400 });
  const keys = new Map<string, Key>();
  const requests: string[] = [];
  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const called = `${request.method} ${request.url!.replace(/^\/v1\//, '')}`;
    requests.push(called);
    const trouble = vault.trouble?.(called);
    if (trouble === 'silence') return;
    const text = Buffer.concat(chunks).toString();
    const { status, body } = trouble
      ? { status: trouble.status, body: trouble.body }
      : answer(request, called, text === '' ? {} : (JSON.parse(text) as Body));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'object' ? JSON.stringify(body) : body);
  }

  function answer({ headers }: IncomingMessage, called: string, body: Body): Answer {
    if (headers['x-vault-token'] !== token) return refused(403, 'permission denied');
    const [, method, mount, verb, name] = /^(\w+) (\w+)\/(\w+)\/([\w.-]+)$/.exec(called) ?? [];
    if (mount !== 'transit' || !name) return refused(404, `no handler for route "${called}"`);
    const key = keys.get(name);
    if (verb === 'keys' && method === 'GET') return key ? answered(described(name, key)) : refused(404);
    if (verb === 'keys') {
      if (!key)
        vault.makeKey(name, String(body['type'] ?? 'aes256-gcm96'), { derived: body['derived'] === true });
      return answered(described(name, keys.get(name)!));
    }
    if (!key) return refused(400, 'encryption key not found');
    if (key.isDisabled) return refused(400, 'key is soft deleted');
    if (verb === 'encrypt') return encrypted(key, body);
    if (verb === 'decrypt') return decrypted(key, body);
    return verb === 'sign' ? signed(key, body) : refused(404);
  }

  const vault: LocalVault = {
    configuration: { address: new URL('http://127.0.0.1'), tokenFile, timeoutMs },
    stores: {},
    token,
    requests,
    trouble: undefined,
    makeKey(name, type, { derived = false } = {}) {
      const versions = [randomBytes(32)];
      keys.set(name, { type, derived, versions, minDecryptionVersion: 1, isDisabled: false });
    },
    rotate: (name) => void keys.get(name)!.versions.push(randomBytes(32)),
    setMinDecryptionVersion: (name, version) => void (keys.get(name)!.minDecryptionVersion = version),
    deleteKey: (name) => void keys.delete(name),
    disable: (name) => void (keys.get(name)!.isDisabled = true),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
  const port = await listen(server);
  const configuration = { ...vault.configuration, address: new URL(`http://127.0.0.1:${port}`) };
  return Object.assign(vault, { configuration, stores: createKeyStores({ vault: configuration }) });
}

function described(name: string, { type, derived, versions, minDecryptionVersion }: Key): object {
  const isSigning = type === 'ed25519';
  const entry = (secret: Buffer) =>
    isSigning
      ? { name: type, creation_time: '2026-01-01T00:00:00Z', public_key: base64(signingPublicKey(secret)) }
      : 1_767_225_600;
  return {
    ...{ name, type, derived, deletion_allowed: false, exportable: false, allow_plaintext_backup: false },
    ...{
      latest_version: versions.length,
      min_decryption_version: minDecryptionVersion,
      min_encryption_version: 0,
    },
    ...{ supports_encryption: !isSigning, supports_decryption: !isSigning, supports_signing: isSigning },
    keys: Object.fromEntries(versions.map((secret, index) => [String(index + 1), entry(secret)])),
  };
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** The secret of a key version; for a derived key, that of the context. */
function secretOf({ derived, versions }: Key, version: number, context: string): Buffer {
  const secret = versions[version - 1]!;
  return derived ? Buffer.from(hkdfSync('sha256', secret, '', Buffer.from(context, 'base64'), 32)) : secret;
}

function encrypted(key: Key, { plaintext, context }: Body): Answer {
  if (key.type === 'ed25519')
    return refused(400, `message encryption not supported for key type ${key.type}`);
  if (key.derived && context === undefined) return refused(400, 'missing context for key derivation');
  const nonce = randomBytes(12);
  const version = key.versions.length;
  const cipher = createCipheriv('aes-256-gcm', secretOf(key, version, String(context)), nonce);
  const sealed = [
    nonce,
    cipher.update(Buffer.from(String(plaintext), 'base64')),
    cipher.final(),
    cipher.getAuthTag(),
  ];
  return answered({ ciphertext: `vault:v${version}:${base64(Buffer.concat(sealed))}`, key_version: version });
}

function decrypted(key: Key, { ciphertext, context }: Body): Answer {
  const [, number, text] = /^vault:v(\d+):(.+)$/.exec(String(ciphertext)) ?? [];
  const version = Number(number);
  if (!text || version > key.versions.length) return refused(400, 'invalid ciphertext: version is too new');
  if (version < key.minDecryptionVersion)
    return refused(400, 'ciphertext or signature version is disallowed by policy (too old)');
  try {
    const bytes = Buffer.from(text, 'base64');
    const decipher = createDecipheriv(
      'aes-256-gcm',
      secretOf(key, version, String(context)),
      bytes.subarray(0, 12),
    );
    decipher.setAuthTag(bytes.subarray(-16));
    const plaintext = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    return answered({ plaintext: base64(plaintext) });
  } catch {
    return refused(400, 'cipher: message authentication failed');
  }
}

function signed(key: Key, { input, key_version: wanted }: Body): Answer {
  if (key.type !== 'ed25519') return refused(400, `key type ${key.type} does not support signing`);
  const version = Number(wanted) || key.versions.length;
  const signature = sign(key.versions[version - 1]!, Buffer.from(String(input), 'base64'));
  return answered({ signature: `vault:v${version}:${base64(signature)}`, key_version: version });
}
