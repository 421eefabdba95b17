import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { readConfiguration, resolveMasterKey } from '../../../src/app/configuration/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { readMasterKeys } from '../../../src/platform/keys/index.js';
import { POSTGRESQL, refusal } from './refusal.js';

const KEY = base64.encode(randomBytes(32));

describe('the master key', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-config-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const resolve = async (environment: Record<string, string>): Promise<Uint8Array> => {
    const place = await resolveMasterKey(await readConfiguration(environment));
    if (place.kind === 'store') throw new Error('This key is in a store.');
    const keys = place.kind === 'bytes' ? place.keys : await readMasterKeys(place.name, place.file);
    return keys[0]!;
  };

  it('is read from the variable, or from the file with or without a line end', async () => {
    const file = path.join(directory, 'key');
    expect(base64.encode(await resolve({ LUCARNE_MASTER_KEY: ` ${KEY}\n` }))).toBe(KEY);
    for (const text of [KEY, `${KEY}\n`]) {
      await writeFile(file, text);
      expect(base64.encode(await resolve({ LUCARNE_MASTER_KEY_FILE: file }))).toBe(KEY);
    }
    await writeFile(file, 'hush');
    const message = await refusal({ LUCARNE_MASTER_KEY_FILE: file });
    expect(message).toMatch(/^LUCARNE_MASTER_KEY_FILE must hold 32 bytes in base64/);
    expect(message).not.toContain('hush');
  });

  it('is created once for the embedded database, readable only by its owner, and is the same at every start', async () => {
    const environment = { LUCARNE_DATA_DIR: path.join(directory, 'data') };
    const file = path.join(directory, 'data', 'master.key');
    const starts = await Promise.all([1, 2, 3].map(() => resolve(environment)));
    expect(new Set([...starts, await resolve(environment)].map(base64.encode)).size).toBe(1);
    expect(starts[0]).toHaveLength(32);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
    expect(await readdir(path.dirname(file))).toEqual(['master.key']);
  });

  it('stops the start if it is damaged, and is not overwritten', async () => {
    const file = path.join(directory, 'master.key');
    await writeFile(file, 'damaged');
    await expect(resolve({ LUCARNE_DATA_DIR: directory })).rejects.toThrow(`${file} must hold 32 bytes`);
    expect(await readFile(file, 'utf8')).toBe('damaged');
  });

  it('can be several keys, one per line in the file or separated by commas in the variable', async () => {
    const other = base64.encode(randomBytes(32));
    expect(base64.encode(await resolve({ LUCARNE_MASTER_KEY: `${KEY},${other}` }))).toBe(KEY);
    const file = path.join(directory, 'keys');
    await writeFile(file, `${KEY}\n${other}\n`);
    expect(base64.encode(await resolve({ LUCARNE_MASTER_KEY_FILE: file }))).toBe(KEY);
    await writeFile(file, `${KEY}\nhush\n`);
    expect(await refusal({ LUCARNE_MASTER_KEY_FILE: file })).toMatch(/in each of its lines/);
  });

  it.each([
    'pkcs11:',
    'pkcs11:token=a',
    'pkcs11:object=b',
    'pkcs11:token=a;object=b;pin-value=1234',
    'pkcs11:token=%zz;object=b',
  ])('is named by token and object in a token, and by nothing else: %s', async (uri) => {
    expect(await refusal({ LUCARNE_MASTER_KEY: uri })).toContain('Write pkcs11:token=LABEL;object=LABEL');
  });

  it('requires the library and the PIN if it is in a token', async () => {
    for (const name of ['LUCARNE_PKCS11_MODULE', 'LUCARNE_PKCS11_PIN_FILE'])
      expect(await refusal({ [name]: '/somewhere' })).toMatch(/^Set both LUCARNE_PKCS11_MODULE and/);
  });

  it.each([
    'vault:',
    'vault:lucarne',
    'vault:/lucarne',
    'vault:transit/',
    'vault:transit/../sys',
    'vault:a/b?c',
  ])('is named by mount and key in Vault, and by nothing else: %s', async (uri) => {
    expect(await refusal({ LUCARNE_MASTER_KEY: uri })).toContain('Write vault:MOUNT/KEY');
  });

  it('requires an address and a token if it is in Vault', async () => {
    const [address, tokenFile] = ['LUCARNE_VAULT_ADDR', 'LUCARNE_VAULT_TOKEN_FILE'] as const;
    const needed = 'needs LUCARNE_VAULT_ADDR and LUCARNE_VAULT_TOKEN_FILE.';
    for (const name of ['LUCARNE_MASTER_KEY', 'LUCARNE_RELAYER_KEY'])
      expect(await refusal({ [name]: 'vault:transit/lucarne' })).toBe(`${name} ${needed}`);
    expect(await refusal({ [tokenFile]: '/somewhere' })).toMatch(/^Set both LUCARNE_VAULT_ADDR and/);
    expect(await refusal({ [address]: 'https://vault.example' })).toMatch(/^Set both LUCARNE_VAULT_ADDR and/);
    for (const url of [
      'http://vault.example:8200',
      'https://me:hush@vault.example',
      'https://vault.example/?a=hush',
    ]) {
      const message = await refusal({ [address]: url, [tokenFile]: '/somewhere' });
      expect(message).toMatch(/^LUCARNE_VAULT_ADDR must/);
      expect(message).not.toContain('hush');
    }
    const environment = { [address]: 'http://127.0.0.1:8200', [tokenFile]: '/somewhere' };
    expect(
      await readConfiguration({ ...environment, LUCARNE_MASTER_KEY: 'vault:eu/transit/lucarne' }),
    ).toMatchObject({
      masterKey: { kind: 'store', uri: { store: 'vault', locator: 'eu/transit/lucarne' } },
      keyStores: { vault: { address: new URL('http://127.0.0.1:8200'), tokenFile: '/somewhere' } },
    });
  });

  it('is refused in Cloud KMS while Google’s SDK logs what it sends', async () => {
    expect(await readConfiguration({ GOOGLE_SDK_NODE_LOGGING: '*' })).toMatchObject({
      keyStores: { gcp: { isLogged: true } },
    });
  });

  it('is required with a server database, because all instances share it', async () => {
    const environment = { ...POSTGRESQL, LUCARNE_DATA_DIR: directory };
    await expect(resolve(environment)).rejects.toThrow(
      /^LUCARNE_MASTER_KEY or LUCARNE_MASTER_KEY_FILE is required with DATABASE_URL/,
    );
    expect(base64.encode(await resolve({ ...environment, LUCARNE_MASTER_KEY: KEY }))).toBe(KEY);
  });
});
