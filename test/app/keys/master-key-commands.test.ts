import { expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, sql } from '../../../src/platform/database/index.js';
import { createDurableDatabase } from '../../kit/database/durable-database.js';
import { seedOrganization, testFoundation } from '../../kit/seed.js';
import { letSettle, openKeyRoom } from '../../platform/keys/key-room.js';
import { run, startGateway, temporaryDirectory } from '../gateway-process.js';

/** Longer than a gateway needs to check for other keys. */
const CHECKED_MS = 60_000;

it('the master key is rotated, values are resealed, and the old key is retired by commands, while gateways that share a server serve', async () => {
  await using parts = new AsyncDisposableStack();
  const durable = parts.use(await createDurableDatabase());
  const room = parts.use(await openKeyRoom());
  const isServer = 'url' in durable.target;
  const directory = parts.use(await temporaryDirectory()).path;
  const environment = {
    ...('url' in durable.target
      ? { DATABASE_URL: durable.target.url, LUCARNE_DATA_DIR: directory }
      : { LUCARNE_DATA_DIR: path.dirname(durable.target.directory) }),
    ...{ LUCARNE_MASTER_KEY_FILE: room.file, LUCARNE_ROLES: 'api' },
    SOLANA_RPC_URL: 'http://127.0.0.1:9',
  };
  const inDatabase = async <Result>(work: (database: Database) => Promise<Result>): Promise<Result> => {
    await using database = await durable.open();
    return await work(database);
  };
  const secret = await inDatabase(async (database) => {
    await using keyring = await room.gateway(database);
    const foundation = { ...testFoundation(database), sealer: keyring.sealer };
    return (await seedOrganization(foundation)).apiKey.secret;
  });

  // A server is shared by two gateways. The embedded database serves one process: a gateway, or a command.
  let gateways: Awaited<ReturnType<typeof startGateway>>[] = [];
  const startAll = async () => {
    if (gateways.length > 0) return;
    gateways = await Promise.all(Array.from({ length: isServer ? 2 : 1 }, () => startGateway(environment)));
  };
  const stopAll = async () => {
    await Promise.all(gateways.map((gateway) => gateway.kill('SIGTERM')));
    gateways = [];
  };
  parts.defer(stopAll);
  const command = async (...words: string[]) => {
    if (!isServer) await stopAll();
    return run(['master-key', ...words], environment);
  };
  const inPeace = async <Result>(work: (database: Database) => Promise<Result>): Promise<Result> => {
    if (!isServer) await stopAll();
    return inDatabase(work);
  };
  const DONE = { exitCode: 0 };
  const refused = (sentence: string | RegExp) => ({
    ...{ exitCode: 1, output: '' },
    errors: expect.stringMatching(sentence),
  });
  const ask = async (url: string) => {
    const headers = {
      ...{ authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      'idempotency-key': 'asked once',
    };
    const body = JSON.stringify({ name: 'Steady', symbol: 'STDY', decimals: 6 });
    const answer = await fetch(`${url}/v1/assets`, { method: 'POST', headers, body });
    return `${answer.status} ${await answer.text()}`;
  };
  await startAll();
  const first = await ask(gateways[0]!.url);
  expect(first).toMatch(/^201 /);
  const expectServing = async (version: string) => {
    await startAll();
    for (const { url } of gateways) {
      const versionOf = async () =>
        /^lucarne_master_key_version (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1];
      const until = Date.now() + CHECKED_MS;
      while ((await versionOf()) !== version && Date.now() < until) await pause(200);
      expect(await versionOf()).toBe(version);
      expect(await ask(url)).toBe(first);
    }
  };
  const begun = gateways.map(({ child }) => child.pid);
  await expectServing('1');

  if (!isServer)
    expect(await run(['master-key', 'rotate'], environment)).toMatchObject(
      refused(/Stop the gateway first: the embedded database serves one process\.\n$/),
    );
  expect(await command('retire', '1')).toMatchObject(refused('Version 1 is in use.'));
  expect(await command('rotate')).toMatchObject(DONE);
  await expectServing('2');
  expect(await command('retire', '1')).toMatchObject(
    refused('Version 1 wrapped data keys that are in use. Run “lucarne master-key reseal” first.'),
  );
  const [old] = await inPeace(sealedAnswers);
  expect(await command('reseal')).toMatchObject(DONE);
  await expectServing('2');
  expect(await command('retire', '1')).toMatchObject(
    refused(/in use for less than 300 s\. Run the command again in \d+ s\.\n$/),
  );
  await inPeace(letSettle);
  // A value that still needs the old key, as a restored row would.
  const [resealed] = await inPeace(sealedAnswers);
  const store = (sealed: Uint8Array) =>
    inPeace((database) => database.rows(sql`update idempotency_keys set sealed_answer = ${sealed}`));
  await store(old!.sealed);
  expect(await command('retire', '1')).toMatchObject(
    refused(
      /1 values of idempotency_keys are sealed with data key \d+\. Run “lucarne master-key reseal” first\.\n$/,
    ),
  );
  await store(resealed!.sealed);
  expect(await command('retire', '1')).toMatchObject({
    ...DONE,
    output: expect.stringContaining('Version 1 is retired'),
  });
  await expectServing('2');
  // The gateways of a server have been the same processes all the time.
  if (isServer) expect(gateways.map(({ child }) => child.pid)).toEqual(begun);

  // Without the old key, every gateway starts and serves.
  const [, newest] = (await readFile(room.file, 'utf8')).trim().split('\n');
  await stopAll();
  await writeFile(room.file, `${newest!}\n`);
  await expectServing('2');

  function sealedAnswers(database: Database) {
    return database.rows(sql<{ sealed: Uint8Array }>`select sealed_answer as sealed from idempotency_keys`);
  }
}, 480_000);
