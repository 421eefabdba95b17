import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { verify } from '../../../src/platform/crypto/index.js';
import {
  createKeyStores,
  createMasterKeys,
  type MasterKey,
  openSigningKey,
  parseKeyUri,
  WrongMasterKey,
} from '../../../src/platform/keys/index.js';
import { CK, loadCryptoki } from '../../../src/platform/keys/pkcs11/pkcs11-module.js';
import { pkcs11Store } from '../../../src/platform/keys/pkcs11/pkcs11-store.js';
import { createTokens } from '../../../src/platform/keys/pkcs11/tokens.js';
import { HAS_SOFT_HSM, openSoftHsm, PIN, type SoftHsm } from './soft-hsm.js';

const TOKEN = 'lucarne-pkcs11';
const AT = { code: 'UNAVAILABLE' };

// Without Debian's softhsm2 there is no token to ask.
const describeTokens = HAS_SOFT_HSM ? describe : describe.skip;
describeTokens('keys in a PKCS #11 token (SoftHSM2)', () => {
  let hsm: SoftHsm;
  beforeAll(async () => {
    hsm = await openSoftHsm(TOKEN);
  });
  afterAll(async () => hsm[Symbol.asyncDispose]());

  const place = { kind: 'bytes', name: 'the test’s', keys: [randomBytes(32)] } as const;
  const stores = () => ({ pkcs11: pkcs11Store(hsm.tokens) });
  const masterKeys = () => createMasterKeys(place, stores());
  const uriOf = (object: string) => parseKeyUri(`pkcs11:token=${TOKEN};object=${object}`);
  const made = (object: string) => masterKeys().next(new Set(), uriOf(object));
  const signingKey = (object: string) => openSigningKey(stores(), uriOf(object));

  describe('that wrap', () => {
    const secret = randomBytes(32);

    it('open what they wrapped, in its own context only, and are found again', async () => {
      const key = await made('master-1');
      const wrapped = await key.wrap(secret, 'data key 1');
      expect(wrapped).toHaveLength(12 + 32 + 16);
      expect(Buffer.from(wrapped).includes(secret)).toBe(false);
      const again = await createMasterKeys(place, createKeyStores({ pkcs11: hsm.configuration })).find(
        'pkcs11',
        key.locator,
      );
      expect(await again.unwrap(wrapped, 'data key 1')).toEqual(Uint8Array.from(secret));
      await expect(again.unwrap(wrapped, 'data key 2')).rejects.toBeInstanceOf(WrongMasterKey);
      // A refusal leaves the token usable.
      expect(await again.unwrap(wrapped, 'data key 1')).toEqual(Uint8Array.from(secret));
    });

    it('do not open what another key wrapped', async () => {
      const wrapped = await (await made('master-2')).wrap(secret, 'row');
      await expect((await made('master-1')).unwrap(wrapped, 'row')).rejects.toBeInstanceOf(WrongMasterKey);
      await expect((await made('master-1')).unwrap(wrapped.subarray(0, 20), 'row')).rejects.toBeInstanceOf(
        WrongMasterKey,
      );
    });

    it('never leave the token', async () => {
      await made('kept');
      const value = hsm.tokens.use(TOKEN, (session) => {
        const { cryptoki, handle } = session;
        const key = session.find('kept', [{ type: CK.LABEL, value: 'kept' }])!;
        const CKA_VALUE = 0x11;
        return Promise.resolve(cryptoki.C_GetAttributeValue(handle, key, [{ type: CKA_VALUE }]));
      });
      await expect(value).rejects.toThrow(/SENSITIVE/);
    });

    it('serve many callers at once', async () => {
      const key = await made('master-1');
      const wrapped = await Promise.all(
        Array.from({ length: 50 }, (_, row) => key.wrap(secret, `row ${row}`)),
      );
      const opened = await Promise.all(wrapped.map((each, row) => key.unwrap(each, `row ${row}`)));
      expect(opened.every((each) => Buffer.from(each).equals(secret))).toBe(true);
    });
  });

  describe('that sign', () => {
    it('sign as Ed25519 does', async () => {
      await hsm.makeSigningKey('relayer');
      const key = await signingKey('relayer');
      const message = randomBytes(1_000);
      const signature = await key.sign(message);
      expect(signature).toHaveLength(64);
      expect(verify(key.publicKey, message, signature)).toBe(true);
    });
  });

  describe('refuse with a sentence', () => {
    const sentence = (attempt: Promise<unknown>, text: RegExp | string) =>
      expect(attempt).rejects.toThrow(
        expect.objectContaining({ name: 'ConfigurationError', message: expect.stringMatching(text) }),
      );

    it('a key that is not there', async () => {
      const missing = await masterKeys().find('pkcs11', `token=${TOKEN};object=nobody`);
      await sentence(missing.wrap(randomBytes(32), 'row'), 'has no AES key “nobody”');
      await sentence(signingKey('nobody'), 'has no private Ed25519 key “nobody”');
    });

    it('a signing key of another kind', async () => {
      await made('an-aes-key');
      const attempt = signingKey('an-aes-key');
      await sentence(attempt, 'has no private Ed25519 key “an-aes-key”');
    });

    it('two keys of one name', async () => {
      await hsm.makeSigningKey('twin');
      await hsm.makeSigningKey('twin');
      const attempt = signingKey('twin');
      await sentence(attempt, 'has several keys “twin”');
    });

    it('a mechanism that the token lacks', async () => {
      const attempt = hsm.tokens.use(TOKEN, (session) => {
        session.requireMechanism(0x7fff_fff0, 'CKM_OF_NOBODY');
        return Promise.resolve();
      });
      await sentence(attempt, 'lacks the mechanism CKM_OF_NOBODY');
    });

    it('a master key of a token without a token', async () => {
      const attempt = createMasterKeys(place).find('pkcs11', 'token=a;object=b');
      await sentence(attempt, 'The master key pkcs11:token=a;object=b needs LUCARNE_PKCS11_MODULE and');
    });

    it('a library that is none', async () => {
      await sentence(loadCryptoki('/nowhere/library.so'), /cannot be loaded from \/nowhere/);
    });

    it('a PIN that is wrong, empty or cannot be read', async () => {
      const { pinFile } = hsm.configuration;
      const attempt = async () => {
        // The login is the process's, so it ends with the library's.
        const cryptoki = await loadCryptoki(hsm.configuration.module);
        cryptoki.C_Finalize();
        cryptoki.C_Initialize();
        return createTokens(hsm.configuration).use(TOKEN, () => Promise.resolve());
      };
      const change = async (text: string) => {
        await rm(pinFile, { force: true });
        await writeFile(pinFile, text);
      };
      await change('000000');
      await sentence(attempt(), /refuses the PIN of LUCARNE_PKCS11_PIN_FILE: CKR_PIN_INCORRECT/);
      await change('\n');
      await sentence(attempt(), 'LUCARNE_PKCS11_PIN_FILE is empty');
      await rm(pinFile);
      await sentence(attempt(), 'LUCARNE_PKCS11_PIN_FILE cannot be read');
      await change(PIN);
      await attempt();
    });
  });

  it('that are away make 503, and are used again when they are back', async () => {
    const key: MasterKey = await made('master-1');
    await hsm.makeSigningKey('away');
    const signer = await signingKey('away');
    const wrapped = await key.wrap(randomBytes(32), 'row');
    await hsm.setPresent(false);
    await expect(key.unwrap(wrapped, 'row')).rejects.toMatchObject(AT);
    await expect(key.unwrap(wrapped, 'row')).rejects.toThrow(/^The token “lucarne-pkcs11”/);
    await expect(signer.sign(randomBytes(8))).rejects.toMatchObject(AT);
    await hsm.setPresent(true);
    expect(await key.unwrap(wrapped, 'row')).toHaveLength(32);
    expect(await signer.sign(randomBytes(8))).toHaveLength(64);
  });
});
