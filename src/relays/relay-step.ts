import type { CheckDesk } from '../checks/index.js';
import type { Foundation } from '../database/index.js';
import type { JsonObject } from '../kernel/json.js';
import type { Address, LedgerHeight, LedgerNode } from '../ledger/index.js';
import type { believeHeights } from './believed-heights.js';
import type { StatusChange } from './change-status.js';
import type { PoolDescriptor } from './pool-descriptor.js';
import type { Relay, RelayAttempt } from './relay.js';
import type { AttemptOutcome } from './relay.entity.js';
import type { RelaySignals } from './relay-identity.js';
import type { RelayMetrics } from './relay-metrics.js';
import type { RelayPackage } from './relay-package.js';
import type { RelaySigner } from './relay-signer.js';
import type { FailureReason, RejectionReason } from './relay-state.js';
import type { RelayTiming } from './relay-timing.js';
import { evidenceOf, type Testimony } from './testimony.js';

/** What every step stands on. */
export interface RelayContext {
  readonly foundation: Foundation;
  /** Every configured provider. */
  readonly nodes: readonly LedgerNode[];
  readonly signer: RelaySigner;
  readonly checkDesk: CheckDesk;
  readonly metrics: RelayMetrics;
  readonly timing: RelayTiming;
}

/** A request with all that its steps need. */
export interface RelayWork {
  readonly relay: Relay;
  /** Every one that signed something, the first one first. */
  readonly attempts: readonly RelayAttempt[];
  readonly given: RelayPackage;
  readonly pool: PoolDescriptor;
  readonly signals: RelaySignals;
  /** Whose existence, owned by the pool's program, means that a nullifier is spent. */
  readonly nullifiers: readonly Address[];
}

export type NewAttempt = Omit<RelayAttempt, 'outcome' | 'evidence' | 'concludedAt'>;

/** What finalized state says of an attempt, and what that rests on. */
export interface Conclusion {
  readonly number: number;
  readonly outcome: AttemptOutcome;
  readonly evidence: JsonObject;
}

/** What a step found out. Steps ask and decide; they write nothing but the checks that screening records. */
export type RelayStep =
  /** Written in one transaction, all of it or nothing. */
  | {
      readonly kind: 'change';
      readonly change: Omit<StatusChange, 'fencingToken'>;
      readonly attempt?: NewAttempt;
      readonly conclusions?: readonly Conclusion[];
    }
  | { readonly kind: 'look_again'; readonly inMilliseconds: number }
  /** Neither yes nor no: the next look comes after a growing pause. */
  | { readonly kind: 'found_nothing'; readonly cause: LookCause; readonly evidence: JsonObject };

export type LookCause =
  | 'screening_unavailable'
  | 'providers_silent'
  | 'providers_disagree'
  | 'nullifiers_unfinalized'
  | 'simulation_passing'
  | 'pool_unknown'
  | 'unexpected';

export const foundNothing = (cause: LookCause, evidence: JsonObject = {}): RelayStep => ({
  kind: 'found_nothing',
  cause,
  evidence,
});

export const rejected = (
  reason: RejectionReason,
  evidence: JsonObject,
  conclusions: readonly Conclusion[] = [],
): RelayStep => ({ kind: 'change', change: { to: 'rejected', reason, evidence }, conclusions });

export const failed = (
  reason: FailureReason,
  evidence: JsonObject,
  conclusions: readonly Conclusion[] = [],
): RelayStep => ({ kind: 'change', change: { to: 'failed', reason, evidence }, conclusions });

export function countLies({ metrics }: RelayContext, { lying }: ReturnType<typeof believeHeights>): void {
  for (const node of lying) metrics.providerLied(node);
}

export const heightsEvidence = (heights: readonly Testimony<LedgerHeight>[]) =>
  evidenceOf(heights, ({ slot, blockHeight }) => ({ slot, blockHeight }));
