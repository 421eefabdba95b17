import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareLocalPackage } from '../../../src/demo/relay-package.js';
import { keyFileSigner } from '../../../src/domain/relays/index.js';
import { sql, type Database } from '../../../src/platform/database/index.js';
import { silentLog } from '../../../src/platform/kernel/log.js';
import {
  deployLocalPool,
  fundLocalRelayer,
  LOCAL_POOL_SELECTOR,
  LOCAL_POOLS_FILE,
  localRelayerKeyFile,
  startLocalLedger,
} from '../../../devnet/index.js';
import { eventually } from '../../kit/eventually.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { describeOnPostgresql } from '../../kit/database/on-postgresql.js';
import { minuteOf } from '../../kit/database/within-one-minute.js';
import { ROOT, startGateway, temporaryDirectory } from '../gateway-process.js';

const MINUTE_MS = 60_000;
/** Both clocks are ahead of the database, so a date from either of them is in the future. */
const AHEAD_MS = [10 * MINUTE_MS, 30 * MINUTE_MS];
const RELAYS = 6;
const SUBMISSIONS_PER_MINUTE = 60;

describeOnPostgresql('two gateways whose clocks are 20 minutes apart', () => {
  const parts = new AsyncDisposableStack();
  let database: Database & { readonly url?: string };
  let gateways: readonly Awaited<ReturnType<typeof startGateway>>[];
  beforeAll(async () => {
    database = parts.use(await createTestDatabase());
    const ledger = parts.use(await startLocalLedger());
    deployLocalPool(ledger);
    const shared = parts.use(await temporaryDirectory());
    const keyFile = localRelayerKeyFile(shared.path);
    fundLocalRelayer(ledger, (await keyFileSigner(keyFile, silentLog)).address);
    const poolsFile = path.join(shared.path, 'pools.json');
    await writeFile(poolsFile, JSON.stringify(LOCAL_POOLS_FILE));
    const clock = pathToFileURL(path.join(ROOT, 'test/kit/process/shifted-clock.mjs')).href;
    const environment = {
      ...{ DATABASE_URL: database.url!, LUCARNE_MASTER_KEY: randomBytes(32).toString('base64') },
      ...{ SOLANA_RPC_URL: ledger.rpcUrl, SOLANA_WS_URL: ledger.wsUrl, NODE_OPTIONS: `--import=${clock}` },
      ...{ LUCARNE_POOLS_FILE: poolsFile, LUCARNE_RELAYER_KEYPAIR_FILE: keyFile },
    };
    gateways = await Promise.all(
      AHEAD_MS.map(async (ahead) => {
        const directory = parts.use(await temporaryDirectory());
        const own = { LUCARNE_DATA_DIR: directory.path, CLOCK_AHEAD_MS: String(ahead) };
        return parts.use(await startGateway({ ...environment, ...own }));
      }),
    );
  });
  afterAll(() => parts.disposeAsync());

  const submit = async (at: number, poolSelector = LOCAL_POOL_SELECTOR) => {
    const { body } = prepareLocalPackage({ poolSelector, applicationIdHints: [] });
    return fetch(`${gateways[at % 2]!.url}/api/relay-requests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  };
  const minuteOfDatabase = async () => (await minuteOf(database)).getTime();

  it('have clocks 20 minutes apart', async () => {
    const times = await Promise.all(
      gateways.map(async (gateway) => {
        const [, time] = await gateway.said(/"time":"([^"]+)"[^\n]*"msg":"Lucarne serves/);
        return Date.parse(time!);
      }),
    );
    expect(times[1]! - times[0]!).toBeGreaterThan(19 * MINUTE_MS);
  });

  it('relay each package once, date its changes in order, and report the same state', async () => {
    const began = await minuteOfDatabase();
    const submitted = await Promise.all(Array.from({ length: RELAYS }, (_, at) => submit(at)));
    const paths = await Promise.all(
      submitted.map(async (answer) => ((await answer.json()) as { readonly statusUrl: string }).statusUrl),
    );
    for (const [at, statusUrl] of paths.entries()) {
      // From the gateway that it was not submitted to.
      const other = gateways[(at + 1) % 2]!.url;
      const status = async () => (await fetch(`${other}${statusUrl}`)).json() as Promise<{ status: string }>;
      await eventually(status, (relay) => relay.status === 'succeeded');
    }
    const relays = await database.rows(sql<{ id: string; attempts: number; created: Date; updated: Date }>`
      select id, created_at as created, updated_at as updated,
        (select count(*) from relay_attempts where request_id = relay_requests.id) as attempts
      from relay_requests`);
    expect(relays).toHaveLength(RELAYS);
    for (const { id, attempts, created, updated } of relays) {
      expect(attempts).toBe(1);
      const events = await database.rows(sql<{ at: Date }>`
        select created_at as at from relay_events where request_id = ${id} order by sequence`);
      const times = [created, ...events.map(({ at }) => at), updated].map((date) => date.getTime());
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      expect(times[0]).toBeGreaterThanOrEqual(began);
      expect(times.at(-1)).toBeLessThan((await minuteOfDatabase()) + MINUTE_MS);
    }
  });

  it('share one rate limit for the submissions of a client', async () => {
    for (;;) {
      const minute = await minuteOfDatabase();
      const [before] = await database.rows(sql<{ submissions: number }>`
        select count(*) as submissions from relay_requests where created_at >= ${new Date(minute)}`);
      const allowed = SUBMISSIONS_PER_MINUTE - before!.submissions;
      const answers: Response[] = [];
      for (let at = 0; at < allowed + 10; at += 1) answers.push(await submit(at, 'pool-that-nobody-has'));
      const after = await minuteOfDatabase();
      if (after !== minute) {
        // The minute ended meanwhile: wait for a complete one.
        await eventually(minuteOfDatabase, (now) => now !== after);
        continue;
      }
      expect(answers.map(({ status }) => status)).toEqual([
        ...Array<number>(allowed).fill(400),
        ...Array<number>(10).fill(429),
      ]);
      for (const { headers } of answers.slice(allowed)) {
        const seconds = Number(headers.get('retry-after'));
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(seconds).toBeLessThanOrEqual(60);
      }
      return;
    }
  });
});
