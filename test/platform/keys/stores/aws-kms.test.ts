import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { inspect } from 'node:util';
import { verify } from '../../../../src/platform/crypto/index.js';
import {
  createKeyStores,
  createMasterKeys,
  openSigningKey,
  parseKeyUri,
  WrongMasterKey,
} from '../../../../src/platform/keys/index.js';
import { awsError, type LocalAwsKms, openLocalAwsKms } from './local-aws-kms.js';
import { expectRefusal } from '../key-room.js';
import type { Trouble } from './local-vault.js';

const AWAY = { code: 'UNAVAILABLE' };
const arn = (name: string) => `arn:aws:kms:eu-central-1:123456789012:key/${name}`;

describe('keys in AWS KMS (a local server that answers its requests to its SDK)', () => {
  let kms: LocalAwsKms;
  beforeEach(async () => {
    kms = await openLocalAwsKms();
    kms.makeKey(arn('master'));
    kms.makeKey(arn('relayer'), 'ECC_NIST_EDWARDS25519', 'SIGN_VERIFY');
  });
  afterEach(async () => kms[Symbol.asyncDispose]());

  const place = { kind: 'bytes', name: 'the test’s', keys: [randomBytes(32)] } as const;
  const uri = (keyId: string) => parseKeyUri(`aws-kms:${keyId}`);
  const next = (keyId: string) => createMasterKeys(place, kms.stores).next(new Set(), uri(keyId));
  const found = (keyId: string, stores = kms.stores) =>
    createMasterKeys(place, stores).find('aws-kms', keyId);
  const signingKey = (keyId: string) => openSigningKey(kms.stores, uri(keyId));
  const secret = Uint8Array.from(randomBytes(32));

  it('unwrap only in the same context', async () => {
    const key = await next(arn('master'));
    expect(key).toMatchObject({ provider: 'aws-kms', locator: arn('master') });
    const wrapped = await key.wrap(secret, 'data key 1');
    const again = await found(arn('master'));
    expect(await again.unwrap(wrapped, 'data key 1')).toEqual(secret);
    await expect(again.unwrap(wrapped, 'data key 2')).rejects.toBeInstanceOf(WrongMasterKey);
    await expect(again.unwrap(wrapped.subarray(0, 30), 'data key 1')).rejects.toBeInstanceOf(WrongMasterKey);
    kms.makeKey(arn('other'));
    await expect((await found(arn('other'))).unwrap(wrapped, 'data key 1')).rejects.toBeInstanceOf(
      WrongMasterKey,
    );
  });

  it('sign as Ed25519 does, and return no signature that does not verify', async () => {
    const key = await signingKey(arn('relayer'));
    const message = randomBytes(1_000);
    const signature = await key.sign(message);
    expect(verify(key.publicKey, message, signature)).toBe(true);
    const other = JSON.stringify({ Signature: randomBytes(64).toString('base64') });
    kms.trouble = () => ({ status: 200, body: other });
    const attempt = key.sign(message);
    await expect(attempt).rejects.toMatchObject(AWAY);
    await expect(attempt).rejects.toThrow('does not verify, so it is not used');
  });

  describe('refuse with an explanation', () => {
    it('a missing key, and how to create one', async () => {
      const missing = arn('nobody');
      await expectRefusal(next(missing), `AWS KMS has no key ${missing}`);
      await expectRefusal((await found(missing)).wrap(secret, 'row'), '--key-spec SYMMETRIC_DEFAULT');
      await expectRefusal(signingKey(missing), '--key-spec ECC_NIST_EDWARDS25519 --key-usage SIGN_VERIFY');
    });

    it('a key of another type', async () => {
      await expectRefusal(next(arn('relayer')), 'Name a key with key spec SYMMETRIC_DEFAULT');
      await expectRefusal((await found(arn('relayer'))).wrap(secret, 'row'), 'has the wrong type');
      await expectRefusal(signingKey(arn('master')), 'Name a key with key spec ECC_NIST_EDWARDS25519');
      kms.makeKey(arn('curve'), 'ECC_NIST_P256', 'SIGN_VERIFY');
      await expectRefusal(signingKey(arn('curve')), 'Name a key with key spec ECC_NIST_EDWARDS25519');
    });

    it('an alias as the name of a master key, and which ARN to use', async () => {
      kms.makeAlias(arn('master').replace('key/', 'alias/'), arn('master'));
      const alias = arn('master').replace('key/', 'alias/');
      await expectRefusal(next(alias), `Write aws-kms:${arn('master')}`);
    });

    it('a plain HTTP endpoint on another machine, and send nothing', async () => {
      const endpoint = kms.endpoint.replace('127.0.0.1', 'kms.example');
      const stores = createKeyStores({
        aws: { endpoint, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } },
      });
      await expectRefusal(
        (await found(arn('master'), stores)).wrap(secret, 'row'),
        'must begin with https://',
      );
    });

    it.each(['Disabled', 'PendingDeletion'] as const)(
      'a key that is %s, and do not take it for a wrong one',
      async (state) => {
        const key = await found(arn('master'));
        const wrapped = await key.wrap(secret, 'row');
        const signer = await signingKey(arn('relayer'));
        kms.setState(arn('master'), state);
        kms.setState(arn('relayer'), state);
        await expectRefusal(key.unwrap(wrapped, 'row'), 'is disabled or awaits its deletion');
        await expectRefusal(next(arn('master')), 'is disabled or awaits its deletion');
        await expectRefusal(signer.sign(randomBytes(8)), `aws kms enable-key --key-id ${arn('relayer')}`);
      },
    );

    it.each(['AccessDeniedException', 'ExpiredTokenException', 'InvalidSignatureException'])(
      'credentials that it refuses with %s, and ask once',
      async (type) => {
        kms.trouble = () => awsError(type, 'hush');
        const attempt = (await found(arn('master'))).wrap(secret, 'row');
        await expectRefusal(attempt, `Allow kms:Encrypt on ${arn('master')}`);
        await expect(attempt).rejects.not.toThrow('hush');
        expect(kms.requests).toEqual(['Encrypt']);
      },
    );

    it('a key without a known region', async () => {
      // As on a machine without AWS configuration.
      delete process.env['AWS_REGION'];
      Object.assign(process.env, {
        AWS_REGION: '',
        AWS_CONFIG_FILE: '/nowhere',
        AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
      });
      const stores = createKeyStores({
        aws: { endpoint: kms.endpoint, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } },
      });
      await expectRefusal((await found('alias/lucarne', stores)).wrap(secret, 'row'), 'Set AWS_REGION');
    });

    it.each(['', 'arn:aws:kms:eu-central-1:1:key/a', 'arn:aws:s3:::bucket', 'alias/', 'a b', '../key'])(
      'a URI that names no key: aws-kms:%s',
      (text) => {
        expect(() => uri(text)).toThrow(/names no key of AWS KMS\. Write aws-kms:ARN/);
      },
    );
  });

  it.each<[string, Trouble, string, number]>([
    ['throttling', awsError('ThrottlingException', 'hush'), 'does not answer: ThrottlingException', 3],
    ['in trouble', { status: 500, body: 'hush' }, 'does not answer', 3],
    [
      'without its hardware',
      { ...awsError('KeyUnavailableException'), status: 500 },
      'KeyUnavailableException',
      3,
    ],
    ['answering with no JSON', { status: 200, body: '<html>hush' }, 'does not answer: SyntaxError', 3],
    [
      'answering with other JSON',
      { status: 200, body: '{"Plaintext":{}}' },
      'answers that AWS KMS does not give',
      1,
    ],
    ['answering with nothing', { status: 200, body: '{}' }, 'answers that AWS KMS does not give', 1],
  ])('lead to 503 after a few attempts if the service fails: %s', async (_, trouble, text, attempts) => {
    const key = await found(arn('master'));
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

  it.each(['silence', 'stalls in the body'] as const)(
    'lead to 503 if the service does not answer: %s',
    async (trouble) => {
      await using silent = await openLocalAwsKms({ timeoutMs: 50 });
      silent.trouble = () => trouble;
      await expect((await found(arn('master'), silent.stores)).wrap(secret, 'row')).rejects.toMatchObject(
        AWAY,
      );
      await expect(openSigningKey(silent.stores, uri(arn('relayer')))).rejects.toMatchObject(AWAY);
    },
  );
});
