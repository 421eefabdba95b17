import { Registry } from 'prom-client';
import type { CheckDesk } from '../../checks/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { isLucarneError, isUnavailable, type LucarneError } from '../../../platform/kernel/errors.js';
import { type Id, idDigest } from '../../../platform/kernel/ids.js';
import { backOffMs, createPollLoop, LeaseLost } from '../../../platform/jobs/index.js';
import { unreachable } from '../../../platform/kernel/unreachable.js';
import { noSignatureHints, type LedgerNodes, type SignatureHints } from '../../../platform/ledger/index.js';
import type { StartTimer } from '../../../platform/kernel/clock.js';
import { type Advance, advanceRelay } from './advance-relay.js';
import { nullifierAccounts, outputAccounts } from './build-transaction.js';
import type { PoolDescriptor } from '../pools/pool-descriptor.js';
import { recordStep } from './record-step.js';
import { relaySignals } from '../packages/relay-identity.js';
import { type ClaimedRelay, claimRelays, type Release, releaseRelay, renewLeases } from './relay-lease.js';
import { BudgetUsedUp, type RelayBudgets } from '../relay-budget.js';
import { createRelayMetrics, type RelayMetrics } from '../relay-metrics.js';
import type { Payers } from '../payers/payers.js';
import {
  failed,
  foundNothing,
  type LookCause,
  type RelayContext,
  type RelayStep,
  type RelayWork,
} from './relay-step.js';
import { openLanes } from '../evidence/gather.js';
import { Interviews } from '../evidence/interviews.js';
import { withHeights } from '../evidence/kept-heights.js';
import { DEFAULT_RELAY_TIMING, type RelayTiming } from './relay-timing.js';
import { isTerminal } from '../relay-state.js';
import { DUE_RELAYS_TOPIC, type Relay, selectAttempts, selectLastLook } from '../relay.js';
import { openPackage } from '../packages/sealed-package.js';

export interface RelayWorkerOptions {
  readonly foundation: Foundation;
  readonly nodes: LedgerNodes;
  /** Without hints, each look happens when it is due. */
  readonly hints?: SignatureHints;
  readonly pools: ReadonlyMap<string, PoolDescriptor>;
  /**
   * Without a key, the worker processes only requests with a signed transaction. All others wait for a worker that has a key.
   */
  readonly payers: Payers;
  readonly checkDesk: CheckDesk;
  /** Identifies this worker in leases. Different for each process and each start. */
  readonly instanceId: string;
  readonly metrics?: RelayMetrics;
  readonly timing?: Partial<RelayTiming>;
  readonly budgets?: RelayBudgets;
  readonly startTimer?: StartTimer;
  /** Maximum number of requests in progress. Default: 16. */
  readonly maxConcurrent?: number;
  /**
   * Maximum number of further requests that wait for key stores and use no place. Default: 64. It limits what one process has
   * in progress.
   */
  readonly maxAtStores?: number;
}

/** Executes relay requests, together with all other workers on the same database. */
export interface RelayWorker extends AsyncDisposable {
  /** Returns at once, whether or not the database and the ledger can be reached. */
  start(): void;
  /** Finishes the steps in progress and releases the requests. */
  stop(): Promise<void>;
}

const isUnsigned = ({ status }: Relay) => status === 'validating' || status === 'queued';

type ChangeStep = Extract<RelayStep, { readonly kind: 'change' }>;

