import os from 'node:os';
import path from 'node:path';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type LocalLedger, startLocalLedger } from '../../devnet/index.js';
import { createDecryptionPool, type DecryptionPool, watchDecryption } from '../platform/crypto/index.js';
import {
  connectReads,
  type Database,
  type Foundation,
  type Reader,
  watchReplicas,
} from '../platform/database/index.js';
import { systemClock } from '../platform/kernel/clock.js';
import { systemRandom } from '../platform/kernel/random.js';
import {
  createLedger,
  createLedgerMetrics,
  type LedgerNodesOptions,
  type LedgerReader,
  webSocketUrls,
} from '../platform/ledger/index.js';
import {
  inProcessSignals,
  postgresqlSignals,
  redisSignals,
  type Signals,
} from '../platform/signals/index.js';
import type { Configuration } from './configuration/index.js';
import { type Keyring, watchKeys } from '../platform/keys/index.js';
import { signingKeysOf } from './key-stores.js';
import { lockDataDirectory } from './storage/data-directory-lock.js';
import { openDatabase } from './storage/open-database.js';
import { openKeyring } from './storage/open-keyring.js';

/** The parts of an instance that features use. */
export interface Platform {
  readonly configuration: Configuration;
  readonly instanceId: string;
  readonly log: Logger;
  readonly registry: Registry;
  readonly foundation: Foundation;
  readonly keyring: Keyring;
  readonly ledger: LedgerReader;
  /** The providers for the relayer, which asks each separately. */
  readonly providers: LedgerNodesOptions;
  /** The WebSocket of each of them. */
  readonly wsUrls: readonly string[];
  /** The embedded ledger, if there is one. */
  readonly local: LocalLedger | undefined;
  readonly pool: DecryptionPool;
}

export interface PlatformOptions extends Pick<Platform, 'instanceId' | 'log' | 'registry'> {
  /** The database of a test. The test closes it. */
  readonly database: Database | undefined;
}

export const LEDGER_TIMEOUT_MS = 10_000;
const MAX_QUEUED_CIPHERTEXTS = 40_000;

/** Opens what the configuration names, each part after those that it needs. `parts` closes them in the opposite order. */
export async function openPlatform(
  configuration: Configuration,
  { database: openedDatabase, ...instance }: PlatformOptions,
  parts: AsyncDisposableStack,
): Promise<Platform> {
  const { log, registry } = instance;
  const isEmbedded = configuration.databaseUrl === undefined || configuration.solanaRpcUrls.length === 0;
  if (isEmbedded) parts.use(await lockDataDirectory(configuration.dataDirectory));
  const database = openedDatabase ?? (await openDatabase(configuration, parts));
  const keyring = parts.use(await openKeyring(configuration, { database, log }));
  const signals = parts.use(openSignals(configuration, log));
  const reads = openReads(configuration, database, instance, parts);
  const foundation = {
    ...{ database, reads },
    signals,
    clock: systemClock,
    random: systemRandom,
    sealer: keyring.sealer,
    signingKeys: signingKeysOf(configuration),
    log,
  };

  const local = await openLocalLedger(configuration, log, parts);
  const rpcUrls = local ? [local.rpcUrl] : configuration.solanaRpcUrls;
  const wsUrls = webSocketUrls(rpcUrls, local ? [local.wsUrl] : configuration.solanaWsUrls);
  const providers = { rpcUrls, timeoutMs: LEDGER_TIMEOUT_MS, observe: createLedgerMetrics(registry) };
  const ledger = parts.use(createLedger({ ...providers, wsUrls, log }));

  const pool = parts.use(openDecryptionPool(configuration, log));
  watchDecryption(registry, pool);
  watchKeys(registry, keyring, database);
  return { ...instance, configuration, foundation, keyring, ledger, providers, wsUrls, local, pool };
}

/** Opened after the database and closed before it. */
function openReads(
  { databaseReplicaUrls: urls, replicaMaxLagMs: maxLagMs }: Configuration,
  database: Database,
  { log, registry }: Pick<Platform, 'log' | 'registry'>,
  parts: AsyncDisposableStack,
): Reader {
  const reads = urls.length === 0 ? undefined : parts.use(connectReads(database, { urls, maxLagMs, log }));
  watchReplicas(registry, reads);
  return reads ?? database;
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
  // Always the port after the gateway's own, so that a wallet finds the ledger again after a restart.
  const ledgerPort = port === 0 ? 0 : port + 1;
  return parts.use(await startLocalLedger({ host, port: ledgerPort, dataDirectory, log }));
}

function openDecryptionPool({ dataDirectory }: Configuration, log: Logger): DecryptionPool {
  return createDecryptionPool({
    workers: Math.max(1, os.availableParallelism() - 1),
    queueLimit: MAX_QUEUED_CIPHERTEXTS,
    tableFile: path.join(dataDirectory, 'baby-steps.table'),
    notice: (message) => log.warn({ notice: message }, 'A decryption thread reports a problem.'),
  });
}
