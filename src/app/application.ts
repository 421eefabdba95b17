import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import os from 'node:os';
import process from 'node:process';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { LocalLedger } from '../../devnet/index.js';
import type { DemoAccount } from '../domain/organizations/index.js';
import { acrossOrganizations, type Database, type Foundation } from '../platform/database/index.js';
import {
  createLogger,
  createLogOutputMetrics,
  createRegistry,
  openLogOutput,
  terminalOutput,
  type Phase,
} from '../platform/http/index.js';
import type { Configuration } from './configuration/index.js';
import type { Relayer } from './relayer/open-relayer.js';
import { openFeatures } from './features.js';
import { createServer, registerApi, urlOf } from './gateway.js';
import { openPlatform } from './platform.js';
import { prepareDatabase, requireServingRole } from './storage/prepare-database.js';
import { startWorkers } from './workers.js';

/** A running gateway. Disposing of it stops its parts in order, without losing acknowledged writes. */
export interface Application extends AsyncDisposable {
  readonly foundation: Foundation;
  /** What browsers see, such as `http://127.0.0.1:4000`; `undefined` without the role `api`. */
  readonly url: string | undefined;
  /** The address on which it listens, regardless of the public URL: `http://127.0.0.1:4000`. */
  readonly address: string;
  readonly ledger: {
    readonly rpcUrl: string;
    readonly local: LocalLedger | undefined;
  };
  /** The address that signs relays, if there is a key, and the selectors of the pools that are served. */
  readonly relayer: Pick<Relayer, 'address' | 'hasKey' | 'pools'>;
  /** Resolves once the database is migrated and the workers run; rejects when it can never be used. */
  readonly initialized: Promise<void>;
  /** Lets the sign-in page offer the users of the embedded demo, who sign in with one click. */
  offerDemoAccounts(accounts: readonly DemoAccount[]): void;
  /** Says whether sample data for the embedded demo is being created. */
  fillsDemo(isFilling: boolean): void;
  /** Reports the instance as not ready, so that proxies stop using it. It still answers every request. */
  stopAccepting(): void;
}

/** Parts that a test provides. The test closes the database. */
export interface Substitutes {
  readonly logger?: Logger;
  readonly database?: Database;
}

/** Creates every part once, and starts the roles of the configuration. */
export async function startApplication(
  configuration: Configuration,
  { logger, database }: Substitutes = {},
): Promise<Application> {
  const instanceId = `${os.hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const registry = createRegistry();
  const log = logger ?? (await openLog(configuration, instanceId, registry));
  const { roles, publicUrl } = configuration;
  const parts = new AsyncDisposableStack();
  const stopping = new AbortController();
  let demoAccounts: readonly DemoAccount[] = [];
  let isFillingDemo = false;
  let isStarted = false;
  let isStopping = false;
  const phase = (): Phase => (isStopping ? 'stopping' : isStarted ? 'serving' : 'starting');
  try {
    const instance = { instanceId, log, registry, database };
    const platform = await openPlatform(configuration, instance, parts);
    const { foundation, keyring, pool, providers, local } = platform;

    const server = await createServer(platform, phase);
    const publicHost = () => (publicUrl ?? new URL(urlOf(server))).host;
    const features = await openFeatures(platform, publicHost, parts);
    if (roles.has('api'))
      await registerApi(server, platform, features, {
        isStarted: () => isStarted,
        demo: { accounts: () => demoAccounts, isFilling: () => isFillingDemo },
        parts,
      });
    parts.defer(() => server.close());
    await server.listen({ host: configuration.host, port: configuration.port });

    parts.defer(() => stopping.abort());
    const initialized = prepareDatabase(foundation, keyring, stopping.signal).then(async () => {
      if (stopping.signal.aborted) return;
      if (configuration.production) await requireServingRole(foundation, configuration.serveAsOwner);
      isStarted = true;
      keyring.follow();
      // The loops serve all organizations: each of their statements names its organization.
      acrossOrganizations(() => {
        parts.use(startWorkers(platform, features.fulfilment, publicHost()));
        if (roles.has('relayer')) features.relayer.start();
      });
      // Disposed of first, because workers and requests wait for these pools.
      parts.use(features.fulfilment);
      parts.use(features.reporting);
      // In the background, so that the first disclosure does not wait until the tables are built.
      pool
        .warmUp()
        .catch((thrown: unknown) => log.warn({ err: thrown }, 'The decryption tables could not be built.'));
    });
    return {
      foundation,
      url: roles.has('api') ? (publicUrl?.origin ?? urlOf(server)) : undefined,
      address: urlOf(server),
      ledger: { rpcUrl: providers.rpcUrls[0] ?? '', local },
      relayer: features.relayer,
      initialized,
      offerDemoAccounts(accounts) {
        demoAccounts = accounts;
      },
      fillsDemo(isFilling) {
        isFillingDemo = isFilling;
      },
      stopAccepting() {
        isStopping = true;
      },
      async [Symbol.asyncDispose]() {
        isStopping = true;
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

/** JSON lines for programs, and lines for a person where the output is a terminal. */
async function openLog({ logLevel }: Configuration, instanceId: string, registry: Registry): Promise<Logger> {
  const options = { level: logLevel, instanceId };
  if (process.stdout.isTTY) return createLogger(options, await terminalOutput());
  const output = openLogOutput({
    recovered: (lines) => log.warn({ lines }, 'Log lines were dropped: standard output was not read.'),
  });
  createLogOutputMetrics(registry, output);
  const log = createLogger(options, output);
  return log;
}
