import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { Gauge } from 'prom-client';
import type { Database } from '../../../src/platform/database/index.js';
import { createHttpServer, createRegistry, registerHealth } from '../../../src/platform/http/index.js';
import { startTestApp } from '../../kit/app.js';
import { createTestDatabase } from '../../kit/database/database.js';

describe('instance health', () => {
  let database: Database;
  let server: FastifyInstance;
  let accepting: boolean;
  let now = 0;
  const clock = { now: () => new Date(now) };
  /** After it, the database is checked again. */
  const second = () => void (now += 1_000);
  beforeEach(async () => {
    database = await createTestDatabase();
    accepting = true;
  });
  afterEach(async () => {
    await server.close();
    await database[Symbol.asyncDispose]();
  });

  async function serve(asked: Database = database, registry = createRegistry()): Promise<void> {
    const log = pino({ level: 'silent' });
    server = await createHttpServer({ log, registry, trustProxy: false });
    registerHealth(server, {
      database: asked,
      clock,
      registry,
      log,
      phase: () => (accepting ? 'serving' : 'stopping'),
    });
  }

  async function ask(path: string) {
    const answer = await server.inject(path);
    return { status: answer.statusCode, body: answer.json<unknown>(), headers: answer.headers };
  }

  it('is ready with a migrated database that answers', async () => {
    await serve();
    const answer = await ask('/readyz');
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'ok', checks: { accepting: 'ok', database: 'ok', migrations: 'ok' } },
    });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('collects metrics once for concurrent requests, and again for later ones', async () => {
    const registry = createRegistry();
    let collected = 0;
    const answered = Promise.withResolvers<undefined>();
    new Gauge({
      name: 'collected',
      help: 'How often metrics were collected.',
      registers: [registry],
      async collect() {
        collected += 1;
        this.set(collected);
        await answered.promise;
      },
    });
    await serve(database, registry);
    const together = ['/metrics', '/metrics', '/metrics'].map((path) => server.inject(path));
    await new Promise(setImmediate);
    answered.resolve(undefined);
    for (const { body } of await Promise.all(together)) expect(body).toContain('\ncollected 1\n');
    expect((await server.inject('/metrics')).body).toContain('\ncollected 2\n');
  });

  it('is alive but not ready after a stop request', async () => {
    await serve();
    accepting = false;
    expect(await ask('/readyz')).toMatchObject({
      status: 503,
      body: { status: 'unavailable', checks: { accepting: 'stopping', database: 'ok' } },
    });
    expect(await ask('/livez')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('checks the database once a second, however many ask, and says at once that it stops', async () => {
    let statements = 0;
    const rows: Database['rows'] = (query) => {
      statements += 1;
      return database.rows(query);
    };
    await serve({ ...database, rows });
    await Promise.all(Array.from({ length: 20 }, () => ask('/readyz')));
    now += 999;
    for (let times = 0; times < 20; times += 1) expect((await ask('/readyz')).status).toBe(200);
    expect(statements).toBe(1);
    accepting = false;
    expect(await ask('/readyz')).toMatchObject({ status: 503, body: { checks: { accepting: 'stopping' } } });
    accepting = true;
    now += 1_000;
    expect((await ask('/readyz')).status).toBe(200);
    expect(statements).toBe(3);
    // A clock that is set back does not keep an old answer.
    now -= 3_600_000;
    await ask('/readyz');
    expect(statements).toBe(4);
  });

  it('is not ready while a migration is missing, and ready once it is applied', async () => {
    let pending = ['Migration9999'];
    await serve({ ...database, pendingMigrations: () => Promise.resolve(pending) });
    expect(await ask('/readyz')).toMatchObject({
      status: 503,
      body: { status: 'unavailable', checks: { database: 'ok', migrations: 'pending' } },
    });
    pending = [];
    second();
    expect(await ask('/readyz')).toMatchObject({ status: 200, body: { checks: { migrations: 'ok' } } });
  });

  it('is not ready while the database is unavailable, without revealing why, and ready when it returns', async () => {
    let gone = false;
    const rows: Database['rows'] = (query) =>
      gone ? Promise.reject(new Error('connect ECONNREFUSED db.internal')) : database.rows(query);
    await serve({ ...database, rows });
    expect((await ask('/readyz')).status).toBe(200);
    gone = true;
    second();
    const answer = await ask('/readyz');
    expect(answer).toMatchObject({
      status: 503,
      body: { status: 'unavailable', checks: { database: 'unreachable', migrations: 'unknown' } },
    });
    expect(JSON.stringify(answer.body)).not.toContain('db.internal');
    expect((await ask('/livez')).status).toBe(200);
    gone = false;
    second();
    expect((await ask('/readyz')).status).toBe(200);
  });

  it('is not ready when its database was closed', async () => {
    const closed = await createTestDatabase();
    await serve(closed);
    expect((await ask('/readyz')).status).toBe(200);
    await closed[Symbol.asyncDispose]();
    second();
    expect(await ask('/readyz')).toMatchObject({
      status: 503,
      body: { checks: { database: 'unreachable' } },
    });
  });
});

describe('an instance whose ledger does not answer', () => {
  it('is alive and ready, because indexed records can be read', async () => {
    await using app = await startTestApp();
    await app.ledger[Symbol.asyncDispose]();
    for (const path of ['/livez', '/readyz']) {
      expect((await fetch(`${app.url}${path}`)).status).toBe(200);
    }
  }, 480_000);
});
