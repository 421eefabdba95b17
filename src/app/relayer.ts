import os from 'node:os';
import type { CheckDesk } from '../domain/checks/index.js';
import { createKeyStores, type KeyUri, openSigningKey } from '../platform/keys/index.js';
import { isLucarneError } from '../platform/kernel/errors.js';
import { ConfigurationError } from '../platform/kernel/configuration-error.js';
import type { Configuration } from './configuration/index.js';
import type { Platform } from './platform.js';
import { createProofPool } from '../platform/crypto/index.js';
import type { Foundation } from '../platform/database/index.js';
import { createLedgerNodes, createSignatureHints, providerLabel } from '../platform/ledger/index.js';
import {
  deployLocalPool,
  fundLocalRelayer,
  LOCAL_POOLS_FILE,
  localRelayerKeyFile,
  type LocalLedger,
} from '../../devnet/index.js';
import {
  createRelayDesk,
  createRelayDeskMetrics,
  createRelayMetrics,
  createRelayWorker,
  InvalidKeyFile,
  InvalidPoolsFile,
  keyFileSigner,
  parsePoolsFile,
  readPoolsFile,
  type Pools,
  type RelayDesk,
  type RelaySigner,
  signerOf,
} from '../domain/relays/index.js';

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

const MAX_QUEUED_PROOFS = 1_000;

export async function openRelayer(
  { configuration, foundation, providers, wsUrls, local, registry, instanceId }: Platform,
  checkDesk: CheckDesk,
  parts: AsyncDisposableStack,
): Promise<Relayer> {
  const pools = await openPools(configuration, local);
  const signer = await openSigner(configuration, local, foundation);
  const nodes = parts.use(createLedgerNodes(providers));
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
        nodes,
        relayer: signer,
        limits: configuration.relayer,
        budgets: configuration.relayer,
      },
      metrics: createRelayDeskMetrics(registry, foundation.database),
    }),
  );
  const metrics = createRelayMetrics(registry);
  return {
    desk,
    address: signer?.address,
    pools: [...pools.keys()],
    start() {
      if (!signer) {
        if (pools.size > 0) foundation.log.warn({}, 'The relayer has no key: nothing is relayed.');
        return;
      }
      const hints = createSignatureHints({
        providers: providers.rpcUrls.map((url, at) => ({
          label: providerLabel(url, at),
          wsUrl: wsUrls[at]!,
        })),
        ...{ timeoutMs: providers.timeoutMs, log: foundation.log },
      });
      parts.use(hints);
      const worker = createRelayWorker({
        ...{ foundation, nodes, hints, pools, signer, checkDesk, metrics, instanceId },
        budgets: configuration.relayer,
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

/** The key of the configuration; on the embedded ledger otherwise a generated one, which the faucet pays. */
async function openSigner(
  configuration: Configuration,
  local: LocalLedger | undefined,
  { log }: Foundation,
): Promise<RelaySigner | undefined> {
  const { dataDirectory, relayer } = configuration;
  const { keypairFile, key } = relayer;
  if (key) return openStoredSigner(configuration, key);
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

/** The key in a store. Its address is needed at the start, so the store must answer then. */
async function openStoredSigner({ keyStores }: Configuration, key: KeyUri): Promise<RelaySigner> {
  try {
    return signerOf(await openSigningKey(createKeyStores(keyStores), key));
  } catch (thrown) {
    if (!isLucarneError(thrown) && !(thrown instanceof ConfigurationError)) throw thrown;
    throw new ConfigurationError(`LUCARNE_RELAYER_KEY: ${thrown.message}`, { cause: thrown });
  }
}
