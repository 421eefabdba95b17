import { Counter, Gauge, type Registry } from 'prom-client';
import type { Reader } from '../../platform/database/index.js';
import { countRelays } from './status/count-relays.js';
import type { BudgetOf } from './relay-budget.js';
import type { RelayReason, RelayStatus } from './relay-state.js';

/** The outcome of a submission. `repeated`: the package was submitted before. */
export type SubmissionOutcome = 'accepted' | 'repeated' | 'rejected' | 'refused';

/** What admission counts. */
export interface RelayDeskMetrics {
  readonly submitted: (outcome: SubmissionOutcome) => void;
  /** Counter: packages that were refused because the budget of a pool or a client is used up. */
  readonly budgetUsedUp: (budget: BudgetOf) => void;
}

/** Each scrape reads the waiting requests of all instances from `reader`. */
export function createRelayDeskMetrics(registry: Registry, reader: Reader): RelayDeskMetrics {
  const registers = [registry];
  const submissions = new Counter({
    name: 'lucarne_relay_submissions_total',
    help: 'Packages that were submitted to this instance, by outcome.',
    labelNames: ['outcome'] as const,
    registers,
  });
  const reconciling = new Gauge({
    name: 'lucarne_relays_reconciling',
    help: 'Relay requests, of all instances, whose outcome is unknown, whose end waits for a signing key, or that were submitted more than 15 minutes ago and have not ended.',
    registers,
  });
  new Gauge({
    name: 'lucarne_relays_waiting',
    help: 'Relay requests, of all instances, that wait to be sent.',
    registers,
    async collect() {
      // Without a database, the scrape must still answer, with the last values.
      const counted = await countRelays(reader).catch(() => undefined);
      if (!counted) return;
      this.set(counted.waiting);
      reconciling.set(counted.reconciling);
    },
  });
  const usedUp = new Counter({
    name: 'lucarne_relay_budget_refusals_total',
    help: 'Packages and attempts refused because the daily budget of a pool or of a client is used up.',
    labelNames: ['budget'] as const,
    registers,
  });
  return {
    submitted: (outcome) => submissions.inc({ outcome }),
    budgetUsedUp: (budget) => usedUp.inc({ budget }),
  };
}

/** What a worker counts. Called often: an implementation must be cheap, and must not throw. */
export interface RelayMetrics {
  /** Counter, by status and reason. */
  changed(status: RelayStatus, reason: RelayReason | null): void;
  /** Counter, by cause: looks that found nothing. */
  lookFailed(cause: string): void;
  /** Counter, by provider: answers that are impossible or that a majority contradicts. */
  providerLied(node: string): void;
  /** Counter, by provider: hints that a transaction is finalized. Each hint makes a look early. */
  hinted(node: string): void;
  /** Gauge, by provider: whether it is slow, so that relays do not wait for it. */
  providerSlow(node: string, isSlow: boolean): void;
  /** Counter: looks in which providers contradicted each other. */
  providersDisagreed(): void;
  /** Gauge: the number of requests that this instance holds. */
  underWay(count: number): void;
}

/** @param providers The labels of the configured providers. They start at 0, so that even the first lie is an increase. */
export function createRelayMetrics(registry: Registry, providers: readonly string[] = []): RelayMetrics {
  const registers = [registry];
  const changes = new Counter({
    name: 'lucarne_relay_changes_total',
    help: 'Changes of relay requests that this instance’s worker made, by new status and reason.',
    labelNames: ['status', 'reason'] as const,
    registers,
  });
  const failedLooks = new Counter({
    name: 'lucarne_relay_failed_looks_total',
    help: 'Checks of relay requests that learned nothing, by cause.',
    labelNames: ['cause'] as const,
    registers,
  });
  const lies = new Counter({
    name: 'lucarne_relay_provider_lies_total',
    help: 'Answers of a provider about heights, blockhashes, transactions, nullifiers or balances that cannot be true, or that a majority contradicts.',
    labelNames: ['provider'] as const,
    registers,
  });
  for (const provider of providers) lies.inc({ provider }, 0);
  const disagreements = new Counter({
    name: 'lucarne_relay_disagreements_total',
    help: 'Checks in which providers contradicted each other.',
    registers,
  });
  const slow = new Gauge({
    name: 'lucarne_relay_provider_slow',
    help: '1 for a provider whose answers take too long: relays do not wait for it.',
    labelNames: ['provider'] as const,
    registers,
  });
  const hints = new Counter({
    name: 'lucarne_relay_hints_total',
    help: 'Hints of a provider, over its WebSocket, that a relayed transaction is finalized. Each starts a check early.',
    labelNames: ['provider'] as const,
    registers,
  });
  const underWay = new Gauge({
    name: 'lucarne_relays_under_way',
    help: 'Relay requests that this instance holds.',
    registers,
  });
  return {
    changed: (status, reason) => changes.inc({ status, reason: reason ?? '' }),
    lookFailed: (cause) => failedLooks.inc({ cause }),
    providerLied: (provider) => lies.inc({ provider }),
    hinted: (provider) => hints.inc({ provider }),
    providerSlow: (provider, isSlow) => slow.set({ provider }, isSlow ? 1 : 0),
    providersDisagreed: () => disagreements.inc(),
    underWay: (count) => underWay.set(count),
  };
}
