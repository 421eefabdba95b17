import { expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { EURO } from '../domain/assets/kit.js';
import { startDatabaseProxy } from '../kit/database-proxy.js';
import { freePort } from '../kit/local-server.js';
import { type LocalVault, openLocalVault } from '../platform/keys/local-vault.js';
import { dataDirectory, run, start } from './gateway-process.js';
import { isOneSentence, QUIET } from './one-sentence.js';

const TIMEOUT_MS = 240_000;

/** What `lucarne serve` is told of a vault with a master key, and of a data directory. */
const environmentOf = (vault: LocalVault, directory: string, address = vault.configuration.address.href) => ({
  LUCARNE_DATA_DIR: directory,
  LUCARNE_DEMO_DATA: '0',
  LUCARNE_MASTER_KEY: 'vault:transit/master',
  LUCARNE_VAULT_ADDR: address,
  LUCARNE_VAULT_TOKEN_FILE: vault.configuration.tokenFile,
});

it.each([
  ['refuses connections', undefined, /Vault at \S+ does not answer/],
  ['takes requests and does not answer', 'silence', /Vault at \S+ does not answer/],
] as const)(
  'a gateway that starts while the store of its master key %s answers 503, says so, and serves once the store answers',
  async (_, trouble, sentence) => {
    await using directory = await dataDirectory();
    await using vault = await openLocalVault();
    vault.makeKey('master', 'aes256-gcm96', { derived: true });
    await using proxy = await startDatabaseProxy(vault.configuration.address.href);
    if (trouble === undefined) await proxy.cut();
    else vault.trouble = () => trouble;
    const port = await freePort();
    await using gateway = start(['serve'], {
      ...environmentOf(vault, directory.path, proxy.url),
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

    if (trouble === undefined) await proxy.restore();
    else vault.trouble = undefined;
    await gateway.said(/"msg":"Lucarne serves /);
    while ((await fetch(`${url}/readyz`)).status !== 200) await setTimeout(100);
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
      ...environmentOf(vault, directory.path),
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
    const environment = { ...QUIET, ...environmentOf(vault, directory.path) };
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
