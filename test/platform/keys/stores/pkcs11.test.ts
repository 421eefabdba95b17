import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { verify } from '../../../../src/platform/crypto/index.js';
import {
  createKeyStores,
  createMasterKeys,
  type MasterKey,
  openSigningKey,
  parseKeyUri,
  WrongMasterKey,
} from '../../../../src/platform/keys/index.js';
import { CK, loadCryptoki } from '../../../../src/platform/keys/pkcs11/pkcs11-module.js';
import { PIN } from '../../../kit/process/soft-hsm-token.js';
import { HAS_SOFT_HSM, openSoftHsm, processesOf, type SoftHsm } from './soft-hsm.js';

const TOKEN = 'lucarne-pkcs11';
const AT = { code: 'UNAVAILABLE' };

// Without Debian's softhsm2, there is no token.
const describeTokens = HAS_SOFT_HSM ? describe : describe.skip;
describeTokens('keys in a PKCS #11 token (SoftHSM2)', () => {
  let hsm: SoftHsm;
  beforeAll(async () => {
    hsm = await openSoftHsm(TOKEN);
  });
  afterAll(async () => hsm[Symbol.asyncDispose]());

  const place = { kind: 'bytes', name: 'the test’s', keys: [randomBytes(32)] } as const;
  const masterKeys = () => createMasterKeys(place, hsm.stores);
  const uriOf = (object: string) => parseKeyUri(`pkcs11:token=${TOKEN};object=${object}`);
  const made = (object: string) => masterKeys().next(new Set(), uriOf(object));
  const signingKey = (object: string) => openSigningKey(hsm.stores, uriOf(object));

  describe('that wrap', () => {
    const secret = randomBytes(32);

    it('unwrap only in the same context, and are found again', async () => {
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
      // After a refusal, the token can still be used.
      expect(await again.unwrap(wrapped, 'data key 1')).toEqual(Uint8Array.from(secret));
    });

    it('cannot unwrap what another key wrapped', async () => {
      const wrapped = await (await made('master-2')).wrap(secret, 'row');
      await expect((await made('master-1')).unwrap(wrapped, 'row')).rejects.toBeInstanceOf(WrongMasterKey);
      await expect((await made('master-1')).unwrap(wrapped.subarray(0, 20), 'row')).rejects.toBeInstanceOf(
        WrongMasterKey,
      );
    });

    it('never leave the token', async () => {
      await made('kept');
      const value = hsm.sessions.use(TOKEN, (session) => {
        const { cryptoki, handle } = session;
        const key = session.find('kept', [{ type: CK.LABEL, value: 'kept' }])!;
        const CKA_VALUE = 0x11;
        return Promise.resolve(cryptoki.C_GetAttributeValue(handle, key, [{ type: CKA_VALUE }]));
      });
      await expect(value).rejects.toThrow(/SENSITIVE/);
    });

    it('serve many concurrent callers', async () => {
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

  describe('refuse with an explanation', () => {
    const sentence = (attempt: Promise<unknown>, text: RegExp | string) =>
      expect(attempt).rejects.toThrow(
        expect.objectContaining({ name: 'ConfigurationError', message: expect.stringMatching(text) }),
      );

    it('a missing key', async () => {
      const missing = await masterKeys().find('pkcs11', `token=${TOKEN};object=nobody`);
      await sentence(missing.wrap(randomBytes(32), 'row'), 'has no AES key “nobody”');
      await sentence(signingKey('nobody'), 'has no private Ed25519 key “nobody”');
    });

    it('a signing key of another kind', async () => {
      await made('an-aes-key');
      const attempt = signingKey('an-aes-key');
      await sentence(attempt, 'has no private Ed25519 key “an-aes-key”');
    });

    it('a master key of another kind', async () => {
      await hsm.makeSigningKey('a-signing-key');
      const key = await masterKeys().find('pkcs11', `token=${TOKEN};object=a-signing-key`);
      await sentence(key.wrap(randomBytes(32), 'row'), 'has no AES key “a-signing-key”');
    });

    it('two keys of the same name', async () => {
      await hsm.makeSigningKey('twin');
      await hsm.makeSigningKey('twin');
      const attempt = signingKey('twin');
      await sentence(attempt, 'has several keys “twin”');
    });

    it('a mechanism that the token lacks', async () => {
      const attempt = hsm.sessions.use(TOKEN, (session) => {
        session.requireMechanism(0x7fff_fff0, 'CKM_OF_NOBODY');
        return Promise.resolve();
      });
      await sentence(attempt, 'lacks the mechanism CKM_OF_NOBODY');
    });

    it('a master key in a token if no token is configured', async () => {
      const attempt = createMasterKeys(place).find('pkcs11', 'token=a;object=b');
      await sentence(attempt, 'The master key pkcs11:token=a;object=b needs LUCARNE_PKCS11_MODULE and');
    });

    it('a file that is not a PKCS #11 library', async () => {
      await sentence(loadCryptoki('/nowhere/library.so'), /cannot be loaded from \/nowhere/);
    });

    it('a PIN that is wrong, empty or unreadable', async () => {
      const { pinFile } = hsm.configuration;
      await made('master-1');
      const { locator } = uriOf('master-1');
      const attempt = () =>
        createKeyStores({ pkcs11: hsm.configuration }).pkcs11!.masterKey(locator).require();
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

  it('do not retry a PIN that the token refused until its file changes', async () => {
    const label = 'lucarne-pkcs11-pin';
    await using own = await openSoftHsm(label);
    const { pinFile } = own.configuration;
    const key = await createMasterKeys(place, own.stores).find('pkcs11', `token=${label};object=master-1`);
    const attempt = () => key.wrap(randomBytes(32), 'row');
    const refusal = /refuses the PIN of LUCARNE_PKCS11_PIN_FILE: CKR_PIN_INCORRECT/;
    await writeFile(pinFile, '00000000');
    await expect(attempt()).rejects.toThrow(refusal);
    // If it were asked, it would answer that the token is not present.
    await own.setPresent(false);
    await expect(attempt()).rejects.toThrow(refusal);
    await own.setPresent(true);
    await writeFile(pinFile, PIN);
    await expect(attempt()).rejects.toThrow('has no AES key');
  });

  it('cause a 503 if the token refuses to use them, and leave its other keys usable', async () => {
    await hsm.sessions.use(TOKEN, ({ cryptoki, handle }) => {
      cryptoki.C_GenerateKey(handle, { mechanism: CK.AES_KEY_GEN }, [
        { type: CK.CLASS, value: CK.SECRET_KEY },
        { type: CK.KEY_TYPE, value: CK.KEY_TYPE_AES },
        { type: CK.LABEL, value: 'not-for-this' },
        { type: CK.VALUE_LEN, value: 32 },
        { type: CK.TOKEN, value: true },
        { type: CK.ENCRYPT, value: false },
      ]);
      return Promise.resolve();
    });
    const { locator } = await made('master-1');
    // If it counted as unavailable, it would rest for the whole test.
    const keys = createMasterKeys(
      place,
      createKeyStores({ pkcs11: { ...hsm.configuration, restMs: 600_000 } }),
    );
    const refused = (await keys.find('pkcs11', uriOf('not-for-this').locator)).wrap(randomBytes(32), 'row');
    await expect(refused).rejects.toMatchObject(AT);
    await expect(refused).rejects.toThrow('CKR_KEY_FUNCTION_NOT_PERMITTED');
    expect(await (await keys.find('pkcs11', locator)).wrap(randomBytes(32), 'row')).toHaveLength(60);
  });

  it('cause a 503 if the token is removed, and are used again when it is back', async () => {
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

  it('cause a 503 for all callers if the token does not answer, delay no other token, and are used again later', async () => {
    const [here, there] = [TOKEN, 'lucarne-pkcs11-other'];
    await using other = await openSoftHsm(there);
    const { locator } = await made('master-1');
    await hsm.signal('SIGKILL');
    const pkcs11 = { ...other.configuration, restMs: 1_000 };
    const keys = createMasterKeys(place, createKeyStores({ pkcs11 }));
    const secret = Uint8Array.from(randomBytes(32));
    const key = await keys.find('pkcs11', locator);
    const wrapped = await key.wrap(secret, 'row');
    const elsewhere = await keys.next(new Set(), parseKeyUri(`pkcs11:token=${there};object=master-1`));

    await hsm.signal('SIGSTOP');
    const waiting = [1, 2, 3].map(() => key.unwrap(wrapped, 'row').catch((thrown: unknown) => thrown));
    expect(await elsewhere.unwrap(await elsewhere.wrap(secret, 'row'), 'row')).toEqual(secret);
    const away = { code: 'UNAVAILABLE', message: `The token “${here}” does not answer in time.` };
    expect(await Promise.all(waiting)).toMatchObject([away, away, away]);

    const again = async (): Promise<Uint8Array> =>
      key.unwrap(wrapped, 'row').catch(() => setTimeout(100).then(again));
    expect(await again()).toEqual(secret);
  });

  it('cause a 503 if their process cannot be started, and are used once it can', async () => {
    const { process: user, lines } = hsm.usedElsewhere({ isShort: true });
    try {
      expect([(await lines.next()).value, (await lines.next()).value]).toEqual(['UNAVAILABLE', 'served']);
    } finally {
      user.kill();
    }
  });

  it('stop when the process that uses them ends, even in a call that does not return', async () => {
    const { process: user, lines } = hsm.usedElsewhere();
    expect((await lines.next()).value).toBe('served');
    const [token] = await processesOf(TOKEN, user.pid);
    process.kill(token!, 'SIGSTOP');
    user.kill('SIGTERM');
    await once(user, 'exit');
    const ended = async (): Promise<boolean> => !isRunning(token!) || setTimeout(100).then(ended);
    try {
      expect(await Promise.race([ended(), setTimeout(10_000, false, { ref: false })])).toBe(true);
    } finally {
      if (isRunning(token!)) process.kill(token!, 'SIGKILL');
    }
  });
});

/** An ended process may still be in the table, without a command. */
const isRunning = (id: number): boolean => {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
};
