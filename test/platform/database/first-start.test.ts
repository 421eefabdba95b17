import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { sql } from '../../../src/platform/database/index.js';
import { createHttpServer, createRegistry, registerHealth } from '../../../src/platform/http/index.js';
import { systemClock } from '../../../src/platform/kernel/clock.js';
import { createEmptyDatabase } from '../../kit/database/database.js';

it('an empty database is not initialized by a readiness check, which only reads', async () => {
  await using empty = await createEmptyDatabase();
  const [database] = await empty.open(1);
  const log = pino({ level: 'silent' });
  const registry = createRegistry();
  const server = await createHttpServer({ log, registry, trustProxy: false });
  registerHealth(server, { database: database!, clock: systemClock, registry, log, phase: () => 'serving' });
  expect((await server.inject('/readyz')).json()).toMatchObject({ checks: { migrations: 'pending' } });
  await server.close();
  const tables = await database!.rows(sql`
    select from pg_class where relnamespace = 'public'::regnamespace`);
  expect(tables).toEqual([]);
});
