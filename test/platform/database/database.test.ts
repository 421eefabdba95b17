import { describe, expect, it } from '@jest/globals';
import {
  acrossOrganizations,
  actingFor,
  connectDatabase,
  inShareOf,
  jsonb,
  prepared,
  sql,
  type Transaction,
} from '../../../src/platform/database/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { entities } from '../../../src/app/storage/entities.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { forFile } from '../../kit/for-file.js';
import { startDatabaseProxy } from '../../kit/database/database-proxy.js';
import { itOnPostgresql } from '../../kit/database/on-postgresql.js';

const database = forFile(await createTestDatabase());

const LOCK = 'pg_advisory_xact_lock(4711)';
const takeLock = (transaction: Transaction) => transaction.rows(sql`select ${sql.raw(LOCK)}`);

/** What takes the lock, waits until this is disposed of. */
async function heldLock(): Promise<AsyncDisposable> {
  const isLocked = Promise.withResolvers<undefined>();
  const ended = Promise.withResolvers<undefined>();
  const holding = database.transaction(async (transaction) => {
    await takeLock(transaction);
    isLocked.resolve(undefined);
    await ended.promise;
  });
  await isLocked.promise;
  return {
    [Symbol.asyncDispose]() {
      ended.resolve(undefined);
      return holding;
    },
  };
}

