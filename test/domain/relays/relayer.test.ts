import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { startApplication } from '../../../src/app/application.js';
import { readConfiguration } from '../../../src/app/configuration/index.js';
import { ConfigurationError } from '../../../src/platform/kernel/configuration-error.js';
import type { Database } from '../../../src/platform/database/index.js';
import { silentLog } from '../../../src/platform/kernel/log.js';
import {
  deployLocalPool,
  fundLocalRelayer,
  LOCAL_POOL_CIRCUIT,
  LOCAL_POOL_SELECTOR,
  LOCAL_POOLS_FILE,
  localRelayerKeyFile,
} from '../../../devnet/index.js';
import { prepareLocalPackage } from '../../../src/demo/relay-package.js';
import { keyFileSigner } from '../../../src/domain/relays/index.js';
import { eventually } from '../../kit/eventually.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { startTestApp, type TestApp } from '../../kit/app.js';

describe('a gateway with a pools file and a key', () => {
  let directory: string;
  let app: TestApp;
  let keyFile: string;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-relayer-'));
    await writeFile(path.join(directory, 'pools.json'), JSON.stringify(LOCAL_POOLS_FILE));
    keyFile = localRelayerKeyFile(directory);
    app = await startTestApp({
      LUCARNE_POOLS_FILE: path.join(directory, 'pools.json'),
      LUCARNE_RELAYER_KEYPAIR_FILE: keyFile,
    });
    deployLocalPool(app.ledger);
    fundLocalRelayer(app.ledger, (await keyFileSigner(keyFile, silentLog)).address);
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  it('creates its key once, readable only by its owner', async () => {
    const key = await readFile(keyFile, 'utf8');
    expect(localRelayerKeyFile(directory)).toBe(keyFile);
    expect(await readFile(keyFile, 'utf8')).toBe(key);
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  });

  it('relays a package from its submission to a finalized transaction, and never logs its contents', async () => {
    const hint = app.organization.application.checkApplicationId;
    const { body } = prepareLocalPackage({ poolSelector: LOCAL_POOL_SELECTOR, applicationIdHints: [hint] });
    const submitted = await fetch(`${app.url}/api/relay-requests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(submitted.status).toBe(202);
    const { statusUrl } = (await submitted.json()) as { statusUrl: string };
    const status = await ended(app, statusUrl);
    expect(status).toMatchObject({ status: 'succeeded', attemptNumber: 1, retryAllowed: false });

    const { proofBytes } = body as { proofBytes: string };
    expect(app.logged().includes(proofBytes)).toBe(false);
    expect(app.logged().includes(String(status['relayRequestId']))).toBe(false);
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toContain('lucarne_relay_changes_total{status="succeeded",reason=""} 1');
  });

  it('accepts the forms that a wallet SDK sends, and gives it a reason for each refusal', async () => {
    // The SDK retries without a body, and reads the status, and `reason` at the top level.
    const call = async (path: string, body?: object, method = 'POST') => {
      const answer = await fetch(`${app.url}/api/relay-requests${path}`, {
        method,
        headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const packageOfSdk = (changes: object = {}) => {
      const { body } = prepareLocalPackage({ poolSelector: LOCAL_POOL_SELECTOR, applicationIdHints: [] });
      const { publicSignals, ...others } = body as { readonly publicSignals: readonly string[] };
      return {
        ...{ ...others, publicSignals: publicSignals.join('') },
        ...{ applicationIdHints: [app.organization.application.checkApplicationId, '0', '0', '0'] },
        ...{
          outputNoteEphemeralScalars: ['1', '2'],
          escrowAuthorization: 'a credential',
          keyVersionHints: [3, null],
        },
        ...changes,
      };
    };
    const { status, body } = await call('', packageOfSdk());
    expect([status, body]).toEqual([
      202,
      {
        relayRequestId: expect.stringMatching(/^rly_/),
        status: 'accepted',
        createdAt: expect.any(String),
        statusUrl: `/api/relay-requests/${String(body['relayRequestId'])}`,
      },
    ]);
    await ended(app, String(body['statusUrl']));
    const id = `/${String(body['relayRequestId'])}`;
    expect((await call(id, undefined, 'GET')).body).toMatchObject({
      ...{ status: 'succeeded', retryAllowed: false, attemptNumber: 1, transactionHash: expect.any(String) },
    });
    const refusals: readonly (readonly [number, string, string, object?])[] = [
      [409, 'retry_not_allowed', `${id}/attempts`],
      [404, 'not_found', '/8c0f1b6e-1d0e-4f0c-9a57-1f2d3c4b5a69/attempts'],
      [400, 'invalid_package', '', { version: 1 }],
      [400, 'invalid_package', '', packageOfSdk({ publicSignals: '0011' })],
      [400, 'unsupported_signal_shape', '', packageOfSdk({ publicSignals: 'ff'.repeat(32) })],
      [400, 'unsupported_pool', '', packageOfSdk({ poolSelector: 'another' })],
      [413, 'payload_too_large', '', packageOfSdk({ ciphertextBytes: '00'.repeat(100_000) })],
    ];
    for (const [code, reason, path, sent] of refusals) {
      const refused = await call(path, sent);
      expect([refused.status, refused.body['reason']]).toEqual([code, reason]);
    }
  });
});

const ended = (app: TestApp, statusUrl: string): Promise<Record<string, unknown>> =>
  eventually(
    async () => (await fetch(`${app.url}${statusUrl}`)).json() as Promise<Record<string, unknown>>,
    ({ status }) => ['succeeded', 'rejected', 'failed'].includes(String(status)),
  );

describe('a start with an invalid relayer configuration', () => {
  const logger = pino({ level: 'silent' });
  let database: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  const refusal = async (environment: Record<string, string>): Promise<string> => {
    const configuration = await readConfiguration({
      LUCARNE_PORT: '0',
      LUCARNE_DATA_DIR: await mkdtemp(path.join(os.tmpdir(), 'lucarne-relayer-')),
      ...environment,
    });
    const thrown: unknown = await startApplication(configuration, { database, logger }).then(
      async (application) => {
        await application[Symbol.asyncDispose]();
        return 'started';
      },
      (error: unknown) => error,
    );
    await rm(configuration.dataDirectory, { recursive: true, force: true });
    expect(thrown).toBeInstanceOf(ConfigurationError);
    return (thrown as ConfigurationError).message;
  };

  it('fails with the path of the member or the name of the variable', async () => {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-relayer-'));
    const file = path.join(directory, 'file.json');
    const [pool] = LOCAL_POOLS_FILE.pools;
    const verificationKey = { ...LOCAL_POOL_CIRCUIT.verificationKey, curve: 'bls12381' };
    const circuits = { '3': { ...pool.circuits['3'], verificationKey } };
    await writeFile(file, JSON.stringify({ pools: [{ ...pool, circuits }] }));
    expect(await refusal({ LUCARNE_POOLS_FILE: file })).toMatch(
      /^LUCARNE_POOLS_FILE: pools\[0\]\.circuits\.3\.verificationKey/,
    );
    await writeFile(file, JSON.stringify(LOCAL_POOLS_FILE));
    expect(await refusal({ LUCARNE_POOLS_FILE: file })).toMatch(/^LUCARNE_POOLS_FILE: local-test-pool is/);
    await writeFile(file, '[1, 2, 3]');
    expect(await refusal({ LUCARNE_RELAYER_KEYPAIR_FILE: file })).toMatch(/^LUCARNE_RELAYER_KEYPAIR_FILE: /);
    await rm(directory, { recursive: true, force: true });
  });
});
