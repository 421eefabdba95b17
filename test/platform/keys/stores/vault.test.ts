import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { chmod, writeFile } from 'node:fs/promises';
import { verify } from '../../../../src/platform/crypto/index.js';
import {
  createKeyStores,
  createMasterKeys,
  openSigningKey,
  parseKeyUri,
  WrongMasterKey,
} from '../../../../src/platform/keys/index.js';
import { expectRefusal } from '../key-room.js';
import { type LocalVault, openLocalVault, type Trouble } from './local-vault.js';

const AWAY = { code: 'UNAVAILABLE' };

describe('keys in Vault (a local server that answers Transit’s requests)', () => {
  let vault: LocalVault;
  beforeEach(async () => {
    vault = await openLocalVault();
  });
  afterEach(async () => vault[Symbol.asyncDispose]());

  const place = { kind: 'bytes', name: 'the test’s', keys: [randomBytes(32)] } as const;
  const masterKeys = (stores = vault.stores) => createMasterKeys(place, stores);
  const made = (name: string) => masterKeys().next(new Set(), parseKeyUri(`vault:transit/${name}`));
  const found = (name: string) => masterKeys().find('vault', `transit/${name}`);
  const signingKey = (name: string) => openSigningKey(vault.stores, parseKeyUri(`vault:transit/${name}`));
  const secret = Uint8Array.from(randomBytes(32));

  describe('that wrap', () => {
    it('are created if missing, unwrap only in the same context, and are found again', async () => {
      const key = await made('master');
      expect(key).toMatchObject({ provider: 'vault', locator: 'transit/master' });
      const wrapped = await key.wrap(secret, 'data key 1');
      expect(Buffer.from(wrapped).toString()).toMatch(/^vault:v1:/);
      const again = await found('master');
      expect(await again.unwrap(wrapped, 'data key 1')).toEqual(secret);
      await expect(again.unwrap(wrapped, 'data key 2')).rejects.toBeInstanceOf(WrongMasterKey);
      await made('other');
      await expect((await found('other')).unwrap(wrapped, 'data key 1')).rejects.toBeInstanceOf(
        WrongMasterKey,
      );
      for (const foreign of [randomBytes(60), Buffer.from('vault:v1:'), Buffer.from('vault:v0:aaaa')])
        await expect(again.unwrap(foreign, 'data key 1')).rejects.toBeInstanceOf(WrongMasterKey);
    });

    it('unwrap values from before their rotation in Vault', async () => {
      const key = await made('master');
      const before = await key.wrap(secret, 'row');
      vault.rotate('master');
      expect(Buffer.from(await key.wrap(secret, 'row')).toString()).toMatch(/^vault:v2:/);
      expect(await key.unwrap(before, 'row')).toEqual(secret);
      vault.setMinDecryptionVersion('master', 2);
      await expectRefusal(key.unwrap(before, 'row'), 'Set its min_decryption_version to 1');
    });

    it('are never created by wrapping, because Vault would create one of another type', async () => {
      const key = await made('master');
      const wrapped = await key.wrap(secret, 'row');
      vault.deleteKey('master');
      await expectRefusal((await found('master')).wrap(secret, 'row'), 'Vault has no key “transit/master”');
      await expectRefusal(
        key.unwrap(wrapped, 'row'),
        'vault write -f transit/keys/master type=aes256-gcm96 derived=true',
      );
    });

    it('report that they were soft-deleted, instead of being the wrong key', async () => {
      const key = await made('master');
      const wrapped = await key.wrap(secret, 'row');
      vault.disable('master');
      await expectRefusal(key.unwrap(wrapped, 'row'), 'exists but cannot be used. Restore it');
      await expectRefusal(key.wrap(secret, 'row'), 'exists but cannot be used. Restore it');
    });
  });

  describe('that sign', () => {
    it('sign as Ed25519 does, with the version that they began with', async () => {
      vault.makeKey('relayer', 'ed25519');
      vault.rotate('relayer');
      const key = await signingKey('relayer');
      vault.rotate('relayer');
      const message = randomBytes(1_000);
      const signature = await key.sign(message);
      expect(signature).toHaveLength(64);
      expect(verify(key.publicKey, message, signature)).toBe(true);
    });

    it('return no signature that does not verify', async () => {
      vault.makeKey('relayer', 'ed25519');
      const key = await signingKey('relayer');
      const signature = `vault:v1:${randomBytes(64).toString('base64')}`;
      vault.trouble = () => ({ status: 200, body: JSON.stringify({ data: { signature } }) });
      await expect(key.sign(randomBytes(8))).rejects.toMatchObject(AWAY);
      await expect(key.sign(randomBytes(8))).rejects.toThrow(
        'signature of the key vault:transit/relayer does not verify',
      );
    });
  });

  describe('refuse with an explanation', () => {
    it.each([
      ['ed25519', { derived: true }, 'has the type “ed25519”. Name a key of type aes256-gcm96'],
      ['aes128-gcm96', { derived: true }, 'has the type “aes128-gcm96”'],
      ['aes256-gcm96', {}, 'was made without derived=true'],
    ])('a master key of another type: %s %j', async (type, more, text) => {
      vault.makeKey('odd', type, more);
      await expectRefusal(made('odd'), text);
      await expectRefusal((await found('odd')).wrap(secret, 'row'), text);
    });

    it.each([
      ['aes256-gcm96', {}, 'is of another type. Name a key of type ed25519'],
      ['ed25519', { derived: true }, 'is derived. Name a key of type ed25519'],
    ])('a signing key of another type: %s %j', async (type, more, text) => {
      vault.makeKey('odd', type, more);
      await expectRefusal(signingKey('odd'), text);
    });

    it('a missing key and a missing engine', async () => {
      await expectRefusal(signingKey('nobody'), 'Vault has no key “transit/nobody”');
      await expectRefusal(
        masterKeys().next(new Set(), parseKeyUri('vault:elsewhere/master')),
        'Vault has no Transit engine',
      );
    });

    it('a token that Vault refuses, or that is empty, malformed or unreadable, after asking Vault once', async () => {
      const key = await made('master');
      const { tokenFile } = vault.configuration;
      await chmod(tokenFile, 0o600);
      await writeFile(tokenFile, 'hvs.expired-hush');
      vault.requests.length = 0;
      await expectRefusal(
        key.wrap(secret, 'row'),
        'refuses the token of LUCARNE_VAULT_TOKEN_FILE for transit/encrypt/master',
      );
      expect(vault.requests).toHaveLength(1);
      await expect(key.wrap(secret, 'row')).rejects.not.toThrow('hush');
      await writeFile(tokenFile, '\n');
      await expectRefusal(key.wrap(secret, 'row'), 'LUCARNE_VAULT_TOKEN_FILE is empty');
      await writeFile(tokenFile, 'hush and\nmore');
      await expectRefusal(key.wrap(secret, 'row'), 'LUCARNE_VAULT_TOKEN_FILE must hold one token');
      const nowhere = { ...vault.configuration, tokenFile: '/nowhere/token' };
      const lost = await masterKeys(createKeyStores({ vault: nowhere })).find('vault', 'transit/master');
      await expectRefusal(lost.wrap(secret, 'row'), 'LUCARNE_VAULT_TOKEN_FILE cannot be read');
      // A token that an agent writes is used without a restart.
      await writeFile(tokenFile, vault.token);
      await key.wrap(secret, 'row');
    });
  });

  describe('during an outage of Vault', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    it.each<[string, Trouble, string]>([
      [
        'throttled',
        { status: 429, body: '{"errors":["request path \\"x\\": rate limit quota exceeded"]}' },
        'refuses more requests',
      ],
      [
        'sealed',
        { status: 503, body: '{"errors":["Vault is sealed"]}' },
        'is sealed or down for maintenance',
      ],
      ['in trouble', { status: 500, body: 'hush' }, 'answers with status 500'],
      ['redirecting', { status: 307 }, 'does not answer'],
      [
        'answering with no JSON',
        { status: 200, body: '<html>hush</html>' },
        'answers that a Transit engine does not give',
      ],
      [
        'answering with other JSON',
        { status: 200, body: '{"data":[]}' },
        'answers that a Transit engine does not give',
      ],
      [
        'answering with members twice',
        { status: 200, body: '{"data":{},"data":{}}' },
        'answers that a Transit engine does not give',
      ],
      ['answering too deeply', { status: 200, body: deep }, 'nested more than 64 levels deep'],
      ['answering at length', { status: 200, body: `"${'x'.repeat(2 ** 21)}"` }, 'more than 1048576 bytes'],
    ])('answer 503 if it is %s', async (_, trouble, text) => {
      const key = await made('master');
      const wrapped = await key.wrap(secret, 'row');
      vault.trouble = () => trouble;
      vault.requests.length = 0;
      const attempt = key.unwrap(wrapped, 'row');
      await expect(attempt).rejects.toMatchObject(AWAY);
      await expect(attempt).rejects.toThrow(text);
      // A limited number of attempts.
      expect(vault.requests).toHaveLength(3);
      const thrown: unknown = await attempt.catch((error: unknown) => error);
      for (const hidden of ['hush', vault.token, Buffer.from(secret).toString('base64')])
        expect(inspect(thrown, { depth: 10 })).not.toContain(hidden);
      vault.trouble = undefined;
      expect(await key.unwrap(wrapped, 'row')).toEqual(secret);
    });

    it('answer 503 if it does not answer', async () => {
      await using silent = await openLocalVault({ timeoutMs: 50 });
      silent.trouble = () => 'silence';
      const key = await masterKeys(silent.stores).find('vault', 'transit/master');
      await expect(key.wrap(secret, 'row')).rejects.toMatchObject(AWAY);
      await expect(openSigningKey(silent.stores, parseKeyUri('vault:transit/relayer'))).rejects.toMatchObject(
        AWAY,
      );
    });

    it('answer 503 if it cannot be reached', async () => {
      const address = new URL('http://127.0.0.1:1');
      const stores = createKeyStores({ vault: { ...vault.configuration, address } });
      const key = await masterKeys(stores).find('vault', 'transit/master');
      await expect(key.wrap(secret, 'row')).rejects.toMatchObject(AWAY);
      await expect(key.wrap(secret, 'row')).rejects.toThrow(
        /^Vault at http:\/\/127\.0\.0\.1:1 does not answer: /,
      );
    });

    it('try again, so that no caller notices a short outage', async () => {
      const key = await made('master');
      const answers: (Trouble | undefined)[] = [{ status: 429 }, { status: 503 }];
      vault.trouble = () => answers.shift();
      expect(await key.unwrap(await key.wrap(secret, 'row'), 'row')).toEqual(secret);
    });
  });
});
