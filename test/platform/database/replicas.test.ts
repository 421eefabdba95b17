import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { entities } from '../../../src/app/storage/entities.js';
import {
  acrossOrganizations,
  actingFor,
  connectDatabase,
  connectReads,
  type Database,
  examineReplica,
  grantServing,
  type Reader,
  type ReplicatedReads,
  sql,
} from '../../../src/platform/database/index.js';
import { type Id, newId } from '../../../src/platform/kernel/ids.js';
import { eventually } from '../../kit/eventually.js';
import { openGate } from '../../kit/process/gate.js';
import { describeWithServers } from '../../kit/database/on-postgresql.js';
import { startPrimary, superuserUrl, type TestServer } from '../../kit/database/postgresql-servers.js';

const ROLE = 'lucarne_serve';
const DATABASE = 'lucarne';
/** Longer than any pause of this machine, so that only the test decides. */
const PATIENT_MS = 60_000;
const IMPATIENT_MS = 100;

const RECOVERY = sql<{ isReplica: boolean }>`select pg_is_in_recovery() as "isReplica"`;

describeWithServers('reads of replicas', () => {
  const parts = new AsyncDisposableStack();
  let primary: TestServer;
  let replica: TestServer;
  /** As the owner of the tables, on each server. */
  let owner: Database;
  let onReplica: Database;
  let serving: Database;
  const organizations: Id<'org'>[] = [];
  const lines: { readonly message: string; readonly members: object }[] = [];

  const connect = async (url: string) => parts.use(await connectDatabase({ entities, target: { url } }));
  const log = {
    info: (members: object, message: string) => void lines.push({ message, members }),
    warn: (members: object, message: string) => void lines.push({ message, members }),
  };
  const replicated = (maxLagMs: number): ReplicatedReads =>
    connectReads(serving, { urls: [replica.url(ROLE, DATABASE)], maxLagMs, log });
  const inUse = (reads: ReplicatedReads) =>
    eventually(
      () => reads.replicas[0]!.leftOut,
      (leftOut) => leftOut === undefined,
    );
  async function add(name: string): Promise<Id<'org'>> {
    const id = newId('org');
    await owner.rows(sql`insert into organizations (id, name, created_at) values (${id}, ${name}, now())`);
    organizations.push(id);
    return id;
  }
  const names = async (reader: Reader) =>
    (await reader.rows(sql<{ name: string }>`select name from organizations order by created_at`)).map(
      ({ name }) => name,
    );
  const allNames = (reader: Reader) => acrossOrganizations(() => names(reader));
  async function pauseReplay(): Promise<void> {
    await onReplica.rows(sql`select pg_wal_replay_pause()`);
    await eventually(async () => {
      const [row] = await onReplica.rows(
        sql<{ state: string }>`select pg_get_wal_replay_pause_state() as state`,
      );
      return row?.state === 'paused';
    });
  }
  const resumeReplay = () => onReplica.rows(sql`select pg_wal_replay_resume()`);

  beforeAll(async () => {
    primary = parts.use(await startPrimary());
    const administration = await connect(superuserUrl(primary));
    await administration.rows(sql.raw(`create role ${ROLE} login`));
    await administration.rows(sql.raw(`create database ${DATABASE}`));
    owner = await connect(superuserUrl(primary, DATABASE));
    await owner.migrate();
    await owner.transaction((transaction) => grantServing(transaction, ROLE));
    replica = parts.use(await primary.replicate());
    onReplica = await connect(superuserUrl(replica, DATABASE));
    serving = await connect(primary.url(ROLE, DATABASE));
  });
  afterAll(async () => parts.disposeAsync());
  // Even if a test failed.
  afterEach(async () => {
    await resumeReplay();
  });
  beforeEach(() => {
    lines.length = 0;
  });

  it('go to one of them, and include every earlier write', async () => {
    await using reads = replicated(PATIENT_MS);
    await inUse(reads);
    expect(await reads.rows(RECOVERY)).toEqual([{ isReplica: true }]);
    for (let round = 0; round < 40; round += 1) {
      const name = `written ${round}`;
      await add(name);
      const seen = await Promise.all(Array.from({ length: 5 }, () => allNames(reads)));
      for (const found of seen) expect(found).toContain(name);
    }
    expect(reads.replicas[0]).toMatchObject({ reads: 201, leftOut: undefined });
    expect(reads.readsOfPrimary).toBe(0);
  });

  it('wait for a replica that replays late, up to the allowed lag', async () => {
    await using patient = replicated(PATIENT_MS);
    await using impatient = replicated(IMPATIENT_MS);
    await inUse(patient);
    await inUse(impatient);
    await pauseReplay();
    await add('written while replay is paused');
    let isAnswered = false;
    const late = allNames(patient).finally(() => (isAnswered = true));

    expect(await allNames(impatient)).toContain('written while replay is paused');
    expect(await allNames(onReplica)).not.toContain('written while replay is paused');
    expect(impatient).toMatchObject({ readsOfPrimary: 1, replicas: [{ reads: 0 }] });
    expect(impatient.replicas[0]!.leftOut).toMatch(/did not confirm within 100 ms/);
    expect(isAnswered).toBe(false);

    // The replica is excluded: it is not asked at all.
    expect(await impatient.rows(RECOVERY)).toEqual([{ isReplica: false }]);
    await resumeReplay();
    expect(await late).toContain('written while replay is paused');
    expect(patient).toMatchObject({ readsOfPrimary: 0, replicas: [{ reads: 1 }] });
    await inUse(impatient);
    expect(await impatient.rows(RECOVERY)).toEqual([{ isReplica: true }]);
    expect(lines.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'A replica is left out: the primary answers for it.',
        'A replica answers reads.',
      ]),
    );
  });

  it('fail over to the primary when a replica is killed, and return when it is started', async () => {
    await using reads = replicated(PATIENT_MS);
    await inUse(reads);
    let isRunning = true;
    let answered = 0;
    const readOn = async () => {
      while (isRunning) {
        expect(await allNames(reads)).toContain('written 0');
        answered += 1;
      }
    };
    const readers = Promise.all(Array.from({ length: 8 }, readOn));
    await eventually(() => answered > 50);
    await replica.kill();
    await eventually(() => reads.replicas[0]!.leftOut !== undefined);
    expect(reads.replicas[0]!.leftOut).toMatch(/cannot be reached/);
    const before = answered;
    await eventually(() => answered > before + 50);
    await replica.start();
    await inUse(reads);
    const { reads: ofReplica } = reads.replicas[0]!;
    await eventually(() => reads.replicas[0]!.reads > ofReplica + 50);
    isRunning = false;
    await readers;
    expect(reads.readsOfPrimary).toBeGreaterThan(50);
  });

  it('are repeated on the primary if the replica ends their connection', async () => {
    await using reads = replicated(PATIENT_MS);
    await inUse(reads);
    // The lock exists only on the replica.
    await using holder = await connectDatabase({
      entities,
      target: { url: superuserUrl(replica, DATABASE) },
    });
    using gate = openGate();
    const holding = holder.transaction(async (transaction) => {
      await transaction.rows(sql`select pg_advisory_xact_lock(7)`);
      await gate.until();
    });
    await gate.arrived;
    const read = reads.rows(
      sql<{ isReplica: boolean }>`select pg_is_in_recovery() as "isReplica" from pg_advisory_xact_lock(7)`,
    );
    await eventually(async () => {
      const ended = await onReplica.rows(
        sql`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'advisory'`,
      );
      return ended.length > 0;
    });
    expect(await read).toEqual([{ isReplica: false }]);
    gate.release();
    await holding;
  });

  it('return only rows of their organizations', async () => {
    await using reads = replicated(PATIENT_MS);
    await inUse(reads);
    const mine = await add('mine');
    const theirs = await add('theirs');
    const asked = Array.from({ length: 60 }, async (_, index) => {
      const id = index % 2 === 0 ? mine : theirs;
      expect(await actingFor([id], () => names(reads))).toEqual([index % 2 === 0 ? 'mine' : 'theirs']);
    });
    await Promise.all(asked);
    expect(await names(reads)).toEqual([]);
    expect(await actingFor([], () => names(reads))).toEqual([]);
    // When its connections are used up, a replica is busy, and the primary helps.
    expect(reads.replicas[0]!.reads + reads.readsOfPrimary).toBe(62);
    expect(reads.replicas[0]!.reads).toBeGreaterThan(2);
  });

  it('return each type as the primary does', async () => {
    await using reads = replicated(PATIENT_MS);
    await inUse(reads);
    const values = sql`select 9007199254740991::bigint as int8, 1.50::numeric as numeric, interval '1 day' as span,
      '2026-01-02T03:04:05.678Z'::timestamptz as at, '2026-01-02'::date as day, '{"a":[1]}'::jsonb as json,
      '\\x00ff'::bytea as bytes, '{a,"b c"}'::text[] as texts, '{2026-01-02}'::date[] as days,
      '{"2026-01-02 03:04:05+00"}'::timestamptz[] as times, null::text as nothing, true as yes,
      pg_is_in_recovery() as "isReplica"`;
    const [read] = await reads.rows(values);
    const [expected] = await serving.rows(values);
    expect(read).toEqual({ ...(expected as object), isReplica: true });
  });

  it('cannot write to the database', async () => {
    await using reads = replicated(PATIENT_MS);
    await inUse(reads);
    const before = await allNames(owner);
    await expect(
      acrossOrganizations(() => reads.rows(sql`update organizations set name = 'changed' returning id`)),
    ).rejects.toThrow(/read-only transaction/);
    expect(await allNames(owner)).toEqual(before);
  });

  it('are not sent to a server that is not a replica of the primary', async () => {
    const examined = async (reader: Reader, url: string) => {
      const found = await examineReplica(reader, url, { maxLagMs: PATIENT_MS });
      return 'problem' in found ? found.problem : 'follows';
    };
    expect(await examined(serving, replica.url(ROLE, DATABASE))).toBe('follows');
    expect(await examined(serving, superuserUrl(replica, DATABASE))).toMatch(/the role “lucarne_test”/);
    expect(await examined(serving, replica.url(ROLE, 'postgres'))).toMatch(/the database “postgres”/);
    expect(await examined(serving, primary.url(ROLE, DATABASE))).toMatch(/not in recovery/);
    await using other = await startPrimary();
    expect(await examined(serving, superuserUrl(other))).toMatch(/another database cluster/);
  });

  it('are not sent to a replica of a former primary', async () => {
    await using promoted = await primary.replicate();
    await promoted.promote();
    expect(
      await examineReplica(serving, promoted.url(ROLE, DATABASE), { maxLagMs: PATIENT_MS }),
    ).toMatchObject({ problem: expect.stringMatching(/not in recovery|timeline/) });
    // The later writes of the former primary put its replica ahead of the new one.
    await add('written by the former primary');
    await using successor = await connectDatabase({
      entities,
      target: { url: promoted.url(ROLE, DATABASE) },
    });
    const examined = await examineReplica(successor, replica.url(ROLE, DATABASE), { maxLagMs: PATIENT_MS });
    expect(examined).toMatchObject({
      problem: expect.stringMatching(/was on timeline 1 .* primary is on 2/),
    });
  });
});