describe('the database', () => {
  it('returns every type in the same form on both engines', async () => {
    const [row] = await database.rows(sql<Record<string, unknown>>`
      select 9007199254740991::bigint as "wide", '2026-11-21T10:00:00.123Z'::timestamptz as "instant",
        ${jsonb([1, { a: null }])} as "document", ${['a', 'b']}::text[] as "texts", '{3,1}'::integer[] as "path",
        ${new Uint8Array([0, 255])}::bytea as "bytes"`);
    expect(row).toMatchObject({
      wide: 9007199254740991,
      instant: new Date('2026-11-21T10:00:00.123Z'),
      document: [1, { a: null }],
      texts: ['a', 'b'],
      path: [3, 1],
    });
    expect([...(row!['bytes'] as Uint8Array)]).toEqual([0, 255]);
  });

  it('keeps nothing of a failed transaction, and runs none of its after-commit actions', async () => {
    let ran = false;
    await expect(
      database.transaction(async (transaction) => {
        await transaction.rows(sql`insert into settings values ('half', '1')`);
        transaction.afterCommit(() => (ran = true));
        throw new Error('stop');
      }),
    ).rejects.toThrow('stop');
    expect(await database.rows(sql`select * from settings where name = 'half'`)).toEqual([]);
    expect(ran).toBe(false);
  });

  // PGlite has no connections that could be cut.
  itOnPostgresql('recovers the connection of each interrupted transaction', async () => {
    const poolSize = 10;
    for (let cut = 0; cut <= poolSize; cut += 1) {
      const killed = database.transaction((transaction) =>
        transaction.rows(sql`select pg_terminate_backend(pg_backend_pid())`),
      );
      await expect(killed).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    }
    await expect(
      database.transaction((transaction) => transaction.rows(sql`select 1 as one`)),
    ).resolves.toEqual([{ one: 1 }]);
  });

  itOnPostgresql(
    'times out on a server that does not answer, and recovers its connections when it answers',
    async () => {
      await using proxy = await startDatabaseProxy(database.url!);
      const target = { url: proxy.url, poolSize: 2, silenceMs: 1_000 };
      await using patient = await connectDatabase({ entities, target });
      const asleep = () => patient.rows(sql`select pg_sleep(0.05)`);
      await Promise.all([asleep(), asleep()]);
      proxy.fallSilent();
      const inVain = [
        patient.rows(sql`select 1`),
        patient.transaction((transaction) => transaction.rows(sql`select 1`)),
      ];
      for (const question of inVain) await expect(question).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      proxy.speak();
      await Promise.all([asleep(), asleep()]);
      await expect(patient.rows(sql`select 1 as one`)).resolves.toEqual([{ one: 1 }]);
    },
  );

  itOnPostgresql('says that each connection is in use, not that the database is away', async () => {
    await using small = await connectDatabase({ entities, target: { url: database.url!, poolSize: 1 } });
    const isRead = Promise.withResolvers<undefined>();
    const holding = small.transaction(() => isRead.promise);
    const refused: unknown = await small.rows(sql`select 1`).catch((thrown: unknown) => thrown);
    isRead.resolve(undefined);
    await holding;
    const message = 'No database connection is free. Try again.';
    expect(refused).toMatchObject({ code: 'UNAVAILABLE', message });
    await expect(small.rows(sql`select 1 as one`)).resolves.toEqual([{ one: 1 }]);
  });

  itOnPostgresql('lets the caller repeat a transaction that is the victim of a deadlock', async () => {
    const [first, second] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const crossed = (own: number, other: number, isHeld: typeof first, mayGoOn: Promise<undefined>) =>
      database.transaction(async (transaction) => {
        await transaction.rows(sql`select pg_advisory_xact_lock(${own}::bigint)`);
        isHeld.resolve(undefined);
        await mayGoOn;
        await transaction.rows(sql`select pg_advisory_xact_lock(${other}::bigint)`);
      });
    const outcomes = await Promise.allSettled([
      crossed(4712, 4713, first, second.promise),
      crossed(4713, 4712, second, first.promise),
    ]);
    const reason = { code: 'UNAVAILABLE', message: 'Another change was made at the same time. Try again.' };
    expect(outcomes.toSorted((one, other) => (one.status < other.status ? -1 : 1))).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { ...reason, retryAfterSeconds: 1 } },
    ]);
  });

  itOnPostgresql(
    'leaves connections to other organizations while transactions of one wait for its own locks',
    async () => {
      await using small = await connectDatabase({ entities, target: { url: database.url!, poolSize: 4 } });
      const [busy, other] = [newId('org'), newId('org')];
      await using held = await heldLock();
      const ways = [
        () => actingFor([busy], () => small.transaction(takeLock)),
        () => acrossOrganizations(() => inShareOf(busy, () => small.transaction(takeLock))),
      ];
      const waiting = Array.from({ length: 8 }, (_, at) => ways[at % 2]!());
      const outcomes = Promise.allSettled(waiting);
      await actingFor([other], () => small.transaction((transaction) => transaction.rows(sql`select 1`)));
      // The organization's own reads have a connection, too.
      await actingFor([busy], () => small.rows(sql`select 1`));
      // Like everyone who waits for a connection, those of the organization itself are refused after some seconds.
      const first = await Promise.race(waiting.map((one) => one.catch((thrown: unknown) => thrown)));
      const message = 'Your organization has too many changes in progress. Try again.';
      expect(first).toMatchObject({ code: 'UNAVAILABLE', message });
      await held[Symbol.asyncDispose]();
      expect((await outcomes).map(({ status }) => status)).toContain('fulfilled');
    },
  );

  itOnPostgresql('leaves connections to other organizations while many reads of one are slow', async () => {
    await using small = await connectDatabase({ entities, target: { url: database.url!, poolSize: 4 } });
    const [busy, other] = [newId('org'), newId('org')];
    await using held = await heldLock();
    const slow = prepared('slow_read', `select ${LOCK}, $1::text as name`);
    const ways = [
      () => actingFor([busy], () => small.rows(sql`select ${sql.raw(LOCK)}`)),
      () => actingFor([busy], () => small.rows(slow('x'))),
      () => acrossOrganizations(() => inShareOf(busy, () => small.rows(slow('x')))),
    ];
    const waiting = Array.from({ length: 400 }, (_, at) => ways[at % 3]!());
    const outcomes = Promise.allSettled(waiting);
    const one = () => small.rows(sql`select 1 as one`);
    for (let round = 0; round < 3; round += 1) {
      await actingFor([other], one);
      await actingFor([other], () => small.transaction((transaction) => transaction.rows(sql`select 1`)));
      // Nobody asks for one organization only: sign-ins, and reads that callers of several organizations share.
      await acrossOrganizations(one);
      await actingFor([busy, other], one);
    }
    const first = await Promise.race(waiting.map((read) => read.catch((thrown: unknown) => thrown)));
    const message = 'Your organization has too many reads in progress. Try again.';
    expect(first).toMatchObject({ code: 'UNAVAILABLE', message, retryAfterSeconds: 5 });
    await held[Symbol.asyncDispose]();
    expect((await outcomes).slice(0, 3).map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'));
    await expect(actingFor([busy], one)).resolves.toEqual([{ one: 1 }]);
  });

  itOnPostgresql('closes while connections are being opened, after current work ends', async () => {
    for (let round = 0; round < 20; round += 1) {
      const closing = await connectDatabase({ entities, target: { url: database.url! } });
      await closing.rows(sql`select 1`);
      const underWay = Array.from({ length: 12 }, () => closing.rows(sql<{ one: number }>`select 1 as one`));
      const closed = closing[Symbol.asyncDispose]();
      await expect(closing.rows(sql`select 1`)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await expect(Promise.all(underWay)).resolves.toHaveLength(12);
      await closed;
    }
  });

  it('refuses a nested transaction, and a plain read or close inside a transaction', async () => {
    await database.transaction(async () => {
      await expect(database.transaction(() => Promise.resolve())).rejects.toThrow('inside another');
      expect(() => database.rows(sql`select 1`)).toThrow('read through the transaction');
      await expect(database[Symbol.asyncDispose]()).rejects.toThrow('closed inside a transaction');
    });
  });

  it('refuses text that cannot be stored as bad input', async () => {
    await expect(database.rows(sql`select ${'a\0b'}::text`)).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
    });
  });

  it('has no pending migration after migrating', async () => {
    expect(await database.pendingMigrations()).toEqual([]);
  });
});

itOnPostgresql.each([
  ['off', 'on'],
  ['local', 'local'],
])('a server with synchronous_commit = %s commits with %s', async (setting, expected) => {
  await using server = await createTestDatabase();
  await server.rows(
    sql.raw(`alter database ${new URL(server.url!).pathname.slice(1)} set synchronous_commit = ${setting}`),
  );
  await using opened = await connectDatabase({ entities, target: { url: server.url! } });
  const inForce = sql<{ value: string }>`select current_setting('synchronous_commit') as value`;
  expect(await opened.rows(inForce)).toEqual([{ value: expected }]);
  expect(await opened.transaction((transaction) => transaction.rows(inForce))).toEqual([{ value: expected }]);
});
