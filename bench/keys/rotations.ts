import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { operatorOf } from '#lucarne/domain/access/index.js';
import { createApiKey, createOrganization } from '#lucarne/domain/organizations/index.js';
import { formatElGamalKeypair, generateElGamalKeypair } from '#lucarne/platform/crypto/index.js';
import { type Foundation, SEALED_ANSWERS, sql } from '#lucarne/platform/database/index.js';
import { usableInMs } from '#lucarne/platform/keys/index.js';
import { LOCAL_POOL_PROGRAM_ID, localPoolProgram, startLocalLedger } from '#devnet/index.js';
import type { Benchmark } from '../kit/benchmark.ts';
import { openFoundation } from '../kit/foundation.ts';
import { COMMAND, startGateway } from '../kit/gateway.ts';
import { openRelaying } from '../relays/relaying.ts';
import { changePayers } from './change-payers.ts';
import { openGateways } from './gateways.ts';
import { importAuditorKey, OWNER, rotateKey } from './owner.ts';
import { type Measured, post, startSteadyLoad } from './steady-load.ts';

const ROWS = { usual: 50_000, large: 1_000_000, quick: 1_000 };
const A_STATEMENT = 10_000;
const READS_A_SECOND = 24;
const APPENDS_A_SECOND = 6;
/** How long the load runs before the first change. */
const BEFORE_MS = 30_000;
const ASSET = { name: 'Measured', symbol: 'MSRD', decimals: 6 };
/** How long the ledger takes to finalize, as Solana, and how long a gateway that stops still answers, as in production. */
const USUAL = { finalityMs: 12_800, drainMs: 5_000, beforeRelaysMs: 15_000 };
const QUICK = { finalityMs: 2_000, drainMs: 2_000, beforeRelaysMs: 1_000 };

interface Step {
  readonly what: string;
  readonly ms: number;
  readonly measured: Measured;
}

/**
 * Changes of keys with the commands of an operator, while a gateway serves requests that need sealed values (repeated
 * idempotent requests) and requests that append (assets, with their log entry and sealed answer); a change of payers also while
 * relays are in progress. A single failed request fails the benchmark. Downtime is the longest time without an answer.
 */
