import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { startLocalLedger } from '../../../devnet/index.js';
import { type Application, startApplication } from '../../../src/app/application.js';
import { readConfiguration } from '../../../src/app/configuration/index.js';
import { entities } from '../../../src/app/storage/entities.js';
import {
  acrossOrganizations,
  connectDatabase,
  type Database,
  grantServing,
  sql,
} from '../../../src/platform/database/index.js';
import { eventually } from '../../kit/eventually.js';
import { seedAsset, seedRecords } from '../../kit/ledger/confidential-records.js';
import { describeWithServers } from '../../kit/database/on-postgresql.js';
import { startPrimary, superuserUrl, type TestServer } from '../../kit/database/postgresql-servers.js';
import { seedOrganization, type SeededOrganization } from '../../kit/seed.js';
import { run, temporaryDirectory } from '../gateway-process.js';

const ROLE = 'lucarne_serve';
const DATABASE = 'lucarne';

describeWithServers('two gateways with a replica', () => {
  const parts = new AsyncDisposableStack();
  let replica: TestServer;
  let onReplica: Database;
  let environment: Record<string, string>;
  let one: Application;
  let other: Application;
  let home: SeededOrganization;

  beforeAll(async () => {
    const primary = parts.use(await startPrimary());
    const connect = async (url: string) => parts.use(await connectDatabase({ entities, target: { url } }));
    const administration = await connect(superuserUrl(primary));
    await administration.rows(sql.raw(`create role ${ROLE} login`));
    await administration.rows(sql.raw(`create database ${DATABASE}`));
    const owner = await connect(superuserUrl(primary, DATABASE));
    await owner.migrate();
    await owner.transaction((transaction) => grantServing(transaction, ROLE));
    replica = parts.use(await primary.replicate());
    onReplica = await connect(superuserUrl(replica, DATABASE));
    const ledger = parts.use(await startLocalLedger());
    environment = {
      DATABASE_URL: primary.url(ROLE, DATABASE),
      DATABASE_REPLICA_URLS: replica.url(ROLE, DATABASE),
      LUCARNE_PORT: '0',
      LUCARNE_MASTER_KEY: randomBytes(32).toString('base64'),
      LUCARNE_DATA_DIR: parts.use(await temporaryDirectory()).path,
      SOLANA_RPC_URL: ledger.rpcUrl,
      SOLANA_WS_URL: ledger.wsUrl,
    };
    const start = async (roles: string) => {
      const configuration = await readConfiguration({ ...environment, LUCARNE_ROLES: roles });
      const started = parts.use(await startApplication(configuration, { logger: pino({ level: 'silent' }) }));
      await started.initialized;
      return started;
    };
    one = await start('api,indexer');
    other = await start('api');
    home = await acrossOrganizations(() => seedOrganization(one.foundation));
  });
  afterAll(async () => parts.disposeAsync());

  async function ask(gateway: Application, query: string, headers: Record<string, string>) {
    const answer = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });
    return (await answer.json()) as { data?: Record<string, unknown>; errors?: unknown[] };
  }
  const asOwner = (gateway: Application) => ({
    cookie: `lucarne=${home.owner.sessionToken}`,
    origin: gateway.url!,
  });
  const asBackend = () => ({ authorization: `Bearer ${home.apiKey.secret}` });

  async function metric(gateway: Application, text: string): Promise<number> {
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    const line = metrics.split('\n').find((candidate) => candidate.startsWith(`${text} `));
    return line === undefined ? Number.NaN : Number(line.slice(text.length + 1));
  }
  const label = () => `replica="127.0.0.1:${replica.port}"`;
  const inUse = (gateway: Application) => metric(gateway, `lucarne_replica_in_use{${label()}}`);
  const answered = (gateway: Application) =>
    metric(gateway, `lucarne_replicated_reads_total{server="127.0.0.1:${replica.port}"}`);

  async function whilePaused(story: () => Promise<void>): Promise<void> {
    await onReplica.rows(sql`select pg_wal_replay_pause()`);
    await eventually(async () => {
      const [row] = await onReplica.rows(
        sql<{ state: string }>`select pg_get_wal_replay_pause_state() as state`,
      );
      return row?.state === 'paused';
    });
    try {
      await story();
    } finally {
      await onReplica.rows(sql`select pg_wal_replay_resume()`);
    }
  }
  /** Reads until the replica has answered, even on a busy machine. */
  async function byReplica(gateway: Application, read: () => Promise<unknown>): Promise<void> {
    const before = await answered(gateway);
    await eventually(async () => {
      await read();
      return (await answered(gateway)) > before;
    });
  }

  const activity = async (gateway: Application) => {
    const { data } = await ask(gateway, '{ activityLog(first: 200) { nodes { object } } }', asOwner(gateway));
    return JSON.stringify(data!['activityLog']);
  };
  const records = async (gateway: Application, assetId: string) => {
    const query = `{ transactions(assetId: "${assetId}", first: 200) { nodes { id } } }`;
    const { data } = await ask(gateway, query, asBackend());
    return (data!['transactions'] as { nodes: { id: string }[] }).nodes.map(({ id }) => id);
  };
  const register = async (foreignId: string) => {
    const answer = await ask(
      one,
      `mutation { createApplication(input: { foreignId: "${foreignId}", name: "${foreignId}" }) { foreignId } }`,
      asOwner(one),
    );
    expect(answer.errors).toBeUndefined();
  };

  it('serve the log and records that another instance wrote', async () => {
    const { id } = await acrossOrganizations(() => seedAsset(one.foundation, home.organization.id));
    for (let round = 0; round < 10; round += 1) {
      await register(`written-${round}`);
      expect(await activity(other)).toContain(`written-${round}`);
      const [added] = await acrossOrganizations(() => seedRecords(one.foundation, { id }, [{}]));
      expect(await records(other, id)).toContain(added!.id);
    }
    await byReplica(other, () => records(other, id));
    await byReplica(other, () => activity(other));
  });

  it('serve them while replay is paused, and skip the replica until it catches up', async () => {
    const { id } = await acrossOrganizations(() => seedAsset(one.foundation, home.organization.id));
    await eventually(async () => (await inUse(other)) === 1);
    await whilePaused(async () => {
      await register('while-paused');
      expect(await activity(other)).toContain('while-paused');
      const [added] = await acrossOrganizations(() => seedRecords(one.foundation, { id }, [{}]));
      expect(await records(other, id)).toEqual([added!.id]);
      await eventually(async () => (await inUse(other)) === 0);
    });
    await eventually(async () => (await inUse(other)) === 1);
    await byReplica(other, () => activity(other));
    expect(await metric(other, `lucarne_replica_lag_seconds{${label()}}`)).toBeGreaterThan(0);
  });

  it('make a report from the replica that contains everything logged before', async () => {
    await eventually(async () => (await inUse(one)) === 1);
    await byReplica(one, async () => {
      await register(`reported-${randomBytes(4).toString('hex')}`);
      const { data, errors } = await ask(
        one,
        'mutation { generateLogReport(input: { wait: true, format: json }) { status recordCount recordTotal } }',
        asOwner(one),
      );
      expect(errors).toBeUndefined();
      const generation = data!['generateLogReport'] as { recordTotal: number };
      expect(generation).toMatchObject({ status: 'finished', recordCount: generation.recordTotal });
    });
  });

  it('refuse a revoked key immediately, even if the replica has not replayed the revocation', async () => {
    const { id } = await acrossOrganizations(() => seedAsset(one.foundation, home.organization.id));
    await eventually(async () => (await inUse(other)) === 1);
    expect(await records(other, id)).toEqual([]);
    await whilePaused(async () => {
      const key = home.apiKey.apiKey.id;
      const { errors } = await ask(one, `mutation { revokeApiKey(id: "${key}") { id } }`, asOwner(one));
      expect(errors).toBeUndefined();
      const refused = await ask(other, `{ transactions(assetId: "${id}") { nodes { id } } }`, asBackend());
      expect(JSON.stringify(refused.errors)).toContain('UNAUTHENTICATED');
    });
  });

  it('are checked by “lucarne doctor”, which reports whether a replica follows, and why not', async () => {
    const line = async (more: Record<string, string> = {}) => {
      const { output } = await run(['doctor'], { ...environment, ...more });
      return output.split('\n').find((text) => /^\w+ +replica /.test(text)) ?? '';
    };
    expect(await line()).toMatch(/^ok +replica +127\.0\.0\.1:\d+ follows the primary\.$/);
    expect(await line({ DATABASE_REPLICA_URLS: environment['DATABASE_URL']! })).toMatch(
      /^warning +replica +The gateway does not read from .*: the primary answers instead\. It is not a replica: it is not in recovery\.$/,
    );
    await replica.kill();
    expect(await line()).toMatch(/^warning +replica +.* It cannot be reached: .*ECONNREFUSED/);
    await replica.start();
  });
});
