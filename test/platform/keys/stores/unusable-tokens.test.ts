import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { readConfiguration } from '../../../../src/app/configuration/index.js';
import { examineKeys } from '../../../../src/app/doctor/examine-keys.js';
import { PURPOSES } from '../../../../src/app/storage/sealed-columns.js';
import { acrossOrganizations } from '../../../../src/platform/database/index.js';
import { silentLog } from '../../../../src/platform/kernel/log.js';
import { systemRandom } from '../../../../src/platform/kernel/random.js';
import {
  announceDataKeys,
  createKeyring,
  createKeyStores,
  createMasterKeys,
  parseKeyUri,
  rotateMasterKey,
} from '../../../../src/platform/keys/index.js';
import { CK, type Cryptoki } from '../../../../src/platform/keys/pkcs11/pkcs11-module.js';
import { createSessions } from '../../../../src/platform/keys/pkcs11/sessions.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { opened, openKeyRoom, storedPieces, storePieces } from '../key-room.js';
import { HAS_SOFT_HSM, openSoftHsm, type SoftHsm } from './soft-hsm.js';

const TOKEN = 'lucarne-unusable';
const NOBODY = 65_534;
const place = { kind: 'bytes', name: 'the test’s', keys: [randomBytes(32)] } as const;

/** Runs each function body with the stores of a token, and prints the answers. */
const ASK = `
  import { createKeyStores } from '${pathToFileURL('dist/src/platform/keys/index.js').href}';
  const { configuration, token } = JSON.parse(process.argv[1]);
  const { pkcs11 } = createKeyStores({ pkcs11: configuration });
  const master = (object) => pkcs11.masterKey('token=' + token + ';object=' + object);
  for (const ask of [
    () => master('new').makeUnlessThere(),
    () => master('there').require(),
    () => master('there').wrap(new Uint8Array(32), 'row'),
    () => pkcs11.signingKey('token=' + token + ';object=signs'),
  ])
    console.log(await ask().then(() => 'done', (thrown) => thrown.name + ': ' + thrown.message));
  process.exit(0);
`;

