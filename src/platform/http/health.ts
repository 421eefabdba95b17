import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { sql, type Database } from '../database/index.js';
import { withTimeout } from '../jobs/index.js';
import type { Clock } from '../kernel/clock.js';
import type { Log } from '../kernel/log.js';

export interface HealthOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly log: Log;
  readonly phase: () => Phase;
}

/** New requests are to be sent to an instance only between its start and the moment it is asked to stop. */
export type Phase = 'starting' | 'serving' | 'stopping';

const CHECK_TIMEOUT_MS = 3_000;
/** How long a check of the database answers further requests: anyone may ask, and each check is a statement. */
const CHECK_KEPT_MS = 1_000;

/** `/livez`: the process runs. `/readyz`: it can serve. `/metrics`: Prometheus' text format. */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  app.get('/livez', () => ({ status: 'ok' }));

  const checked = keptChecks(options);
  app.get('/readyz', async (_request, reply) => {
    const phase = options.phase();
    const checks = {
      accepting: phase === 'serving' ? 'ok' : phase,
      ...(await checked(phase)),
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

type Checks = Record<string, string>;

/** The last check, for a moment and while the phase does not change. Requests that come during a check share it. */
function keptChecks(options: HealthOptions): (phase: Phase) => Promise<Checks> {
  let last: { readonly phase: Phase; readonly checks: Promise<Checks>; endedAt?: number } | undefined;
  return (phase) => {
    const now = options.clock.now().getTime();
    const isKept = last?.endedAt === undefined || Math.abs(now - last.endedAt) < CHECK_KEPT_MS;
    if (last?.phase === phase && isKept) return last.checks;
    const checks = databaseChecks(options);
    const begun: NonNullable<typeof last> = { phase, checks };
    last = begun;
    void checks.then(() => (begun.endedAt = options.clock.now().getTime()));
    return checks;
  };
}

// A migration that was applied once stays applied: only the database is asked again and again.
const migrated = new WeakSet<Database>();

async function databaseChecks({ database, log }: HealthOptions): Promise<Checks> {
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