export function createRelayWorker(options: RelayWorkerOptions): RelayWorker {
  const { foundation, pools, instanceId, hints = noSignatureHints } = options;
  const { maxConcurrent = 16, maxAtStores = 64, metrics = createRelayMetrics(new Registry()) } = options;
  const { database, signals, log } = foundation;
  const timing: RelayTiming = { ...DEFAULT_RELAY_TIMING, ...options.timing };
  const { payers, checkDesk } = options;
  const lanes = openLanes(options.nodes.nodes, {
    patienceMs: timing.patienceMs,
    startTimer: options.startTimer,
    changed(provider, isSlow) {
      metrics.providerSlow(provider, isSlow);
      if (isSlow) log.warn({ provider }, 'A ledger provider is slow: relays no longer wait for it.');
      else log.info({ provider }, 'A ledger provider has recovered: it answers quickly again.');
    },
  });
  for (const { node } of lanes.all) metrics.providerSlow(node.label, false);
  const interviews = new Interviews(lanes);
  /** Requests that wait for a key store. They use no place, so that a store that hangs does not block other requests. */
  const atStores = new Set<Id<'rly'>>();
  const atStore = async <Result>(id: Id<'rly'>, ask: () => Promise<Result>): Promise<Result> => {
    atStores.add(id);
    return ask().finally(() => atStores.delete(id));
  };
  const context: RelayContext = {
    ...{ foundation, payers, checkDesk, metrics, timing, lanes, interviews, atStore },
  };
  const lease = { owner: instanceId, durationMs: timing.leaseDurationMs };
  const backOffFor = (failures: number) => backOffMs(timing.backOff, failures);
  const underWay = new Map<Id<'rly'>, Promise<void>>();
  /**
   * Requests whose transaction may be finalized, according to a hint from a provider since their last look began. A hint only
   * makes the next look early. A hint that arrives during a look waits until the look ends and a place is free.
   */
  const hinted = new Set<Id<'rly'>>();
  let isStopped = false;

  async function claim(): Promise<void> {
    const limit = maxConcurrent - (underWay.size - Math.min(atStores.size, maxAtStores));
    if (limit <= 0) return;
    const early = [...hinted].filter((id) => !underWay.has(id)).slice(0, limit);
    const claimedNow = await claimRelays(database, {
      ...lease,
      ...{ limit, early, underWay: [...underWay.keys()], canSign: payers.canSign },
    });
    for (const id of early) hinted.delete(id);
    for (const claimed of claimedNow) {
      const ended = work(claimed).finally(() => {
        underWay.delete(claimed.id);
        metrics.underWay(underWay.size);
        loop.wake();
      });
      underWay.set(claimed.id, ended);
    }
    metrics.underWay(underWay.size);
  }

  function watch({ relay, attempts }: RelayWork): void {
    const latest = attempts.at(-1);
    if (!latest || latest.outcome !== null) return;
    hints.watch(latest.signature, (provider) => {
      metrics.hinted(provider);
      hinted.add(relay.id);
      loop.wake();
    });
  }

  /** Advances a request until it must wait, and releases it with the time of the next look. */
  async function work(claimed: ClaimedRelay): Promise<void> {
    try {
      const release = await advance(claimed);
      if (release) await releaseRelay(database, claimed, release);
    } catch (thrown) {
      if (thrown instanceof LeaseLost) return;
      log.error({ relay: idDigest(claimed.id), err: thrown }, 'Relay processing failed.');
      metrics.lookFailed('unexpected');
      await giveUp(claimed);
    }
  }

  async function advance(claimed: ClaimedRelay): Promise<Release | undefined> {
    let relay: Relay = claimed;
    let next: Advance = { isTakenOver: claimed.isTakenOver, isUnsent: false };
    for (;;) {
      if (isStopped) return { failedLooks: relay.failedLooks, nextLookInMs: 0, waitingFor: relay.waitingFor };
      const step = ending(relay, await stepOf(claimed, relay, next));
      switch (step.kind) {
        case 'look_again':
          return {
            ...{ failedLooks: 0, nextLookInMs: step.inMs, waitingFor: step.waitingFor },
            look: step.evidence,
          };
        case 'found_nothing':
          return releaseAfterFailedLook(relay, step);
        case 'change': {
          const recorded = await record(claimed, relay, step);
          if ('release' in recorded) return recorded.release;
          relay = recorded.relay;
          metrics.changed(relay.status, relay.reason);
          next = { isTakenOver: false, isUnsent: step.attempt !== undefined };
          if (isTerminal(relay.status)) return undefined;
          const { nextLookInMs = 0 } = step.change;
          if (nextLookInMs > 0) return { failedLooks: 0, nextLookInMs, waitingFor: 'landing' };
          break;
        }
        default:
          unreachable(step);
      }
    }
  }

  /** If a transaction would exceed today's budget, it is neither stored nor sent, and the request is rejected. */
  async function record(
    claimed: ClaimedRelay,
    relay: Relay,
    step: ChangeStep,
  ): Promise<{ readonly relay: Relay } | { readonly release: Release }> {
    try {
      const asking = (ask: () => Promise<void>) => atStore(relay.id, ask);
      const { fencingToken } = claimed;
      return { relay: await recordStep(foundation, relay, fencingToken, step, options.budgets, asking) };
    } catch (thrown) {
      if (thrown instanceof BudgetUsedUp && step.attempt) {
        const { of: budget, lamportsPerDay } = thrown.scope;
        const { costLamports } = step.attempt;
        log.warn(
          { relay: idDigest(relay.id), budget, pool: relay.poolSelector },
          'A relay budget is used up.',
        );
        const evidence = { budget, lamportsPerDay, costLamports };
        const change = { to: 'rejected', reason: 'resource_limit_exceeded', evidence } as const;
        return record(claimed, relay, { kind: 'change', change });
      }
      if (isLucarneError(thrown) && thrown.reason === 'signing_key_away')
        return { release: await releaseUnsigned(relay, step, thrown) };
      throw thrown;
    }
  }

  async function stepOf(claimed: ClaimedRelay, relay: Relay, next: Advance): Promise<RelayStep> {
    if (relay.status === 'accepted') return { kind: 'change', change: { to: 'validating', evidence: {} } };
    try {
      const found = await load(claimed, relay);
      if (!found) return foundNothing('pool_unknown');
      watch(found);
      return await advanceRelay(context, found, next);
    } catch (thrown) {
      // Without the database, the failed look cannot be counted.
      if (isUnavailable(thrown)) throw thrown;
      log.error({ relay: idDigest(relay.id), err: thrown }, 'A relay step failed.');
      return foundNothing('unexpected');
    }
  }

  /** Returns `undefined` if this worker does not serve the pool in the form in which the package was accepted. */
  async function load(claimed: ClaimedRelay, relay: Relay): Promise<RelayWork | undefined> {
    const relayPackage = openPackage(foundation.sealer, relay.id, claimed.sealedPackage);
    const pool = pools.get(relay.poolSelector);
    const circuit = pool?.circuits.get(relayPackage.zkConfigNonce);
    if (!pool || !circuit || pool.programId !== relay.programId) return undefined;
    const signals = relaySignals(relayPackage, circuit);
    const [attempts, lastLook] = await Promise.all([
      selectAttempts(database, relay.id),
      selectLastLook(database, relay.id),
    ]);
    return {
      ...{ relay, attempts, lastLook, relayPackage, pool, signals },
      nullifiers: nullifierAccounts(pool, signals),
      outputs: outputAccounts(pool, signals),
    };
  }

  /** While nothing is signed, a request fails after a limited number of looks that found nothing. */
  function ending(relay: Relay, step: RelayStep): RelayStep {
    if (step.kind !== 'found_nothing' || !isUnsigned(relay)) return step;
    const looks = relay.failedLooks + 1;
    if (looks < timing.maxFailedLooks) return step;
    return failed('infrastructure_failed', { cause: step.cause, looks, last: step.evidence });
  }

  async function releaseAfterFailedLook(
    relay: Relay,
    step: Extract<RelayStep, { kind: 'found_nothing' }>,
  ): Promise<Release> {
    metrics.lookFailed(step.cause);
    const failedLooks = relay.failedLooks + 1;
    const nextLookInMs = Math.min(backOffFor(failedLooks), step.withinMs ?? Infinity);
    const last = isUnsigned(relay) ? null : await selectLastLook(database, relay.id);
    const look = withHeights({ cause: step.cause, ...step.evidence }, last);
    return { failedLooks, nextLookInMs, waitingFor: step.waitingFor ?? null, look };
  }

  /**
   * The end is known, but the key that signs its receipts is unavailable. More looks cannot change that, so they are not
   * counted: an unsigned request must not fail because of it.
   */
  async function releaseUnsigned(
    relay: Relay,
    { change: { to: status, reason, evidence } }: ChangeStep,
    thrown: LucarneError,
  ): Promise<Release> {
    const cause = 'signing_key_away' satisfies LookCause;
    metrics.lookFailed(cause);
    const last = await selectLastLook(database, relay.id);
    const earlier = last?.['cause'] === cause ? last['times'] : 0;
    const times = typeof earlier === 'number' ? earlier + 1 : 1;
    if (times === 1)
      log.warn(
        { relay: idDigest(relay.id), err: thrown },
        'The end of a relay waits for the key of its receipts.',
      );
    return {
      ...{ failedLooks: relay.failedLooks, nextLookInMs: backOffFor(times), waitingFor: 'signing_key' },
      look: withHeights({ cause, times, end: { status, reason: reason ?? null, evidence } }, last),
    };
  }

  /** Releases the request after an unexpected error. If the database cannot be reached, the lease expires. */
  async function giveUp(claimed: ClaimedRelay): Promise<void> {
    const failedLooks = claimed.failedLooks + 1;
    const release = { failedLooks, nextLookInMs: backOffFor(failedLooks), waitingFor: claimed.waitingFor };
    await releaseRelay(database, claimed, release).catch((thrown: unknown) =>
      log.warn({ err: thrown }, 'Releasing the lease of a relay failed; the lease expires by itself.'),
    );
  }

  const heartbeat = createPollLoop({
    pollMs: timing.leaseDurationMs / 3,
    turn: () => renewLeases(database, lease, [...underWay.keys()]),
    failed: (thrown) => log.warn({ err: thrown }, 'Relay lease renewal failed.'),
  });
  const loop = createPollLoop({
    pollMs: timing.pollMs,
    retryMs: backOffFor,
    turn: claim,
    failed: (thrown, failures) => log.error({ err: thrown, failures }, 'Claiming due relay requests failed.'),
    listen: (wake) => signals.listen(DUE_RELAYS_TOPIC, wake),
    async ended() {
      await Promise.all(underWay.values());
      await heartbeat.stop();
    },
  });

  function start(): void {
    heartbeat.start();
    loop.start();
  }

  async function stop(): Promise<void> {
    isStopped = true;
    await loop.stop();
  }

  return { start, stop, [Symbol.asyncDispose]: stop };
}
