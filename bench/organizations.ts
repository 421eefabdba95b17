import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ApiKeyPrincipal, API_KEY_SCOPES, OPERATOR, operatorOf } from '#lucarne/domain/access/index.js';
import { recordActivity, sequenceEntries } from '#lucarne/domain/activity-log/index.js';
import { retainedMembers, retainedValues } from '#lucarne/domain/activity-log/index.js';
import { createAsset } from '#lucarne/domain/assets/create-asset.js';
import { retainedResults } from '#lucarne/domain/disclosures/index.js';
import { createApiKey, createApplication, sweepRetention } from '#lucarne/domain/organizations/index.js';
import { retainedFiles } from '#lucarne/domain/reports/index.js';
import { type Foundation, sql } from '#lucarne/platform/database/index.js';
import { type Id, newId } from '#lucarne/platform/kernel/ids.js';
import type { Benchmark } from './kit/benchmark.ts';
import { openFoundation } from './kit/foundation.ts';

const TOGETHER = 8;
const PUBLIC_HOST = 'lucarne.example';
const RULES = [retainedFiles, retainedResults, retainedValues, retainedMembers];
/** Linux counts the CPU of a process in hundredths of a second. */
const TICK_MS = 10;
const MEBIBYTE = 2 ** 20;

/**
 * What many organizations need, each with an application, an API key, an asset with its auditor key, and a log with its signing
 * key: bytes, and the CPU of this process and of PostgreSQL. The ratio compares the logs of many organizations, one entry in
 * each, with as many entries in one log.
 */
export const benchmark: Benchmark = async (conditions) => {
  const { quick, large, tell } = conditions;
  const count = quick ? 16 : large ? 10_000 : 1_000;
  const foundation = await openFoundation(conditions);
  const before = await bytesOf(foundation);
  const ids: Id<'org'>[] = [];
  const created = await measured(foundation, () =>
    inTurns(count, async () => {
      ids.push(await organization(foundation));
    }),
  );
  tell(`${count} organizations created`);
  const sequence = (organizationId: Id<'org'>) =>
    sequenceEntries(foundation, { organizationId, publicHost: PUBLIC_HOST });
  await inTurns(count, (n) => sequence(ids[n]!));
  await foundation.database.rows(sql`vacuum (analyze)`);
  const bytes = (await bytesOf(foundation)) - before;
  tell('first entries sequenced');

  await inTurns(count, (n) => entryOf(foundation, ids[n]!));
  const many = await measured(foundation, () => inTurns(count, (n) => sequence(ids[n]!)));
  await inTurns(count, () => entryOf(foundation, ids[0]!));
  const one = await measured(foundation, async () => {
    let left = count;
    while (left > 0) left -= await sequence(ids[0]!);
  });
  tell('logs sequenced');

  await foundation.database.rows(
    sql`update mikro_orm_migrations set executed_at = now() - interval '1 year'`,
  );
  const swept = await measured(foundation, async () => {
    for (const rule of RULES) {
      if ((await sweepRetention(foundation, rule).sweep(10_000)) > 0) throw new Error('Something was due.');
    }
  });
  const [productRate, referenceRate] = [count / many.seconds, count / one.seconds];
  const ratio = productRate / referenceRate;
  const each = (ms: number) => Math.round((ms * 1_000) / count);
  return [
    {
      ...{ what: `One log entry in each of ${count.toLocaleString('en-US')} organizations`, unit: 'entries' },
      ...{
        reference: 'as many in one log',
        productRate,
        referenceRate,
        ratio,
        interval: [ratio, ratio],
        pairs: 1,
      },
      additional: {
        'kB in the database, each': Math.round(bytes / count / 100) / 10,
        'created: CPU µs of the process, each': each(created.processMs),
        'of PostgreSQL': each(created.postgresMs),
        'sequenced: CPU µs of the process, each': each(many.processMs),
        'of PostgreSQL, sequenced': each(many.postgresMs),
        'hourly look for what is due, ms': Math.round(swept.seconds * 1_000),
        'of PostgreSQL, ms': swept.postgresMs,
        'memory MiB': process.memoryUsage.rss() / MEBIBYTE,
      },
    },
  ];
};

async function organization(foundation: Foundation): Promise<Id<'org'>> {
  const organizationId = newId('org');
  await foundation.database.rows(
    sql`insert into organizations (id, name, created_at) values (${organizationId}, 'Measured', now())`,
  );
  await entryOf(foundation, organizationId);
  const operator = operatorOf(organizationId);
  await createApplication(foundation, operator, { foreignId: 'measured', name: 'Measured' });
  const scopes = Object.keys(API_KEY_SCOPES) as (keyof typeof API_KEY_SCOPES)[];
  const { apiKey } = await createApiKey(foundation, operator, { name: 'Measured', scopes });
  const principal: ApiKeyPrincipal = {
    ...{ kind: 'api_key', organizationId, apiKeyId: apiKey.id, name: apiKey.name },
    scopes: new Set(apiKey.scopes),
  };
  await createAsset(foundation, principal, { name: 'Measured', symbol: 'MSRD', decimals: 6 });
  return organizationId;
}

const entryOf = ({ database, clock }: Foundation, organizationId: Id<'org'>) =>
  database.transaction((transaction) =>
    recordActivity(transaction, {
      ...{ organizationId, eventType: 'organization.created', actor: OPERATOR },
      ...{
        object: { organization_id: organizationId, name: randomBytes(8).toString('hex') },
        at: clock.now(),
      },
    }),
  );

async function inTurns(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: TOGETHER }, lane));
}

interface Measured {
  readonly seconds: number;
  readonly processMs: number;
  readonly postgresMs: number;
}

/** The time of `work`, and the CPU of this process and of the server processes of the database. */
async function measured(foundation: Foundation, work: () => Promise<unknown>): Promise<Measured> {
  const postgres = await postgresMs(foundation);
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    seconds,
    processMs: (user + system) / 1_000,
    postgresMs: (await postgresMs(foundation)) - postgres,
  };
}

async function postgresMs({ database }: Foundation): Promise<number> {
  const servers = await database.rows(
    sql<{ pid: number }>`select pid from pg_stat_activity where datname = current_database()`,
  );
  const ticks = await Promise.all(
    servers.map(async ({ pid }) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return stat === '' ? 0 : Number(fields[11]) + Number(fields[12]);
    }),
  );
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_MS;
}

async function bytesOf({ database }: Foundation): Promise<number> {
  const [row] = await database.rows(
    sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`,
  );
  return row!.bytes;
}
