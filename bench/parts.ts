import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { entities } from '#lucarne/app/storage/entities.js';
import { API_KEY_SCOPES, type ApiKeyPrincipal } from '#lucarne/domain/access/index.js';
import { listTransactions, moveOldRecords } from '#lucarne/domain/transactions/index.js';
import { connectDatabase, type Database, sql } from '#lucarne/platform/database/index.js';
import { shareOf } from '#lucarne/edge/cli/pace-option.js';
import { migrations } from '#lucarne/platform/database/migrations/index.js';
import { newId, type Id } from '#lucarne/platform/kernel/ids.js';
import type { Benchmark } from './kit/benchmark.ts';

const MIGRATION = '0046-parts-of-transactions';
const BEGIN = Date.UTC(2024, 0, 1);
const DAY_MS = 24 * 60 * 60_000;
const STEP = 100_000;
/** How each statement of the writer begins. */
const INSERT = 'insert into transactions';

/**
 * How long a reader and a writer wait while the table is partitioned, and while half of all records move into a part. The ratio
 * compares the pages that the reader gets during this time with the pages that it gets without.
 */
export const benchmark: Benchmark = async ({ quick, large, databaseUrl, parts, tell }) => {
  const rows = quick ? 5_000 : large ? 10_000_000 : 1_000_000;
  const open = () => connectDatabase({ entities, target: { url: databaseUrl, silenceMs: 0 } });
  const database = parts.use(await open());
  const before = migrations[migrations.findIndex(({ name }) => name === MIGRATION) - 1]!.name;
  await database.migrate(before);
  const { organizationId, assetId } = await seed(database, rows, tell);
  const principal: ApiKeyPrincipal = {
    ...{ kind: 'api_key', organizationId, apiKeyId: newId('key'), name: 'Measured' },
    scopes: new Set(Object.keys(API_KEY_SCOPES) as (keyof typeof API_KEY_SCOPES)[]),
  };
  // Separate connections, like those of a gateway.
  const beside = parts.use(await open());
  let position = rows;
  const read = async () => {
    const page = await listTransactions({ database: beside, reads: beside }, principal, {
      assetId,
      first: 50,
    });
    if (page.nodes[0]?.position !== 1 || page.nodes.length !== 50) throw new Error('A page is not whole.');
  };
  const write = async () => {
    position += 1;
    await insert(beside, assetId, position, position, new Date());
  };
  // The statement of a list names columns that do not exist before the migrations.
  const readBefore = async () => {
    const page = await beside.rows(
      sql`select * from transactions where asset_id = ${assetId} and position > 0 order by position limit 50`,
    );
    if (page.length !== 50) throw new Error('A page is not whole.');
  };
  const migrated = await watch({ read: readBefore, write }, async () => {
    await database.migrate();
    // Also counts requests that arrived while it waited.
    await sleep(100);
  });
  tell('migrated');
  const alone = await watch({ read, write }, () => sleep(quick ? 200 : 10_000));
  tell('without anything beside them');
  const day = new Date(Math.ceil((BEGIN + (rows / 2) * 1000) / DAY_MS) * DAY_MS);
  const events = new Map<string, number>();
  const moved = await watch({ read, write, sample: () => sampleWaits(beside, events) }, () =>
    moveOldRecords(database, { before: day, tablespace: null, share: shareOf(undefined, database) }),
  );
  const [count] = await database.rows(sql<{ count: number }>`select count(*) as count from transactions`);
  if (count?.count !== position) throw new Error(`${count?.count} records, not ${position}.`);
  const [productRate, referenceRate] = [moved, alone].map(({ read: { rate } }) => rate) as [number, number];
  const ratio = productRate / referenceRate;
  return [
    {
      ...{ what: `Pages while half of ${rows.toLocaleString('en-US')} records move`, unit: 'pages' },
      ...{ reference: 'without', productRate, referenceRate, ratio, interval: [ratio, ratio], pairs: 1 },
      additional: {
        'records moved a second': Math.round(moved.result / moved.seconds),
        ...pausesOf('alone', alone),
        ...pausesOf('migrating', migrated),
        ...pausesOf('moving', moved),
        'samples of long writes, by wait event':
          [...events]
            .sort(([, one], [, other]) => other - one)
            .map(([event, count]) => `${event} ${count}`)
            .join(', ') || 'none',
      },
    },
  ];
};

interface Watched {
  readonly rate: number;
  readonly longestMs: number;
  /** How often it took longer than {@link LONG_MS}. */
  readonly long: number;
}

/** The longest pause that readers and writers should have. */
const LONG_MS = 200;

const SAMPLE_MS = 20;

