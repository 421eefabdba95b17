import os from 'node:os';
import type { CheckDesk } from './checks/index.js';
import { ConfigurationError, type Configuration } from './config.js';
import { createProofPool } from './crypto/index.js';
import type { Foundation } from './database/index.js';
import { createLedgerNodes, type LedgerNodesOptions } from './ledger/index.js';
import {
  deployLocalPool,
  fundLocalRelayer,
  LOCAL_POOLS_FILE,
  localRelayerKeyFile,
  type LocalLedger,
} from './localnet/index.js';
import type { Metrics } from './operations/index.js';
import {
  countRelays,
  createRelayDesk,
  createRelayWorker,
  InvalidKeyFile,
  InvalidPoolsFile,
  keyFileSigner,
  parsePoolsFile,
  readPoolsFile,
  type Pools,
  type RelayDesk,
  type RelayMetrics,
  type RelaySigner,
} from './relays/index.js';

/** The relayer's parts in this process. */
export interface Relayer {
  readonly desk: RelayDesk;
  /** Who signs; `undefined` where there is no key, and nothing is accepted. */
  readonly address: string | undefined;
  /** The selectors of the pools that are served. */
  readonly pools: readonly string[];
  /** Begins to work on what was accepted. */
  start(): void;
}

export interface RelayerParts {
  readonly foundation: Foundation;
  readonly providers: LedgerNodesOptions;
  readonly local: LocalLedger | undefined;
  readonly checkDesk: CheckDesk;
  readonly metrics: Metrics;
  readonly instanceId: string;
  /** Ends what is made here. */
  readonly parts: AsyncDisposableStack;
}

const QUEUED_PROOFS = 1_000;

export async function openRelayer(
  configuration: Configuration,
  { foundation, providers, local, checkDesk, metrics, instanceId, parts }: RelayerParts,
): Promise<Relayer> {
  const pools = await openPools(configuration, local);
  const signer = await openSigner(configuration, local, foundation);
  const nodes = parts.use(createLedgerNodes(providers));
  const workers = Math.max(1, os.availableParallelism() - 1);
  const proofs = parts.use(createProofPool({ workers, queueLimit: QUEUED_PROOFS }));
  const desk = parts.use(
    createRelayDesk(foundation, {
      ...{ pools, proofs, nodes, relayer: signer, limits: configuration.relayer },
      metrics: { submitted: (outcome) => metrics.relaySubmissions.inc({ outcome }) },
    }),
  );
  metrics.watchRelays(() => countRelays(foundation.database));
  return {
    desk,
    address: signer?.address,
    pools: [...pools.keys()],
    start() {
      if (!signer) {
        if (pools.size > 0) foundation.log.warn({}, 'The relayer has no key: nothing is relayed.');
        return;
      }
      const worker = createRelayWorker({
        ...{ foundation, nodes, pools, signer, checkDesk, instanceId },
        metrics: relayMetrics(metrics),
      });
      parts.use(worker);
      worker.start();
    },
  };
}

/** The pools of the file, and on the embedded ledger its test pool. */
async function openPools(
  { relayer: { poolsFile } }: Configuration,
  local: LocalLedger | undefined,
): Promise<Pools> {
  try {
    const pools = new Map(poolsFile === undefined ? [] : await readPoolsFile(poolsFile));
    if (!local) return pools;
    deployLocalPool(local);
    const noKeyFiles = () => Promise.reject(new Error('The local test pool has its key in place.'));
    for (const [selector, pool] of await parsePoolsFile(LOCAL_POOLS_FILE, noKeyFiles)) {
      if (pools.has(selector)) throw new InvalidPoolsFile(`${selector} is the embedded ledger’s own pool.`);
      pools.set(selector, pool);
    }
    return pools;
  } catch (thrown) {
    if (!(thrown instanceof InvalidPoolsFile)) throw thrown;
    throw new ConfigurationError(`LUCARNE_POOLS_FILE: ${thrown.message}`, { cause: thrown });
  }
}

/** The key of the configuration; on the embedded ledger otherwise one of its own, which the faucet pays. */
async function openSigner(
  { relayer: { keypairFile }, dataDirectory }: Configuration,
  local: LocalLedger | undefined,
  { log }: Foundation,
): Promise<RelaySigner | undefined> {
  const file = keypairFile ?? (local && (await localRelayerKeyFile(dataDirectory)));
  if (file === undefined) return undefined;
  try {
    const signer = await keyFileSigner(file, log);
    if (local) fundLocalRelayer(local, signer.address);
    return signer;
  } catch (thrown) {
    if (!(thrown instanceof InvalidKeyFile)) throw thrown;
    throw new ConfigurationError(`LUCARNE_RELAYER_KEYPAIR_FILE: ${thrown.message}`, { cause: thrown });
  }
}

function relayMetrics(metrics: Metrics): RelayMetrics {
  return {
    changed: (status, reason) => metrics.relayChanges.inc({ status, reason: reason ?? '' }),
    lookFailed: (cause) => metrics.relayFailedLooks.inc({ cause }),
    providerLied: (provider) => metrics.relayProviderLies.inc({ provider }),
    providersDisagreed: () => metrics.relayDisagreements.inc(),
    underWay: (count) => metrics.relaysUnderWay.set(count),
  };
}
