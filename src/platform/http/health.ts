import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { sql, type Database } from '../database/index.js';
import { withTimeout } from '../jobs/index.js';
import type { Log } from '../kernel/log.js';

export interface HealthOptions {
  readonly database: Database;
  readonly registry: Registry;
  readonly log: Log;
  readonly phase: () => Phase;
}

/** New requests are to be sent to an instance only between its start and the moment it is asked to stop. */
export type Phase = 'starting' | 'serving' | 'stopping';

const CHECK_TIMEOUT_MS = 3_000;

/** `/livez`: the process runs. `/readyz`: it can serve. `/metrics`: Prometheus' text format. */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  app.get('/livez', () => ({ status: 'ok' }));

  app.get('/readyz', async (_request, reply) => {
    const phase = options.phase();
    const checks = {
      accepting: phase === 'serving' ? 'ok' : phase,
      ...(await databaseChecks(options)),
    };
    const ready = Object.values(checks).every((check) => check === 'ok');
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: ready ? 'ok' : 'unavailable', checks });
  });

  const { registry } = options;
  let collecting: Promise<string> | undefined;
  app.get('/metrics', async (_request, reply) => {
    // Collecting takes some milliseconds: concurrent requests share one result.
    collecting ??= registry.metrics().finally(() => (collecting = undefined));
    return reply.type(registry.contentType).send(await collecting);
  });
}

// A migration that was applied once stays applied: only the database is asked again and again.
const migrated = new WeakSet<Database>();

async function databaseChecks({ database, log }: HealthOptions): Promise<Record<string, string>> {
  try {
    // Raw: it reads no table.
    await withDeadline(database.rows(sql`select 1`));
    if (!migrated.has(database)) {
      const pending = await withDeadline(database.pendingMigrations());
      if (pending.length > 0) return { database: 'ok', migrations: 'pending' };
      migrated.add(database);
    }
    return { database: 'ok', migrations: 'ok' };
  } catch (thrown) {
    log.warn({ err: thrown }, 'The database does not answer the readiness check.');
    return { database: 'unreachable', migrations: 'unknown' };
  }
}

const withDeadline = <Result>(work: Promise<Result>): Promise<Result> =>
  withTimeout(
    CHECK_TIMEOUT_MS,
    () => new Error('No answer in time.'),
    () => work,
  );
