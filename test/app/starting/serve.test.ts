import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import {
  bareEnvironment,
  dataDirectory,
  ROOT,
  run,
  RunningCommand,
  startGateway,
  temporaryDirectory,
} from '../gateway-process.js';

/** A story starts up to four gateways. */
const TIMEOUT_MS = 480_000;

interface DemoFile {
  readonly apiKey: string;
}

async function registerAsset(url: string, apiKey: string): Promise<string> {
  const answer = await fetch(`${url}/v1/assets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Confidential Euro', symbol: 'CEUR', decimals: 6 }),
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { id: string }).id;
}

async function readAsset(url: string, apiKey: string, id: string): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}` };
  return (await fetch(`${url}/v1/assets/${id}`, { headers })).status;
}

describe('a gateway on the embedded default', () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let gateway: RunningCommand & { url: string };
  let demo: DemoFile;
  const environment = () => ({ LUCARNE_DATA_DIR: directory.path });

  beforeAll(async () => {
    directory = await temporaryDirectory();
    gateway = await startGateway(environment());
    demo = JSON.parse(await readFile(path.join(directory.path, 'demo.json'), 'utf8')) as DemoFile;
  }, TIMEOUT_MS);

  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  it('writes demo.json and its master key so that only their owner can read them', async () => {
    for (const name of ['demo.json', 'master.key']) {
      expect((await stat(path.join(directory.path, name))).mode & 0o777).toBe(0o600);
    }
  });

  it(
    'runs the whole demo: its disclosure verifies, and a changed copy does not',
    async () => {
      const outcome = await run(['demo', '--json'], environment());
      expect(outcome).toMatchObject({ exitCode: 0, errors: '' });
      const events = outcome.output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const steps = events.filter(({ event }) => event === 'step');
      expect(steps.map(({ number }) => number)).toEqual(
        Array.from({ length: Number(steps[0]?.['of']) }, (_, index) => index + 1),
      );
      expect(events.at(-1)).toMatchObject({ event: 'summary', transfers: 4 });

      const file = path.join(directory.path, 'demo-disclosure.json');
      const verified = await run(['disclosure', 'verify', file, '--json'], {});
      expect(verified.exitCode).toBe(0);
      expect(JSON.parse(verified.output)).toMatchObject({ valid: true });

      const tampered = path.join(directory.path, 'tampered.json');
      await writeFile(tampered, (await readFile(file, 'utf8')).replace('"1250500000"', '"1250500001"'));
      const refused = await run(['disclosure', 'verify', tampered, '--json'], {});
      expect(refused.exitCode).toBe(1);
      const { checks } = JSON.parse(refused.output) as { checks: { name: string; passed: boolean }[] };
      expect(checks).toContainEqual(expect.objectContaining({ name: 'proofs', passed: false }));
    },
    TIMEOUT_MS,
  );

  it(
    'locks its data directory: a second start, and commands that need the directory, report the lock and exit with 1',
    async () => {
      const inUse = new RegExp(`^The data directory ${directory.path} is in use by process \\d+`);
      const second = await run(['serve'], { ...environment(), LUCARNE_PORT: '0' });
      expect(second.exitCode).toBe(1);
      expect(second.errors).toMatch(inUse);
      const list = ['api-key', 'list', '--organization', 'org_01kaj5zz3xfjtb8wq2m7v4c9ye'];
      const listed = await run(list, environment());
      expect(listed.exitCode).toBe(1);
      expect(listed.errors).toMatch(inUse);
      expect(listed.errors).toContain('Use apiKeys in GraphQL while the gateway runs.');
      expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(
    'keeps everything it acknowledged when it is killed, and starts again',
    async () => {
      const id = await registerAsset(gateway.url, demo.apiKey);
      await gateway.kill('SIGKILL');
      gateway = await startGateway(environment());
      expect(await readAsset(gateway.url, demo.apiKey, id)).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(
    'updates demo.json after a start on another port',
    async () => {
      const read = async () =>
        JSON.parse(await readFile(path.join(directory.path, 'demo.json'), 'utf8')) as Record<string, unknown>;
      const before = await read();
      const { url } = gateway;
      await gateway.kill('SIGTERM');
      gateway = await startGateway(environment());
      const { baseUrl, ledger, ...kept } = await read();
      expect(gateway.url).not.toBe(url);
      expect(baseUrl).toBe(gateway.url);
      expect(ledger).not.toEqual(before['ledger']);
      expect(before).toMatchObject(kept);
    },
    TIMEOUT_MS,
  );

  it(
    'exits with 0 on SIGTERM although a subscription is open, and notifies its client',
    async () => {
      const id = await registerAsset(gateway.url, demo.apiKey);
      const client = createClient({
        url: `${gateway.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: { authorization: `Bearer ${demo.apiKey}` },
        retryAttempts: 0,
      });
      const events = client.iterate({
        query: 'subscription ($id: ID!) { transactionAdded(assetId: $id) { cursor } }',
        variables: { id },
      });
      const ended = expect(events.next()).rejects.toMatchObject({ code: 1001, reason: 'Going away' });
      // Messages are processed in order, so the subscription has started.
      await client.iterate({ query: '{ __typename }' }).next();
      expect(await gateway.kill('SIGTERM')).toMatchObject({ exitCode: 0, errors: '' });
      await ended;
      gateway = await startGateway(environment());
      expect(await readAsset(gateway.url, demo.apiKey, id)).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(
    'is not ready while it drains but still answers requests; a second signal ends it',
    async () => {
      expect(await gateway.kill('SIGTERM')).toMatchObject({ exitCode: 0 });
      gateway = await startGateway({ ...environment(), LUCARNE_DRAIN_MS: '60000' });
      gateway.child.kill('SIGTERM');
      await gateway.said(/"msg":"Stopping\. \/readyz reports not ready/);
      const ready = await fetch(`${gateway.url}/readyz`);
      expect(ready.status).toBe(503);
      expect(await ready.json()).toMatchObject({ checks: { accepting: 'stopping', database: 'ok' } });
      const id = await registerAsset(gateway.url, demo.apiKey);
      expect(await readAsset(gateway.url, demo.apiKey, id)).toBe(200);
      // Two signals within half a second count as one keystroke.
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect(await gateway.kill('SIGTERM')).toMatchObject({ exitCode: 130 });
      gateway = await startGateway({ ...environment(), LUCARNE_DRAIN_MS: '1' });
      expect(await readAsset(gateway.url, demo.apiKey, id)).toBe(200);
      expect(await gateway.kill('SIGTERM')).toMatchObject({ exitCode: 0, errors: '' });
      gateway = await startGateway(environment());
    },
    TIMEOUT_MS,
  );

  it(
    'exits with 0 on SIGTERM, releases its lock, and refuses to start with another master key',
    async () => {
      const id = await registerAsset(gateway.url, demo.apiKey);
      expect(await gateway.kill('SIGTERM')).toMatchObject({ exitCode: 0, errors: '' });
      expect(await readdir(directory.path)).not.toContain('lucarne.lock');

      const wrongKey = { LUCARNE_MASTER_KEY: randomBytes(32).toString('base64'), LUCARNE_PORT: '0' };
      const refused = await run(['serve'], { ...environment(), ...wrongKey });
      expect(refused.exitCode).toBe(1);
      expect(refused.errors).toContain('The master key does not open this database');

      gateway = await startGateway(environment());
      expect(await readAsset(gateway.url, demo.apiKey, id)).toBe(200);
    },
    TIMEOUT_MS,
  );
});

describe('npm start', () => {
  it(
    'exits with 0 when npm is asked to stop, and leaves no gateway running',
    async () => {
      await using directory = await dataDirectory();
      const env = { ...bareEnvironment(), LUCARNE_DATA_DIR: directory.path, LUCARNE_PORT: '0' };
      const npm = spawn('npm', ['start'], { cwd: ROOT, env, stdio: 'pipe' });
      await using command = new RunningCommand(npm, '');
      await command.said(/Lucarne serves http/);
      expect(await command.kill('SIGTERM')).toMatchObject({ exitCode: 0 });
      expect(await readdir(directory.path)).not.toContain('lucarne.lock');
    },
    TIMEOUT_MS,
  );
});

describe('a start with an invalid setting', () => {
  it.each([
    { environment: { LUCARNE_PORT: 'http' }, names: 'LUCARNE_PORT' },
    { environment: { LUCARNE_ROLES: 'api,king' }, names: 'LUCARNE_ROLES' },
    { environment: { LUCARNE_MASTER_KEY: 'short' }, names: 'LUCARNE_MASTER_KEY' },
    { environment: { DATABASE_URL: 'mysql://user:hush@db/lucarne' }, names: 'DATABASE_URL' },
    { environment: { SOLANA_RPC_URL: 'ftp://node' }, names: 'SOLANA_RPC_URL' },
  ])('names $names, does not repeat a secret, and ends with 1', async ({ environment, names }) => {
    await using directory = await temporaryDirectory();
    const ended = await run(['serve'], { LUCARNE_DATA_DIR: directory.path, ...environment });
    expect(ended).toMatchObject({ exitCode: 1, output: '' });
    expect(ended.errors).toContain(names);
    expect(ended.errors).not.toMatch(/hush|short|\n.*at /);
    expect(await readdir(directory.path)).toEqual([]);
  });
});

describe('a start at an address of another machine', () => {
  it.each(['192.0.2.1', 'no such host'])('“%s” names LUCARNE_HOST and ends with 1', async (host) => {
    await using directory = await dataDirectory();
    const ended = await run(['serve'], {
      LUCARNE_DATA_DIR: directory.path,
      LUCARNE_PORT: '0',
      LUCARNE_LOG_LEVEL: 'silent',
      LUCARNE_HOST: host,
    });
    expect(ended).toEqual({
      exitCode: 1,
      output: '',
      errors: 'LUCARNE_HOST is not an address of this machine. Set it to one, such as 127.0.0.1.\n',
    });
    expect(await readdir(directory.path)).not.toContain('lucarne.lock');
  });
});

describe('the demo', () => {
  it('reports a missing demo.json, an invalid one, and a gateway that does not answer', async () => {
    await using directory = await temporaryDirectory();
    const environment = { LUCARNE_DATA_DIR: directory.path };
    const file = path.join(directory.path, 'demo.json');
    const missing = await run(['demo'], environment);
    expect(missing.exitCode).toBe(1);
    expect(missing.errors).toContain(`${file} does not exist.`);
    await writeFile(file, '{}');
    expect(await run(['demo'], environment)).toMatchObject({
      exitCode: 1,
      errors: `${file} is not a valid demo.json.\n`,
    });
    const organization = {
      organization: { id: 'org', name: 'A' },
      apiKey: 'key',
      applications: [],
      users: [],
    };
    const ledger = { rpcUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' };
    const relayer = { address: 'none', pools: [] };
    const demo = { ...organization, baseUrl: 'http://127.0.0.1:1', ledger, relayer, other: organization };
    await writeFile(file, JSON.stringify(demo));
    expect(await run(['demo'], environment)).toMatchObject({
      exitCode: 1,
      errors: 'No gateway answers at http://127.0.0.1:1. Start it first: npm start\n',
    });
  });
});