/** Counts what PostgreSQL reports that a write waits for, once it has waited for longer than {@link LONG_MS}. */
async function sampleWaits(database: Database, events: Map<string, number>): Promise<void> {
  const waiting = await database.rows(sql<{ event: string }>`
    select coalesce(wait_event_type || ' ' || wait_event, 'none') as event from pg_stat_activity
    where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
      and query like ${`%${INSERT} (%`} and clock_timestamp() - query_start > ${LONG_MS} * interval '1 millisecond'`);
  for (const { event } of waiting) events.set(event, (events.get(event) ?? 0) + 1);
  await sleep(SAMPLE_MS);
}

/** How often each of `loops` runs, and its longest durations, while `work` runs. */
async function watch<Result>(
  {
    sample,
    ...loops
  }: Readonly<Record<'read' | 'write', () => Promise<void>>> & {
    readonly sample?: () => Promise<void>;
  },
  work: () => Promise<Result>,
): Promise<
  Readonly<Record<'read' | 'write', Watched>> & { readonly result: Result; readonly seconds: number }
> {
  let isDone = false;
  const began = performance.now();
  const repeat = async (once: () => Promise<void>): Promise<Watched> => {
    let count = 0;
    let [longestMs, long] = [0, 0];
    do {
      const from = performance.now();
      await once();
      const tookMs = performance.now() - from;
      longestMs = Math.max(longestMs, tookMs);
      if (tookMs > LONG_MS) long += 1;
      count += 1;
      await sleep(2);
    } while (!isDone);
    return { rate: count / ((performance.now() - began) / 1000), longestMs, long };
  };
  const [read, write, , result] = await Promise.all([
    repeat(loops.read),
    repeat(loops.write),
    sample && repeat(sample),
    work().finally(() => {
      isDone = true;
    }),
  ]);
  return { read, write, result, seconds: (performance.now() - began) / 1000 };
}

const pausesOf = (when: string, { read, write }: Readonly<Record<'read' | 'write', Watched>>) => ({
  [`longest read, ${when} (ms)`]: Math.round(read.longestMs),
  [`longest write, ${when} (ms)`]: Math.round(write.longestMs),
  [`over ${LONG_MS} ms, ${when}`]: read.long + write.long,
});

async function seed(database: Database, rows: number, tell: (line: string) => void) {
  const [organizationId, assetId] = [newId('org'), newId('ast')];
  await database.rows(
    sql`insert into organizations (id, name, created_at) values (${organizationId}, 'Measured', now())`,
  );
  await database.rows(sql`
    insert into auditor_keys (organization_id, epoch, public_key, sealed_secret, created_at)
    values (${organizationId}, 1, ${randomBytes(32)}, ${randomBytes(61)}, now())`);
  await database.rows(sql`
    insert into assets (id, organization_id, name, symbol, decimals, auditor_public_key, auditor_key_epoch, status,
      created_at, updated_at)
    values (${assetId}, ${organizationId}, 'Measured', 'MSRD', 6, ${randomBytes(32)}, 1, 'active', now(), now())`);
  for (let from = 1; from <= rows; from += STEP) {
    const until = Math.min(rows, from + STEP - 1);
    await insert(database, assetId, from, until);
    if (until % 1_000_000 === 0) tell(`${until.toLocaleString('en-US')} rows`);
  }
  await database.rows(sql`vacuum (analyze) transactions`);
  return { organizationId, assetId };
}

/** One record per second, or all at `time`. */
function insert(database: Database, assetId: Id<'ast'>, from: number, until: number, time?: Date) {
  const account = (value: string) => sql.raw(`substr(repeat(md5((${value})::text), 2), 1, 44)`);
  return database.rows(sql`
    ${sql.raw(INSERT)} (id, asset_id, position, signature, path, type, slot, block_time, signer,
      source_account, destination_account, public_data, ciphertexts, indexed_at)
    select 'txn_' || lpad(n::text, 26, '0'), ${assetId}, n, substr(repeat(md5(n::text), 3), 1, 88), '{3,0,0}',
      'confidential_transfer', n, ${BEGIN / 1000}::bigint + n, ${account('n % 977')}, ${account('n % 99991')},
      ${account('n % 99983')}, jsonb_build_object('authority', ${account('n % 977')}),
      jsonb_build_object('auditor', jsonb_build_object('lo', repeat(md5(n::text), 2) || substr(md5(n::text), 9),
        'hi', repeat(md5((-n)::text), 2) || substr(md5(n::text), 9))),
      coalesce(${time ?? null}::timestamptz, to_timestamp(${BEGIN / 1000}::bigint + n))
    from generate_series(${from}::integer, ${until}::integer) as n`);
}