export const benchmark: Benchmark = async ({ quick, large, databaseUrl, parts, tell }) => {
  const masterKey = randomBytes(32);
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-bench-keys-'));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  const masterKeyFile = path.join(directory, 'master.key');
  await writeFile(masterKeyFile, `${masterKey.toString('base64')}\n`, { mode: 0o600 });
  const foundation = await openFoundation({ databaseUrl, parts }, masterKey);
  const { secret, organizationId } = await seedOrganization(foundation);
  const { finalityMs, drainMs, beforeRelaysMs } = quick ? QUICK : USUAL;
  const ledger = parts.use(await startLocalLedger({ finalizationDelayMs: finalityMs }));
  ledger.addProgram(LOCAL_POOL_PROGRAM_ID, localPoolProgram());
  const relaying = parts.use(await openRelaying(ledger, { payers: 2 }));
  const start = (environment: Readonly<Record<string, string>>, untilIdle = false) =>
    startGateway({
      ...{ databaseUrl, masterKeyFile, untilIdle, roles: 'api,indexer,relayer' },
      environment: { ...environment, LUCARNE_DRAIN_MS: String(drainMs) },
    });
  const LUCARNE_RELAYER_KEYPAIR_FILE = relaying.payers[0]!.file;
  const first = await start({ ...relaying.environment, LUCARNE_RELAYER_KEYPAIR_FILE }, true);
  const gateways = parts.use(openGateways(first));

  const create = async (key: string) => {
    const headers = { authorization: `Bearer ${secret}`, 'idempotency-key': key };
    return (await post({ port: gateways.port, path: '/v1/assets', headers }, ASSET, 201)).text;
  };
  const answer = await create('seeded-0');
  const rows = ROWS[quick ? 'quick' : large ? 'large' : 'usual'];
  const seededMs = await durationOf(() => seedAnswers(foundation, organizationId, rows));
  tell(`${rows} sealed values stored in ${seconds(seededMs)} s`);

  let appended = 0;
  const load = parts.use(
    startSteadyLoad([
      {
        perSecond: READS_A_SECOND,
        async ask() {
          const again = await create(`seeded-${Math.floor(Math.random() * rows)}`);
          if (again !== answer) throw new Error(`Another answer than before: ${again.slice(0, 300)}`);
        },
      },
      {
        perSecond: APPENDS_A_SECOND,
        ask: async () => {
          await create(`new-${(appended += 1)}`);
        },
      },
    ]),
  );
  await pause(2_000);
  load.take();
  const beforeMs = quick ? 1_000 : BEFORE_MS;
  await pause(beforeMs);
  const before = load.take();
  tell(`before: ${sentenceOf(before)}`);

  const steps: Step[] = [];
  /** By default, waits for the answers to requests that were sent meanwhile. */
  const measure = async (what: string, work: () => Promise<unknown>, waitMs = 1_000) => {
    const ms = await durationOf(work);
    await pause(waitMs);
    const measured = load.take();
    steps.push({ what, ms, measured });
    tell(`${what}: ${seconds(ms)} s; ${sentenceOf(measured)}`);
  };
  const env = {
    ...{ PATH: process.env['PATH'], DATABASE_URL: databaseUrl, LUCARNE_MASTER_KEY_FILE: masterKeyFile },
    ...{ LUCARNE_DATA_DIR: directory, SOLANA_RPC_URL: 'http://127.0.0.1:9' },
  };
  const command = (...words: string[]) =>
    promisify(execFile)(process.execPath, ['--no-warnings', COMMAND, ...words], { env, cwd: directory });

  for (const rotation of ['rotateAuditorKey', 'rotateSigningKey'])
    await measure(rotation, () => rotateKey(gateways.port, rotation));
  await measure('importAuditorKey', () => importAuditorKey(gateways.port, newKeypair()));
  const { submissions, ...relays } = await changePayers({
    ...{ relaying, gateways, start, measure, beforeMs: beforeRelaysMs, database: foundation.database },
  });
  tell(
    `each relay succeeded with one transaction: ${relays.paidByOld} paid by the old payer, ${relays.paidByNew} by the new one; ` +
      `${relays.leftOpen} were open when the first gateway had ended; submissions: ${sentenceOf(submissions)}`,
  );
  // Changes nothing: what every command costs that starts beside a gateway.
  await measure('master-key status', () => command('master-key', 'status'));
  await measure('auditor-key import', () => {
    const importing = command(
      'auditor-key',
      'import',
      '--organization',
      organizationId,
      '--reason',
      'Measured',
    );
    importing.child.stdin!.end(newKeypair());
    return importing;
  });
  await measure('master-key rotate', () => command('master-key', 'rotate'));
  for (const pace of quick ? [[]] : [['--pace', '100'], []]) {
    const what = ['master-key reseal', ...pace].join(' ');
    const ended = command('master-key', 'reseal', ...pace);
    // Measured separately: the half minute in which every gateway learns of the data keys would hide what follows.
    await measure(`${what}: announcing`, () => Promise.race([ended, untilResealing(foundation)]), 0);
    await measure(what, () => ended);
  }
  if (quick) await letSettle(foundation);
  else await measure('the wait until retire is allowed', () => settled(foundation));
  await measure('master-key retire 1', () => command('master-key', 'retire', '1'));
  for (const line of tableOf([{ what: 'nothing, before', ms: beforeMs, measured: before }, ...steps]))
    tell(line);
  const failed = [before, ...steps.map(({ measured }) => measured)].flatMap(({ failures }) => failures);
  if (failed.length > 0) throw new Error(`${failed.length} requests failed. The first: ${failed[0]}`);

  const worst = (value: (measured: Measured) => number) =>
    Math.max(...steps.map(({ measured }) => value(measured)));
  const requests = steps.reduce((sum, { measured }) => sum + measured.requests, 0);
  const rate =
    requests / steps.reduce((sum, { measured }) => sum + measured.requests / measured.perSecond, 0);
  return [
    {
      ...{ what: `Keys changed with ${rows.toLocaleString('en-US')} sealed values`, unit: 'requests' },
      ...{ reference: 'the same load before', productRate: rate, referenceRate: before.perSecond },
      ...{
        ratio: rate / before.perSecond,
        interval: [rate / before.perSecond, rate / before.perSecond],
        pairs: 1,
      },
      additional: {
        'failed requests': failed.length,
        'relays paid by the old payer': relays.paidByOld,
        'by the new one': relays.paidByNew,
        'of the old one, open when its process had ended': relays.leftOpen,
        'p50 ms before': before.p50,
        'p99 ms before': before.p99,
        'max ms before': before.max,
        'p50 ms, worst step': worst(({ p50 }) => p50),
        'p99 ms, worst step': worst(({ p99 }) => p99),
        'max ms': worst(({ max }) => max),
        'of requests over 1 s %':
          (100 * steps.reduce((sum, { measured }) => sum + measured.late, 0)) / requests,
        'longest gap ms': worst(({ gap }) => gap),
        ...Object.fromEntries(steps.map(({ what, ms }) => [`${what} s`, ms / 1_000])),
      },
    },
  ];
};

