import { expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { EURO } from '../../domain/assets/kit.js';
import { eventually } from '../../kit/eventually.js';
import { startDatabaseProxy } from '../../kit/database/database-proxy.js';
import { freePort } from '../../kit/process/local-server.js';
import { openLocalAwsKms } from '../../platform/keys/stores/local-aws-kms.js';
import { type LocalVault, openLocalVault } from '../../platform/keys/stores/local-vault.js';
import { HAS_SOFT_HSM, openSoftHsm } from '../../platform/keys/stores/soft-hsm.js';
import { dataDirectory, run, start } from '../gateway-process.js';
import { isOneSentence, QUIET } from '../starting/one-sentence.js';

const TIMEOUT_MS = 240_000;

interface MasterStore extends AsyncDisposable {
  /** What `lucarne serve` is told of the store and of the master key in it. */
  readonly environment: Readonly<Record<string, string>>;
  setPresent(isPresent: boolean): Promise<void>;
}

const vaultEnvironment = ({ configuration }: LocalVault, address = configuration.address.href) => ({
  LUCARNE_MASTER_KEY: 'vault:transit/master',
  LUCARNE_VAULT_ADDR: address,
  LUCARNE_VAULT_TOKEN_FILE: configuration.tokenFile,
});

async function openMasterVault() {
  const vault = await openLocalVault();
  vault.makeKey('master', 'aes256-gcm96', { derived: true });
  return vault;
}

async function refusingVault(): Promise<MasterStore> {
  const vault = await openMasterVault();
  const proxy = await startDatabaseProxy(vault.configuration.address.href);
  return {
    environment: vaultEnvironment(vault, proxy.url),
    setPresent: (isPresent) => (isPresent ? proxy.restore() : proxy.cut()),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await vault[Symbol.asyncDispose]();
    },
  };
}

async function silentVault(): Promise<MasterStore> {
  const vault = await openMasterVault();
  return {
    environment: vaultEnvironment(vault),
    setPresent(isPresent) {
      vault.trouble = isPresent ? undefined : () => 'silence';
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => vault[Symbol.asyncDispose](),
  };
}

async function awsKms(): Promise<MasterStore> {
  const kms = await openLocalAwsKms();
  const arn = 'arn:aws:kms:eu-central-1:123456789012:key/master';
  kms.makeKey(arn);
  const { accessKeyId, secretAccessKey } = kms.configuration.credentials!;
  return {
    environment: {
      LUCARNE_MASTER_KEY: `aws-kms:${arn}`,
      AWS_ENDPOINT_URL_KMS: kms.endpoint,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    setPresent(isPresent) {
      kms.trouble = isPresent ? undefined : () => ({ status: 500, body: '{}' });
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => kms[Symbol.asyncDispose](),
  };
}

async function token(): Promise<MasterStore> {
  const label = `lucarne-away-${Math.random().toString(36).slice(2, 8)}`;
  const hsm = await openSoftHsm(label);
  const uri = `token=${label};object=master`;
  await hsm.stores.pkcs11!.masterKey(uri).makeUnlessThere();
  return {
    environment: { ...hsm.environment, LUCARNE_MASTER_KEY: `pkcs11:${uri}` },
    setPresent: (isPresent) => hsm.setPresent(isPresent),
    [Symbol.asyncDispose]: () => hsm[Symbol.asyncDispose](),
  };
}

const STORES: readonly (readonly [what: string, open: () => Promise<MasterStore>, sentence: RegExp])[] = [
  ['a Vault that refuses connections', refusingVault, /Vault at \S+ does not answer/],
  ['a Vault that takes requests and does not answer', silentVault, /Vault at \S+ does not answer/],
  ['an AWS KMS that answers 500', awsKms, /AWS KMS/],
  // Without Debian's softhsm2, there is no token.
  ...(HAS_SOFT_HSM ? ([['a slot without its token', token, /token/]] as const) : []),
];

it.each(STORES)(
  'a gateway that starts with %s, where its master key is, answers 503, says so, and serves once the key is there',
  async (_, open, sentence) => {
    await using directory = await dataDirectory();
    await using store = await open();
    await store.setPresent(false);
    const port = await freePort();
    await using gateway = start(['serve'], {
      ...{ LUCARNE_DATA_DIR: directory.path, LUCARNE_DEMO_DATA: '0', ...store.environment },
      ...{ LUCARNE_PORT: String(port), LUCARNE_LOG_LEVEL: 'info' },
    });
    const [line] = await gateway.said(/^.*"msg":"Waiting for the database and its keys\.".*$/m);
    expect(line).toMatch(sentence);

    const url = `http://127.0.0.1:${port}`;
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { checks: { accepting: 'starting' } }]);
    const headers = { authorization: 'Bearer lck_any', 'content-type': 'application/json' };
    const asked = await fetch(`${url}/v1/assets`, { method: 'POST', headers, body: JSON.stringify(EURO) });
    expect([asked.status, await asked.json()]).toMatchObject([503, { message: 'The gateway is starting.' }]);
    expect(asked.headers.get('retry-after')).toMatch(/^\d+$/);

    await store.setPresent(true);
    await gateway.said(/"msg":"Lucarne serves /);
    await eventually(
      async () => (await fetch(`${url}/readyz`)).status,
      (status) => status === 200,
    );
    expect(await gateway.kill('SIGTERM')).toMatchObject({ exitCode: 0, errors: '' });
  },
  TIMEOUT_MS,
);

it(
  'a gateway that waits for the store of its master key stops in order',
  async () => {
    await using directory = await dataDirectory();
    await using vault = await openLocalVault();
    vault.trouble = () => ({ status: 503 });
    await using gateway = start(['serve'], {
      ...{ LUCARNE_DATA_DIR: directory.path, LUCARNE_DEMO_DATA: '0', ...vaultEnvironment(vault) },
      ...{ LUCARNE_PORT: '0', LUCARNE_LOG_LEVEL: 'info' },
    });
    await gateway.said(/"msg":"Waiting for the database and its keys\."/);
    expect(await gateway.kill('SIGTERM')).toMatchObject({ exitCode: 0, errors: '' });
  },
  TIMEOUT_MS,
);

it(
  'a start ends with one sentence if the store refuses the token, has no such key, or has one of another type',
  async () => {
    await using directory = await dataDirectory();
    await using vault = await openLocalVault();
    const environment = {
      ...QUIET,
      LUCARNE_DATA_DIR: directory.path,
      LUCARNE_DEMO_DATA: '0',
      ...vaultEnvironment(vault),
    };
    isOneSentence(await run(['serve'], environment), /^Vault has no key “transit\/master”\. /);
    vault.makeKey('master', 'ed25519');
    isOneSentence(await run(['serve'], environment), /“transit\/master”.*aes256-gcm96/);
    await writeFile(vault.configuration.tokenFile, 'hvs.another\n', { mode: 0o400 });
    isOneSentence(
      await run(['serve'], environment),
      /^Vault at \S+ refuses the token of LUCARNE_VAULT_TOKEN_FILE /,
    );
  },
  TIMEOUT_MS,
);
