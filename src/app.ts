import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createCheckDesk, type CheckMetrics } from './checks/index.js';
import { resolveMasterKey, type Configuration } from './config.js';
import { createDecryptionPool, createSealer } from './crypto/index.js';
import {
  connectDatabase,
  inProcessSignals,
  openPglite,
  postgresqlSignals,
  redisSignals,
  type Database,
  type Foundation,
  type Signals,
} from './database/index.js';
import { createFulfilment } from './disclosures/index.js';
import { entities } from './entities.js';
import { createContextFactory, registerGraphql, registerGraphqlWebSocket } from './graphql/index.js';
import { systemClock } from './kernel/clock.js';
import { isLucarneError, unauthenticated } from './kernel/errors.js';
import { systemRandom } from './kernel/random.js';
import { createLedger, type LedgerCall } from './ledger/index.js';
import { startLocalLedger, type LocalLedger } from './localnet/index.js';
import {
  checkMasterKey,
  createHttpServer,
  createLogger,
  createMetrics,
  lockDataDirectory,
  registerHealth,
  type Metrics,
  type Phase,
} from './operations/index.js';
import { createAuthenticator, createOpenIdProvider, createSecurityLog } from './organizations/index.js';
import { openRelayer } from './relayer.js';
import { createReporting, readReportBytes, type ReportMetrics } from './reports/index.js';
import { registerRest, sendRefusal, type FileBytes } from './rest/index.js';
import { createSchema } from './schema.js';
import { startWorkers } from './workers/index.js';

/** A running Lucarne. Disposing of it stops it in order; nothing acknowledged is lost. */
export interface Application extends AsyncDisposable {
  readonly foundation: Foundation;
  /** Where it listens, such as `http://127.0.0.1:4000`; `undefined` without the role `api`. */
  readonly url: string | undefined;
  readonly ledger: {
    readonly rpcUrl: string;
    readonly wsUrl: string | undefined;
    readonly local: LocalLedger | undefined;
  };
  /** Who signs relays, if somebody does, and the selectors of the pools that are served. */
  readonly relayer: { readonly address: string | undefined; readonly pools: readonly string[] };
  /** Resolves once the database is migrated and the workers run; rejects when it can never be used. */
  readonly initialized: Promise<void>;
  /** Takes the instance out of service, for the time in which requests under way are answered. */
  stopAccepting(): void;
}

const LEDGER_TIMEOUT = 10_000;
const QUEUED_CIPHERTEXTS = 40_000;
const LONGEST_PAUSE = 10_000;

