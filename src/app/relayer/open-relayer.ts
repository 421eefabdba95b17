import os from 'node:os';
import type { CheckDesk } from '../../domain/checks/index.js';
import { ConfigurationError } from '../../platform/kernel/configuration-error.js';
import type { Configuration } from '../configuration/index.js';
import { awaitKeys } from './await-keys.js';
import { openSigners, usesLocalKey } from './open-signers.js';
import type { Platform } from '../platform.js';
import { createProofPool } from '../../platform/crypto/index.js';
import type { Foundation } from '../../platform/database/index.js';
import { createLedgerNodes, createSignatureHints, providerLabel } from '../../platform/ledger/index.js';
import {
  deployLocalPool,
  fundLocalRelayer,
  LOCAL_POOLS_FILE,
  localRelayerKeyFile,
  type LocalLedger,
} from '../../../devnet/index.js';
import {
  createPayerMetrics,
  createPayers,
  createRelayDesk,
  createRelayDeskMetrics,
  createRelayMetrics,
  createRelayWorker,
  InvalidPoolsFile,
  parsePoolsFile,
  readPoolsFile,
  type Payers,
  type Pools,
  type RelayDesk,
  type RelaySigner,
} from '../../domain/relays/index.js';

/** The relayer's parts in this process. */
export interface Relayer {
  readonly desk: RelayDesk;
  /** The first account that signs. `undefined` if no key is available. */
  readonly address: string | undefined;
  /** Whether a key is configured. Without one, nothing is accepted. */
  readonly hasKey: boolean;
  /** The selectors of the pools that are served. */
  readonly pools: readonly string[];
  /** Starts to process accepted requests. */
  start(): void;
}

const MAX_QUEUED_PROOFS = 1_000;

export async function openRelayer(
  { configuration, foundation, providers, wsUrls, local, registry, instanceId }: Platform,
  checkDesk: CheckDesk,
  parts: AsyncDisposableStack,
): Promise<Relayer> {
  const pools = await openPools(configuration, local);
  const { signers, away } = await openLocalSigners(configuration, foundation);
  const nodes = parts.use(createLedgerNodes(providers));
  const { retiring, reserveLamports } = configuration.relayer;
  const metrics = createRelayMetrics(
    registry,
    nodes.nodes.map(({ label }) => label),
  );
  const payers: Payers = createPayers({
    ...{ signers, retiring, reserveLamports, nodes, clock: foundation.clock },
    lied: (provider) => metrics.providerLied(provider),
    ...createPayerMetrics(registry, foundation.database, () => payers),
  });
  const fund = ({ address }: RelaySigner) => local && fundLocalRelayer(local, address);
  for (const signer of signers) fund(signer);
  const awaited = awaitKeys({ away, payers, registry, log: foundation.log, opened: fund });
  // Not awaited: a store that hangs must not delay the stop.
  parts.defer(() => void awaited.stop());
  awaited.start();
  const workers = Math.max(1, os.availableParallelism() - 1);
  const proofs = parts.use(
    createProofPool({
      workers,
      queueLimit: MAX_QUEUED_PROOFS,
      notice: (message) => foundation.log.warn({ notice: message }, 'A proof thread reports a problem.'),
    }),
  );
  const desk = parts.use(
    createRelayDesk(foundation, {
      ...{
        pools,
        proofs,
        payers,
        limits: configuration.relayer,
        budgets: configuration.relayer,
      },
      metrics: createRelayDeskMetrics(registry, foundation.database),
    }),
  );
  return {
    desk,
    address: payers.all.find(({ state }) => state === 'paying')?.address,
    hasKey: payers.canSign || away.length > 0,
    pools: [...pools.keys()],
    start() {
      if (pools.size === 0 && !payers.canSign && away.length === 0) return;
      if (!payers.canSign)
        foundation.log.warn(
          {},
          `The relayer has no key${away.length > 0 ? ' that it can reach' : ''}: it signs nothing new, and follows what it signed before.`,
        );
      const hints = createSignatureHints({
        providers: providers.rpcUrls.map((url, at) => ({
          label: providerLabel(url, at),
          wsUrl: wsUrls[at]!,
        })),
        ...{ timeoutMs: providers.timeoutMs, log: foundation.log },
      });
      parts.use(hints);
      const worker = createRelayWorker({
        ...{ foundation, nodes, hints, pools, payers, checkDesk, metrics, instanceId },
        budgets: configuration.relayer,
      });
      parts.use(worker);
      worker.start();
    },
  };
}

/** The pools of the file, and on the embedded ledger its test pool. */
async function openPools(
  { relayer: { poolsFile }, production }: Configuration,
  local: LocalLedger | undefined,
): Promise<Pools> {
  try {
    const pools = new Map(poolsFile === undefined ? [] : await readPoolsFile(poolsFile, production));
    if (!local) return pools;
    deployLocalPool(local);
    const noKeyFiles = () =>
      Promise.reject(new Error('The verification key of the local test pool must be in its descriptor.'));
    for (const [selector, pool] of await parsePoolsFile(LOCAL_POOLS_FILE, noKeyFiles)) {
      if (pools.has(selector))
        throw new InvalidPoolsFile(
          `${selector} is the selector of the embedded ledger’s own pool. Choose another selector.`,
        );
      pools.set(selector, pool);
    }
    return pools;
  } catch (thrown) {
    if (!(thrown instanceof InvalidPoolsFile)) throw thrown;
    throw new ConfigurationError(`LUCARNE_POOLS_FILE: ${thrown.message}`, { cause: thrown });
  }
}

/** The configured keys, or on the embedded ledger a generated key. On the embedded ledger, the faucet pays them. */
async function openLocalSigners(
  configuration: Configuration,
  { log }: Foundation,
): ReturnType<typeof openSigners> {
  const { relayer, keyStores, dataDirectory } = configuration;
  const keypairFiles = usesLocalKey(configuration)
    ? [localRelayerKeyFile(dataDirectory)]
    : relayer.keypairFiles;
  return openSigners({ relayer: { ...relayer, keypairFiles }, keyStores }, log);
}
