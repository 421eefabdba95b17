import type { CheckDesk } from '../checks/index.js';
import type { Foundation } from '../database/index.js';
import { isLucarneError, messageOf } from '../kernel/errors.js';
import { idDigest, type Id } from '../kernel/ids.js';
import { createPollLoop } from '../kernel/poll-loop.js';
import { unreachable } from '../kernel/unreachable.js';
import { WakeUp } from '../kernel/wake-up.js';
import type { LedgerNodes } from '../ledger/index.js';
import { advanceRelay, type Advance } from './advance-relay.js';
import { nullifierAccounts } from './build-transaction.js';
import type { PoolDescriptor } from './pool-descriptor.js';
import { recordStep } from './record-step.js';
import { relaySignals } from './relay-identity.js';
import {
  claimRelays,
  LeaseLost,
  releaseRelay,
  renewLeases,
  type ClaimedRelay,
  type Release,
} from './relay-lease.js';
import { noRelayMetrics, type RelayMetrics } from './relay-metrics.js';
import type { RelaySigner } from './relay-signer.js';
import { failed, foundNothing, type RelayContext, type RelayStep, type RelayWork } from './relay-step.js';
import { DEFAULT_RELAY_TIMING, lookDelay, type RelayTiming } from './relay-timing.js';
import { DUE_RELAYS_TOPIC, selectAttempts, type Relay } from './relay.js';
import { openPackage } from './sealed-package.js';

export interface RelayWorkerOptions {
  readonly foundation: Foundation;
  readonly nodes: LedgerNodes;
  readonly pools: ReadonlyMap<string, PoolDescriptor>;
  readonly signer: RelaySigner;
  readonly checkDesk: CheckDesk;
  /** Names this worker in the leases: another for each process and each start. */
  readonly instanceId: string;
  readonly metrics?: RelayMetrics;
  readonly timing?: Partial<RelayTiming>;
  /** The most requests at a time; 16. */
  readonly concurrency?: number;
}

/** A worker that executes relay requests, together with all others on the same database. */
export interface RelayWorker extends AsyncDisposable {
  /** Returns at once: neither the database nor the ledger has to be there. */
  start(): void;
  /** Ends after the steps under way, and gives the requests to the others. */
  stop(): Promise<void>;
}

