import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { sql, type Database } from '../../../src/platform/database/index.js';
import { createHttpServer, createRegistry, registerHealth } from '../../../src/platform/http/index.js';
import { pause } from '../../../src/platform/jobs/index.js';
import { createEmptyDatabase } from '../../kit/database.js';

const log = pino({ level: 'silent' });

describe('the first start on an empty database', () => {
  let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let instances: Database[];

  beforeAll(async () => {
    empty = await createEmptyDatabase();
    instances = await empty.open(2);
  });
  afterAll(async () => empty[Symbol.asyncDispose]());

  it('is not prepared by the question whether it is ready, which only reads', async () => {
    const [database] = instances;
    await using server = await healthOf(database!);
    expect((await server.inject('/readyz')).json()).toMatchObject({ checks: { migrations: 'pending' } });
    const tables = await database!.rows(sql`
      select from pg_class where relnamespace = 'public'::regnamespace`);
    expect(tables).toEqual([]);
  });

  it('migrates it once, though two instances start together and each is asked every 5 ms whether it is ready', async () => {
    let isOver = false;
    const asked = instances.map(async (database) => {
      await using server = await healthOf(database);
      const statuses = new Set<number>();
      while (!isOver) {
        statuses.add((await server.inject('/readyz')).statusCode);
        await pause(5);
      }
      const last = await server.inject('/readyz');
      return { statuses, last: last.json<{ checks: object }>().checks };
    });
    const applied = await Promise.all(instances.map((database) => database.migrate()));
    isOver = true;

    const first = applied.find((names) => names.length > 0)!;
    expect(first.length).toBeGreaterThan(5);
    expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
    for (const { last } of await Promise.all(asked)) {
      expect(last).toEqual({ accepting: 'ok', database: 'ok', migrations: 'ok' });
    }
  }, 120_000);
});

async function healthOf(database: Database) {
  const registry = createRegistry();
  const server = await createHttpServer({ log, registry, trustProxy: false });
  registerHealth(server, { database, registry, log, phase: () => 'serving' });
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}