// Without Debian's softhsm2, there is no token.
const describeTokens = HAS_SOFT_HSM ? describe : describe.skip;
describeTokens('a PKCS #11 token (SoftHSM2) that cannot be used', () => {
  let hsm: SoftHsm;
  let directory: string;
  beforeAll(async () => {
    hsm = await openSoftHsm(TOKEN);
    directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-unusable-'));
    await made('there');
    await hsm.makeSigningKey('signs');
  });
  afterAll(async () => {
    await hsm[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  const uriOf = (object: string) => parseKeyUri(`pkcs11:token=${TOKEN};object=${object}`);
  const made = (object: string) => createMasterKeys(place, hsm.stores).next(new Set(), uriOf(object));
  const isThere = (object: string) =>
    hsm.sessions.use(TOKEN, (session) =>
      Promise.resolve(session.find(object, [{ type: CK.LABEL, value: object }]) !== undefined),
    );

  /** The answers of the token if its library lacks the mechanism. */
  async function answersWithout(mechanism: string): Promise<string[]> {
    const settings = path.join(directory, `without-${mechanism}.conf`);
    const usual = await readFile(hsm.environment['SOFTHSM2_CONF']!, 'utf8');
    // SoftHSM2 ignores the first name of a list of exceptions.
    await writeFile(settings, `${usual}\nslots.mechanisms = -NONE,${mechanism}\n`);
    const task = JSON.stringify({ configuration: hsm.configuration, token: TOKEN });
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', ASK, task],
      { env: { ...process.env, ...hsm.environment, SOFTHSM2_CONF: settings } },
    );
    return stdout.trim().split('\n');
  }
  const lacks = (name: string, advice = 'Use another token.') =>
    `ConfigurationError: The token “${TOKEN}” lacks the mechanism ${name}. ${advice}`;

  it('refuses every operation without its mechanism, and then creates no key', async () => {
    const gcm = lacks('CKM_AES_GCM');
    // Values wrapped by a key in use can be opened with no other token.
    const inUse = lacks(
      'CKM_AES_GCM',
      'Its key is in use: allow the mechanism again in the settings or by the firmware of the token. To use another token ' +
        'after that, run: lucarne master-key rotate --to URI',
    );
    const eddsa = lacks('CKM_EDDSA', 'Allow it in the settings of the token, or use a key of another token.');
    expect(await answersWithout('CKM_AES_GCM')).toEqual([gcm, gcm, inUse, 'done']);
    expect(await answersWithout('CKM_AES_KEY_GEN')).toEqual([
      lacks('CKM_AES_KEY_GEN'),
      'done',
      'done',
      'done',
    ]);
    expect(await isThere('new')).toBe(false);
    expect(await answersWithout('CKM_EDDSA')).toEqual(['done', 'done', 'done', eddsa]);
  });

  async function makeShortKey(object: string, length: number): Promise<void> {
    await hsm.sessions.use(TOKEN, ({ cryptoki, handle }) => {
      cryptoki.C_GenerateKey(handle, { mechanism: CK.AES_KEY_GEN }, [
        { type: CK.CLASS, value: CK.SECRET_KEY },
        { type: CK.KEY_TYPE, value: CK.KEY_TYPE_AES },
        { type: CK.LABEL, value: object },
        { type: CK.VALUE_LEN, value: length },
        { type: CK.TOKEN, value: true },
        { type: CK.ENCRYPT, value: true },
        { type: CK.DECRYPT, value: true },
      ]);
      return Promise.resolve();
    });
  }
  const tooShort = (object: string, length: number, advice: string) => ({
    name: 'ConfigurationError',
    message: `The AES key “${object}” of the token “${TOKEN}” has ${8 * length} bits, and a master key needs 256. ${advice}`,
  });
  const REPLACE = 'It is in use. Replace it with a key of 256 bits: lucarne master-key rotate --to URI';

  it.each([16, 24])('cannot store a master key of %i bytes', async (length) => {
    const object = `of-${length}-bytes`;
    await makeShortKey(object, length);
    await expect(made(object)).rejects.toMatchObject(tooShort(object, length, 'Name a key of 256 bits.'));
  });

  it('reports a shorter master key in use, wraps nothing more with it, and allows its replacement', async () => {
    await makeShortKey('short', 16);
    await using database = await createTestDatabase();
    await using room = await openKeyRoom(hsm.stores);
    const gateway = await room.gateway(database);
    await storePieces(database, gateway.sealer, 'one', 2);
    const { locator } = uriOf('short');
    const stored = await room.masterKeys.find('pkcs11', locator);
    /** Wraps with any key, like an earlier version. */
    const unchecked = {
      ...stored,
      wrap: (secret: Uint8Array, row: string) => wrapWith('short', secret, row),
    };
    const next = () => Promise.resolve(unchecked);
    await rotateMasterKey({ database, masterKeys: { ...room.masterKeys, next } });

    const refusal = tooShort('short', 16, REPLACE);
    const warnings: string[] = [];
    const options = {
      ...{ database, masterKeys: room.masterKeys, purposes: PURPOSES, random: systemRandom },
      log: { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) },
    };
    await using started = createKeyring(options);
    await started.open();
    await started.refresh();
    expect(opened(started.sealer, await storedPieces(database))).toBe(2);
    expect(warnings).toEqual([refusal.message]);
    const configuration = await readConfiguration({
      ...{ DATABASE_URL: 'postgres://u@127.0.0.1/lucarne', LUCARNE_MASTER_KEY_FILE: room.file },
      ...hsm.environment,
    });
    const examined = await acrossOrganizations(() => examineKeys(database, configuration));
    expect(examined).toMatchObject([
      { check: 'master key', result: 'ok' },
      { check: 'master key', result: 'warning', detail: refusal.message },
      { check: 'signing keys', result: 'ok' },
      { check: 'auditor keys', result: 'ok' },
    ]);

    // A purpose that an upgrade adds needs a data key, and so does resealing everything.
    await using upgraded = createKeyring({ ...options, purposes: [...PURPOSES, 'new'] });
    await expect(upgraded.open()).rejects.toMatchObject(refusal);
    await expect(announceDataKeys(room.operator(database))).rejects.toMatchObject(refusal);

    await rotateMasterKey(room.operator(database), uriOf('long'));
    await started.refresh();
    expect(started.master).toMatchObject({ version: 3, isReachable: true, weakness: undefined });
    await upgraded.open();
    expect(opened(upgraded.sealer, await storedPieces(database))).toBe(2);
  });

  const wrapWith = (object: string, secret: Uint8Array, context: string) =>
    hsm.sessions.use(TOKEN, async (session) => {
      const { cryptoki, handle } = session;
      const nonce = randomBytes(12);
      const aad = Buffer.from(context);
      const parameter = { type: CK.PARAMETERS_OF_AES_GCM, iv: nonce, ivBits: 96, aad, tagBits: 128 };
      const key = session.find(object, [{ type: CK.LABEL, value: object }])!;
      cryptoki.C_EncryptInit(handle, { mechanism: CK.AES_GCM, parameter }, key);
      const output = Buffer.alloc(secret.length + 16);
      const wrapped = await cryptoki.C_EncryptAsync(handle, Buffer.from(secret), output);
      return Uint8Array.from(Buffer.concat([nonce, wrapped]));
    });

  it.each([
    ['wraps', { encrypt: false, decrypt: true }],
    ['unwraps', { encrypt: true, decrypt: false }],
  ])('says what to do if the token does not let its key be used: it %s nothing', async (_, may) => {
    const object = `not-${may.encrypt ? 'decrypting' : 'encrypting'}`;
    await hsm.sessions.use(TOKEN, ({ cryptoki, handle }) => {
      cryptoki.C_GenerateKey(handle, { mechanism: CK.AES_KEY_GEN }, [
        { type: CK.CLASS, value: CK.SECRET_KEY },
        { type: CK.KEY_TYPE, value: CK.KEY_TYPE_AES },
        { type: CK.LABEL, value: object },
        { type: CK.VALUE_LEN, value: 32 },
        { type: CK.TOKEN, value: true },
        { type: CK.ENCRYPT, value: may.encrypt },
        { type: CK.DECRYPT, value: may.decrypt },
      ]);
      return Promise.resolve();
    });
    const key = await createMasterKeys(place, hsm.stores).find('pkcs11', uriOf(object).locator);
    const used = may.encrypt ? key.unwrap(randomBytes(60), 'row') : key.wrap(randomBytes(32), 'row');
    await expect(used).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message:
        `The token “${TOKEN}” does not let its key be used: CKR_KEY_FUNCTION_NOT_PERMITTED. A master key needs CKA_ENCRYPT ` +
        'and CKA_DECRYPT, a signing key CKA_SIGN. Allow them, or name another key.',
    });
  });

  it.each([
    ['none', undefined, 'cannot be read: ENOENT'],
    ['a directory', 'directory', 'cannot be read: EISDIR'],
  ])('says what to do if the file of its PIN is %s', async (_, kind, text) => {
    const pinFile = path.join(directory, 'pin');
    if (kind !== undefined) await mkdir(pinFile);
    const stores = createKeyStores({ pkcs11: { ...hsm.configuration, pinFile } });
    const attempt = stores.pkcs11!.masterKey(uriOf('there').locator).require();
    await expect(attempt).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining(`LUCARNE_PKCS11_PIN_FILE ${text}`),
    });
    await expect(attempt).rejects.toThrow(
      /\. Correct the path, or let the user that runs Lucarne read the file\.$/,
    );
  });

  // Root can read any file, and only root can change its user.
  const itAsRoot = process.getuid?.() === 0 ? it : it.skip;
  itAsRoot('explains what to do if its PIN file is not readable', async () => {
    const pinFile = path.join(directory, 'pin-of-root');
    await writeFile(pinFile, '271828', { mode: 0o400 });
    await chmod(directory, 0o755);
    const read = `
      import { readPin } from '${pathToFileURL('dist/src/platform/keys/pkcs11/pin-file.js').href}';
      await readPin(process.argv[1]).catch((thrown) => console.log(thrown.name + ': ' + thrown.message));`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', read, pinFile],
      { uid: NOBODY, env: {} },
    );
    expect(stdout).toBe(
      `ConfigurationError: LUCARNE_PKCS11_PIN_FILE cannot be read: EACCES: permission denied, open '${pinFile}'. ` +
        'Correct the path, or let the user that runs Lucarne read the file.\n',
    );
  });

  it.each([
    [
      0xa4,
      'CKR_PIN_LOCKED',
      `The token “${TOKEN}” is locked after too many wrong PINs. Have its security officer set a new PIN, and write it to LUCARNE_PKCS11_PIN_FILE.`,
    ],
    [
      0xa3,
      'CKR_PIN_EXPIRED',
      `The PIN of the token “${TOKEN}” has expired. Set a new one in the token, and write it to LUCARNE_PKCS11_PIN_FILE.`,
    ],
    [
      0x102,
      'CKR_USER_PIN_NOT_INITIALIZED',
      `The token “${TOKEN}” has no user PIN yet. Have its security officer set one, and write it to LUCARNE_PKCS11_PIN_FILE.`,
    ],
    [
      0xa2,
      'CKR_PIN_LEN_RANGE',
      `The token “${TOKEN}” refuses the PIN of LUCARNE_PKCS11_PIN_FILE: CKR_PIN_LEN_RANGE. Correct it before the token locks.`,
    ],
  ])('says what to do about its PIN after the code %i, %s', async (code, name, message) => {
    // SoftHSM2 never locks.
    const cryptoki = {
      C_GetSlotList: () => [Buffer.alloc(8)],
      C_GetTokenInfo: () => ({ label: TOKEN }),
      C_OpenSession: () => Buffer.alloc(8),
      C_CloseSession: () => undefined,
      C_Login: () => {
        throw Object.assign(new Error(name), { code });
      },
    } as unknown as Cryptoki;
    const sessions = createSessions(hsm.configuration, () => Promise.resolve(cryptoki));
    await expect(sessions.use(TOKEN, () => Promise.resolve())).rejects.toMatchObject({
      name: 'ConfigurationError',
      message,
    });
  });
});
