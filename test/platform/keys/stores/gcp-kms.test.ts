import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { inspect, promisify } from 'node:util';
import { verify } from '../../../../src/platform/crypto/index.js';
import { crc32c } from '../../../../src/platform/keys/gcp/crc32c.js';
import {
  createKeyStores,
  createMasterKeys,
  openSigningKey,
  parseKeyUri,
  WrongMasterKey,
} from '../../../../src/platform/keys/index.js';
import { gcpError, type LocalGcpKms, openLocalGcpKms } from './local-gcp-kms.js';
import { expectRefusal } from '../key-room.js';
import type { Trouble } from './local-vault.js';

const AWAY = { code: 'UNAVAILABLE' };
const named = (key: string) => `projects/p/locations/europe-west3/keyRings/lucarne/cryptoKeys/${key}`;
const MASTER = named('master');
const RELAYER = `${named('relayer')}/cryptoKeyVersions/1`;

describe('keys in Cloud KMS (a local server that answers its requests to its SDK)', () => {
  let kms: LocalGcpKms;
  beforeEach(async () => {
    kms = await openLocalGcpKms();
    kms.makeKey(MASTER);
    kms.makeKey(RELAYER, 'ASYMMETRIC_SIGN', 'EC_SIGN_ED25519');
  });
  afterEach(async () => kms[Symbol.asyncDispose]());

  const place = { kind: 'bytes', name: 'the test’s', keys: [randomBytes(32)] } as const;
  const uri = (name: string) => parseKeyUri(`gcp-kms:${name}`);
  const next = (name: string) => createMasterKeys(place, kms.stores).next(new Set(), uri(name));
  const found = (name: string, stores = kms.stores) => createMasterKeys(place, stores).find('gcp-kms', name);
  const signingKey = (name: string) => openSigningKey(kms.stores, uri(name));
  const secret = Uint8Array.from(randomBytes(32));

  it('unwrap only in the same context', async () => {
    const key = await next(MASTER);
    expect(key).toMatchObject({ provider: 'gcp-kms', locator: MASTER });
    const wrapped = await key.wrap(secret, 'data key 1');
    const again = await found(MASTER);
    expect(await again.unwrap(wrapped, 'data key 1')).toEqual(secret);
    await expect(again.unwrap(wrapped, 'data key 2')).rejects.toBeInstanceOf(WrongMasterKey);
    kms.makeKey(named('other'));
    await expect((await found(named('other'))).unwrap(wrapped, 'data key 1')).rejects.toBeInstanceOf(
      WrongMasterKey,
    );
  });

  it('sign as Ed25519 does', async () => {
    const key = await signingKey(RELAYER);
    const message = randomBytes(1_000);
    expect(verify(key.publicKey, message, await key.sign(message))).toBe(true);
  });

  it('return nothing that was corrupted in transit', async () => {
    const key = await found(MASTER);
    const wrapped = await key.wrap(secret, 'row');
    const signer = await signingKey(RELAYER);
    const bytes = randomBytes(64);
    const answer = (members: object): Trouble => ({ status: 200, body: JSON.stringify(members) });
    const wrong = {
      plaintextCrc32c: '1',
      ciphertextCrc32c: '1',
      signatureCrc32c: '1',
      verifiedDataCrc32c: true,
    };
    const text = bytes.toString('base64');
    kms.trouble = () => answer({ plaintext: text, ciphertext: text, signature: text, ...wrong });
    for (const attempt of [key.unwrap(wrapped, 'row'), key.wrap(secret, 'row'), signer.sign(bytes)]) {
      await expect(attempt).rejects.toMatchObject(AWAY);
      await expect(attempt).rejects.toThrow('was damaged on its way');
    }
    kms.trouble = () =>
      answer({ signature: text, signatureCrc32c: String(crc32c(bytes)), verifiedDataCrc32c: true });
    await expect(signer.sign(bytes)).rejects.toThrow('does not verify, so it is not used');
  });

  it('are checked with the CRC-32C of RFC 3720', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe306_9283);
    expect(crc32c(Buffer.alloc(32))).toBe(0x8a91_36aa);
  });

  describe('refuse with an explanation', () => {
    it('a missing key', async () => {
      await expectRefusal(next(named('nobody')), `Cloud KMS has no key ${named('nobody')}`);
      await expectRefusal(signingKey(`${named('nobody')}/cryptoKeyVersions/1`), 'gcloud kms keys create');
    });

    it('a master key with another name than its own, and which one to use', async () => {
      await expectRefusal(next(MASTER.replace('/p/', '/123/')), `Write gcp-kms:${MASTER}`);
    });

    it('any key while requests are logged', async () => {
      const key = await found(MASTER, createKeyStores({ gcp: { isLogged: true } }));
      await expectRefusal(
        key.wrap(secret, 'row'),
        'GOOGLE_SDK_NODE_LOGGING makes Google’s SDK print data keys',
      );
    });

    it('a key of another type', async () => {
      kms.makeKey(named('signing'), 'ASYMMETRIC_SIGN', 'EC_SIGN_ED25519');
      await expectRefusal(next(named('signing')), 'Name a key with the purpose ENCRYPT_DECRYPT');
      await expectRefusal(
        (await found(named('signing'))).wrap(secret, 'row'),
        'Name a key with the purpose ENCRYPT_DECRYPT',
      );
      await expectRefusal(next(RELAYER), 'Name the key without a version');
      await expectRefusal(signingKey(MASTER), 'Name a version');
      const curve = `${named('curve')}/cryptoKeyVersions/1`;
      kms.makeKey(curve, 'ASYMMETRIC_SIGN', 'EC_SIGN_P256_SHA256');
      await expectRefusal(signingKey(curve), 'Name a key with the algorithm EC_SIGN_ED25519');
    });

    it('a disabled key, without reporting it as wrong', async () => {
      const key = await found(MASTER);
      const wrapped = await key.wrap(secret, 'row');
      const signer = await signingKey(RELAYER);
      for (const name of [MASTER, RELAYER]) kms.setEnabled(name, false);
      await expectRefusal(key.unwrap(wrapped, 'row'), 'has no enabled version');
      await expectRefusal(next(MASTER), 'has no enabled version');
      await expectRefusal(signer.sign(randomBytes(8)), 'gcloud kms keys versions enable');
    });

    it.each(['PERMISSION_DENIED', 'UNAUTHENTICATED'] as const)(
      'credentials that it refuses with %s, and ask once',
      async (status) => {
        kms.trouble = () => gcpError(status);
        const attempt = (await found(MASTER)).wrap(secret, 'row');
        await expectRefusal(attempt, 'Cloud KMS refuses the credentials');
        await expect(attempt).rejects.not.toThrow('hush');
        expect(kms.requests).toEqual(['encrypt']);
      },
    );

    it.each(['', 'projects/p', `${MASTER}/`, `${MASTER}/cryptoKeyVersions/0`, `${MASTER}?x=1`])(
      'a URI that names no key: gcp-kms:%s',
      (text) => {
        expect(() => uri(text)).toThrow(/names no key of Cloud KMS\. Write gcp-kms:projects/);
      },
    );
  });

  it.each<[string, Trouble, string, number]>([
    ['throttling', gcpError('RESOURCE_EXHAUSTED'), 'does not answer: code 8', 3],
    ['in trouble', gcpError('UNAVAILABLE'), 'does not answer: code 14', 3],
    ['answering with no JSON', { status: 200, body: '<html>hush' }, 'does not answer', 3],
    ['answering with nothing', { status: 200, body: '{}' }, 'answers that Cloud KMS does not give', 1],
  ])('lead to 503 after a few attempts if the service fails: %s', async (_, trouble, text, attempts) => {
    const key = await found(MASTER);
    const wrapped = await key.wrap(secret, 'row');
    kms.trouble = () => trouble;
    kms.requests.length = 0;
    const thrown: unknown = await key.unwrap(wrapped, 'row').catch((error: unknown) => error);
    expect(thrown).toMatchObject(AWAY);
    expect((thrown as Error).message).toContain(text);
    expect(kms.requests).toHaveLength(attempts);
    for (const hidden of ['hush', Buffer.from(secret).toString('base64')])
      expect(inspect(thrown, { depth: 10 })).not.toContain(hidden);
    kms.trouble = undefined;
    expect(await key.unwrap(wrapped, 'row')).toEqual(secret);
  });

  it.each(['encrypt', 'token'])(
    'lead to 503 if the service does not answer a request of: %s',
    async (silentOne) => {
      await using silent = await openLocalGcpKms({ timeoutMs: 50 });
      silent.trouble = (request) =>
        request === silentOne || request === 'publicKey' ? 'silence' : undefined;
      await expect((await found(MASTER, silent.stores)).wrap(secret, 'row')).rejects.toMatchObject(AWAY);
      await expect(openSigningKey(silent.stores, uri(RELAYER))).rejects.toMatchObject(AWAY);
    },
  );

  it('report what is missing if credentials cannot be read, and read them again later', async () => {
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', ASK_TWICE], {
      env: { ...process.env, GOOGLE_APPLICATION_CREDENTIALS: '/nowhere/credentials.json' },
    });
    expect(
      stdout.split('\n').filter((line) => line.startsWith('Cloud KMS refuses the credentials')),
    ).toHaveLength(2);
  });
});

const run = promisify(execFile);
const ASK_TWICE = `
  import { createGcpKmsClient } from '${pathToFileURL('dist/src/platform/keys/gcp/gcp-kms-client.js').href}';
  const client = createGcpKmsClient({});
  for (const _ of [1, 2])
    await client.send('getCryptoKey', '${MASTER}').catch((thrown) => console.log(thrown.message));
`;