async function seedOrganization(foundation: Foundation) {
  const { id: organizationId } = await createOrganization(foundation, {
    name: 'Measured',
    owner: { ...OWNER, name: 'Owner' },
  });
  const { secret } = await createApiKey(foundation, operatorOf(organizationId), {
    name: 'Measured',
    scopes: ['assets:write'],
  });
  return { organizationId, secret };
}

/** Stores copies of the first answer under other keys, each sealed for its key. */
async function seedAnswers({ database, sealer }: Foundation, organizationId: string, rows: number) {
  const [stored] = await database.rows(
    sql<{ sealed: Uint8Array }>`select sealed_answer as sealed from idempotency_keys where key = 'seeded-0'`,
  );
  const answer = sealer.open(stored!.sealed, SEALED_ANSWERS.context([organizationId, 'seeded-0']));
  for (let first = 1; first < rows; first += A_STATEMENT) {
    const keys = Array.from(
      { length: Math.min(A_STATEMENT, rows - first) },
      (_, at) => `seeded-${first + at}`,
    );
    const sealed = keys.map((key) => sealer.seal(answer, SEALED_ANSWERS.context([organizationId, key])));
    await database.rows(sql`
      insert into idempotency_keys (organization_id, key, operation, request_hash, resource_id, sealed_answer, created_at)
      select organization_id, seeded.key, operation, request_hash, resource_id, seeded.sealed, now()
      from idempotency_keys, unnest(${keys}::text[], ${sealed}::bytea[]) as seeded (key, sealed)
      where idempotency_keys.key = 'seeded-0'`);
  }
  await database.rows(sql`analyze idempotency_keys`);
}

/** Waits until values are sealed again with data keys that every gateway uses. */
async function untilResealing({ database }: Foundation): Promise<void> {
  const isAnnounced = async () =>
    (await database.rows(sql`select 1 from resealing where finished_at is null`)).length > 0;
  while (!(await isAnnounced())) await pause(200);
  for (let waitMs = await usableInMs(database); waitMs !== undefined; waitMs = await usableInMs(database))
    await pause(waitMs);
}

/** Waits until the newest data keys have been in use as long as `retire` requires. */
async function settled({ database }: Foundation): Promise<void> {
  const [row] = await database.rows(
    sql<{
      wait: number;
    }>`select extract(epoch from max(usable_at) - now())::float8 + 302 as wait from data_keys`,
  );
  await pause(Math.max(0, row!.wait * 1_000));
}

const newKeypair = () => formatElGamalKeypair(generateElGamalKeypair());

async function durationOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** As if the newest data keys had been in use for a long time. */
const letSettle = ({ database }: Foundation) =>
  database.rows(sql`update data_keys set usable_at = usable_at - interval '1 hour'`);

/** The figures of each step, as docs/operate.md shows them. */
function* tableOf(steps: readonly Step[]) {
  yield '| Operation | Takes | Requests | p50 | p99 | Longest | Longest time without an answer |';
  yield `|${' --- |'.repeat(7)}`;
  for (const { what, ms, measured } of steps) {
    const { requests, p50, p99, max, gap } = measured;
    const times = [p50, p99, max, gap].map((time) => `${time.toFixed(0)} ms`);
    yield `| ${[what, `${seconds(ms)} s`, requests, ...times].join(' | ')} |`;
  }
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1);

const sentenceOf = ({ requests, failures, p50, p99, max, late, gap }: Measured) =>
  `${requests} requests, ${failures.length} failed; p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)}, max ${max.toFixed(0)}, ${late} over 1 s; ` +
  `longest gap ${gap.toFixed(0)} ms${failures.length === 0 ? '' : `; the first failure: ${failures[0]}`}`;