/** Makes every part once, by hand, and starts the roles of the configuration. What is `given` stays the giver's. */
export async function startApplication(
  configuration: Configuration,
  given: { readonly logger?: Logger; readonly database?: Database } = {},
): Promise<Application> {
  const instanceId = `${os.hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const log = given.logger ?? createLogger({ level: configuration.logLevel, instanceId });
  const metrics = createMetrics();
  const parts = new AsyncDisposableStack();
  try {
    const embedded = configuration.databaseUrl === undefined || configuration.solanaRpcUrls.length === 0;
    if (embedded) parts.use(await lockDataDirectory(configuration.dataDirectory));
    const sealer = createSealer(await resolveMasterKey(configuration));
    const database = given.database ?? parts.use(await openDatabase(configuration, parts));
    const signals = parts.use(openSignals(configuration, log));
    const foundation: Foundation = {
      database,
      signals,
      clock: systemClock,
      random: systemRandom,
      sealer,
      log,
    };

    const local = await openLocalLedger(configuration, log, parts);
    const rpcUrls = local ? [local.rpcUrl] : configuration.solanaRpcUrls;
    const wsUrl = local?.wsUrl ?? configuration.solanaWsUrl;
    const providers = { rpcUrls, timeoutMs: LEDGER_TIMEOUT, observe: ledgerCallObserver(metrics) };
    const ledger = parts.use(createLedger({ ...providers, ...(wsUrl === undefined ? {} : { wsUrl }), log }));
    const pool = parts.use(
      createDecryptionPool({
        workers: Math.max(1, os.availableParallelism() - 1),
        queueLimit: QUEUED_CIPHERTEXTS,
        tableFile: path.join(configuration.dataDirectory, 'baby-steps.table'),
        notice: (message) =>
          log.warn({ notice: message }, 'A decryption thread runs otherwise than it should.'),
      }),
    );
    metrics.watchDecryption(() => pool.stats.unfinished);

    const fulfilment = createFulfilment(foundation, pool);
    const checkDesk = parts.use(
      createCheckDesk(foundation, {
        perClient: configuration.checksPerClient,
        sanctions: configuration.sanctions,
        service: configuration.screening,
        metrics: checkMetrics(metrics),
      }),
    );
    metrics.watchSanctions(checkDesk.sanctions);
    const relayer = await openRelayer(configuration, {
      ...{ foundation, providers, local, checkDesk, metrics, instanceId, parts },
    });

    let started = false;
    let accepting = true;
    const phase = (): Phase => (!accepting ? 'stopping' : started ? 'serving' : 'starting');
    const server = await createHttpServer({
      log,
      metrics,
      trustProxy: configuration.trustProxy,
      refuse: (error, request, reply) => void sendRefusal(error, request, reply),
    });
    // The server first, so that health can be asked while the database is still being prepared.
    const authenticator = parts.use(createAuthenticator(foundation));
    registerHealth(server, { database, metrics, log, phase });
    const publicHost = () => (configuration.publicUrl ?? new URL(urlOf(server))).host;
    const reporting = createReporting(foundation, {
      ...{ pool, publicHost },
      metrics: reportMetrics(metrics),
    });
    if (configuration.roles.has('api')) {
      const http = {
        authenticator,
        publicUrl: configuration.publicUrl,
        port: () => portOf(server),
        started: () => started,
        trustProxy: configuration.trustProxy,
        securityLog: parts.use(createSecurityLog(foundation)),
      };
      const openIdProvider =
        configuration.oidc &&
        createOpenIdProvider({
          ...configuration.oidc,
          redirectUri: () => `${configuration.publicUrl?.origin ?? urlOf(server)}/auth/oidc/callback`,
          clock: foundation.clock,
          log,
        });
      const schema = createSchema(foundation, {
        ...{ fulfilment, pool, reporting, checkDesk, openIdProvider },
        relayDesk: relayer.desk,
      });
      const graphql = {
        schema,
        contextFor: createContextFactory(http),
        log,
        development: !configuration.production,
      };
      await registerGraphql(server, graphql);
      registerGraphqlWebSocket(server, { ...graphql, ...http });
      await registerRest(server, { ...graphql, fileBytes: reportBytes(foundation) });
    }
    parts.defer(() => server.close());
    const { host, port } = configuration;
    await server.listen({ host, port });

    const stopping = new AbortController();
    parts.defer(() => stopping.abort());
    const initialized = initialize(foundation, stopping.signal).then(() => {
      if (stopping.signal.aborted) return;
      started = true;
      parts.use(
        startWorkers({
          roles: configuration.roles,
          foundation,
          ledger,
          fulfilment,
          metrics,
          instanceId,
          publicHost: publicHost(),
        }),
      );
      if (configuration.roles.has('relayer')) relayer.start();
      // Ended first: the workers, and the requests that wait for a result, wait no longer than it.
      parts.use(fulfilment);
      parts.use(reporting);
      // Behind the start: the first disclosure would otherwise wait for the tables.
      pool
        .warmUp()
        .catch((thrown: unknown) => log.warn({ err: thrown }, 'The decryption tables are not built.'));
    });
    return {
      foundation,
      url: configuration.roles.has('api') ? (configuration.publicUrl?.origin ?? urlOf(server)) : undefined,
      ledger: { rpcUrl: rpcUrls[0] ?? '', wsUrl, local },
      relayer: { address: relayer.address, pools: relayer.pools },
      initialized,
      stopAccepting: () => {
        accepting = false;
      },
      async [Symbol.asyncDispose]() {
        accepting = false;
        stopping.abort();
        await initialized.catch(() => undefined);
        await parts.disposeAsync();
      },
    };
  } catch (thrown) {
    await parts.disposeAsync();
    throw thrown;
  }
}

/** The files that REST sends are those of reports: an operation has granted the report to its caller before. */
function reportBytes(foundation: Foundation): FileBytes {
  return ({ principal }, id, range) => {
    if (!principal) throw unauthenticated();
    return readReportBytes(foundation, principal.organizationId, id, range);
  };
}

/** Migrates and checks the master key, waiting for a database that is not there yet. */
async function initialize({ database, sealer, log }: Foundation, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const applied = await database.migrate();
      if (applied.length > 0) log.info({ migrations: applied }, 'The database is migrated.');
      await checkMasterKey(database, sealer);
      return;
    } catch (thrown) {
      if (!isLucarneError(thrown) || thrown.code !== 'UNAVAILABLE') throw thrown;
      log.warn({ reason: thrown.message, failures }, 'Waiting for the database.');
      await pause(Math.min(LONGEST_PAUSE, 250 * 2 ** failures), signal);
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}

async function openDatabase(configuration: Configuration, parts: AsyncDisposableStack): Promise<Database> {
  if (configuration.databaseUrl !== undefined) {
    return connectDatabase({ entities, target: { url: configuration.databaseUrl } });
  }
  const pglite = await openPglite(path.join(configuration.dataDirectory, 'database'));
  parts.defer(() => pglite.close());
  return connectDatabase({ entities, target: { pglite } });
}

function ledgerCallObserver(metrics: Metrics) {
  return ({ method, provider, outcome, milliseconds }: LedgerCall) => {
    metrics.ledgerCalls.inc({ method, provider, outcome });
    metrics.ledgerDuration.observe({ method }, milliseconds / 1000);
  };
}

function checkMetrics(metrics: Metrics): CheckMetrics {
  return {
    checked: (reason) => metrics.checks.inc({ reason }),
    screeningFailed: (step) => metrics.screeningFailures.inc({ step }),
    sanctionsLoadFailed: () => metrics.sanctionsLoadFailures.inc(),
  };
}

function reportMetrics(metrics: Metrics): ReportMetrics {
  return {
    began(type, format) {
      metrics.reportsBegun.inc({ type, format });
      metrics.reportsRunning.inc();
    },
    ended(type, format, outcome, { seconds, records }) {
      metrics.reportsEnded.inc({ type, format, outcome });
      metrics.reportRecords.inc({ type, format }, records);
      if (outcome === 'finished') metrics.reportDuration.observe({ type, format }, seconds);
      metrics.reportsRunning.dec();
    },
  };
}

function openSignals({ redisUrl, databaseUrl }: Configuration, log: Logger): Signals {
  if (redisUrl !== undefined) return redisSignals(redisUrl, log);
  if (databaseUrl !== undefined) return postgresqlSignals(databaseUrl, log);
  return inProcessSignals();
}

async function openLocalLedger(
  { solanaRpcUrls, host, port, dataDirectory }: Configuration,
  log: Logger,
  parts: AsyncDisposableStack,
): Promise<LocalLedger | undefined> {
  if (solanaRpcUrls.length > 0) return undefined;
  // The port after the gateway's own, so that a wallet finds it again after a restart.
  const ledger = await startLocalLedger({
    host,
    port: port === 0 ? 0 : port + 1,
    dataDir: dataDirectory,
    log,
  });
  return parts.use(ledger);
}

function portOf(server: FastifyInstance): number {
  const address = server.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function urlOf(server: FastifyInstance): string {
  const address = server.server.address();
  if (typeof address !== 'object' || address === null) return '';
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