export function createRelayWorker(options: RelayWorkerOptions): RelayWorker {
  const { foundation, pools, instanceId, metrics = noRelayMetrics, concurrency = 16 } = options;
  const { database, signals, log } = foundation;
  const timing: RelayTiming = { ...DEFAULT_RELAY_TIMING, ...options.timing };
  const { signer, checkDesk } = options;
  const context: RelayContext = {
    ...{ foundation, signer, checkDesk, metrics, timing },
    nodes: options.nodes.nodes,
  };
  const lease = { owner: instanceId, leaseMs: timing.leaseMs };
  const underWay = new Map<Id<'rly'>, Promise<void>>();
  const wakeUp = new WakeUp();
  let isStopped = false;
  let running: Promise<void> | undefined;

  async function claim(): Promise<void> {
    const limit = concurrency - underWay.size;
    if (limit <= 0) return;
    for (const claimed of await claimRelays(database, { ...lease, limit, underWay: [...underWay.keys()] })) {
      const ended = work(claimed).finally(() => {
        underWay.delete(claimed.id);
        metrics.underWay(underWay.size);
        wakeUp.wake();
      });
      underWay.set(claimed.id, ended);
    }
    metrics.underWay(underWay.size);
  }

  /** Takes a request as far as it goes without waiting, and gives it back with the time of the next look. */
  async function work(claimed: ClaimedRelay): Promise<void> {
    try {
      const release = await advance(claimed);
      if (release) await releaseRelay(database, claimed, release);
    } catch (thrown) {
      if (thrown instanceof LeaseLost) return;
      log.error({ relay: idDigest(claimed.id), reason: messageOf(thrown) }, 'A relay request broke off.');
      metrics.lookFailed('unexpected');
      await giveUp(claimed);
    }
  }

  async function advance(claimed: ClaimedRelay): Promise<Release | undefined> {
    let relay: Relay = claimed;
    let next: Advance = { isTakenOver: claimed.isTakenOver, isUnsent: false };
    for (;;) {
      if (isStopped) return { failedLooks: relay.failedLooks, nextLookInMilliseconds: 0 };
      const step = ending(relay, await stepOf(claimed, relay, next));
      switch (step.kind) {
        case 'look_again':
          return { failedLooks: 0, nextLookInMilliseconds: step.inMilliseconds };
        case 'found_nothing':
          return backOff(relay, step);
        case 'change': {
          relay = await recordStep(foundation, relay, claimed.fencingToken, step);
          metrics.changed(relay.status, relay.reason);
          next = { isTakenOver: false, isUnsent: step.attempt !== undefined };
          const { nextLookInMilliseconds = 0 } = step.change;
          if (relay.status === 'succeeded' || relay.status === 'rejected' || relay.status === 'failed')
            return;
          if (nextLookInMilliseconds > 0) return { failedLooks: 0, nextLookInMilliseconds };
          break;
        }
        default:
          unreachable(step);
      }
    }
  }

  async function stepOf(claimed: ClaimedRelay, relay: Relay, next: Advance): Promise<RelayStep> {
    if (relay.status === 'accepted') return { kind: 'change', change: { to: 'validating', evidence: {} } };
    try {
      const found = await load(claimed, relay);
      return found ? await advanceRelay(context, found, next) : foundNothing('pool_unknown');
    } catch (thrown) {
      // Without the database nothing can be counted either.
      if (isLucarneError(thrown) && thrown.code === 'UNAVAILABLE') throw thrown;
      log.error({ relay: idDigest(relay.id), reason: messageOf(thrown) }, 'A step of a relay request broke.');
      return foundNothing('unexpected');
    }
  }

  /** `undefined`: this worker's pools do not have the pool, or not as it was when the package was accepted. */
  async function load(claimed: ClaimedRelay, relay: Relay): Promise<RelayWork | undefined> {
    const given = openPackage(foundation.sealer, relay.id, claimed.sealedPackage);
    const pool = pools.get(relay.poolSelector);
    const circuit = pool?.circuits.get(given.zkConfigNonce);
    if (!pool || !circuit || pool.programId !== relay.programId) return undefined;
    const signals = relaySignals(given, circuit);
    const attempts = await selectAttempts(database, relay.id);
    return { relay, attempts, given, pool, signals, nullifiers: nullifierAccounts(pool, signals) };
  }

  /** While nothing is signed, a bounded number of looks may find nothing. */
  function ending(relay: Relay, step: RelayStep): RelayStep {
    const isUnsigned = relay.status === 'validating' || relay.status === 'queued';
    if (step.kind !== 'found_nothing' || !isUnsigned) return step;
    const looks = relay.failedLooks + 1;
    if (looks < timing.mostFailedLooks) return step;
    return failed('infrastructure_failed', { cause: step.cause, looks, last: step.evidence });
  }

  function backOff(relay: Relay, { cause }: { readonly cause: string }): Release {
    metrics.lookFailed(cause);
    const failedLooks = relay.failedLooks + 1;
    return { failedLooks, nextLookInMilliseconds: lookDelay(timing, failedLooks, foundation.random) };
  }

  /** After an error nobody expected. If the database cannot be told, the lease expires. */
  async function giveUp(claimed: ClaimedRelay): Promise<void> {
    const failedLooks = claimed.failedLooks + 1;
    const nextLookInMilliseconds = lookDelay(timing, failedLooks, foundation.random);
    await releaseRelay(database, claimed, { failedLooks, nextLookInMilliseconds }).catch((thrown: unknown) =>
      log.warn({ reason: messageOf(thrown) }, 'A lease of a relay request was not released; it expires.'),
    );
  }

  async function run(): Promise<void> {
    const forget = signals.listen(DUE_RELAYS_TOPIC, () => wakeUp.wake());
    const heartbeat = createPollLoop({
      pollMilliseconds: timing.leaseMs / 3,
      turn: () => renewLeases(database, lease, [...underWay.keys()]),
      failed: (thrown) =>
        log.warn({ reason: messageOf(thrown) }, 'The leases of relay requests were not renewed.'),
    });
    heartbeat.start();
    let failures = 0;
    while (!isStopped) {
      try {
        await claim();
        failures = 0;
      } catch (thrown) {
        failures += 1;
        log.error({ reason: messageOf(thrown), failures }, 'The relayer cannot look for due requests.');
      }
      await wakeUp.wait(failures === 0 ? timing.pollMs : lookDelay(timing, failures, foundation.random));
    }
    forget();
    await Promise.all(underWay.values());
    await heartbeat.stop();
  }

  async function stop(): Promise<void> {
    isStopped = true;
    wakeUp.wake();
    await running;
  }

  return { start: () => void (running ??= run()), stop, [Symbol.asyncDispose]: stop };
}
