import type { Id } from '../../../platform/kernel/ids.js';
import type { CheckDesk } from '../../checks/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { Address, LedgerHeight } from '../../../platform/ledger/index.js';
import type { Wait } from '../waits.js';
import type { StatusChange } from '../status/change-status.js';
import type { PoolDescriptor } from '../pools/pool-descriptor.js';
import type { Relay, RelayAttempt } from '../relay.js';
import type { AttemptOutcome } from '../relay.entity.js';
import type { RelaySignals } from '../packages/relay-identity.js';
import type { RelayMetrics } from '../relay-metrics.js';
import type { RelayPackage } from '../packages/relay-package.js';
import type { Payers } from '../payers/payers.js';
import type { FailureReason, RejectionReason } from '../relay-state.js';
import type { RelayTiming } from './relay-timing.js';
import { evidenceOf, type Answer } from '../evidence/answers.js';
import type { Lanes } from '../evidence/gather.js';
import type { Interviews } from '../evidence/interviews.js';

/** What every step needs. */
export interface RelayContext {
  readonly foundation: Foundation;
  /** Every configured provider. */
  readonly lanes: Lanes;
  readonly interviews: Interviews;
  readonly payers: Payers;
  /** Waits for a key store. Meanwhile the request uses no place of the worker. */
  readonly atStore: <Result>(relayId: Id<'rly'>, ask: () => Promise<Result>) => Promise<Result>;
  readonly checkDesk: CheckDesk;
  readonly metrics: RelayMetrics;
  readonly timing: RelayTiming;
}

/** A request with everything that its steps need. */
export interface RelayWork {
  readonly relay: Relay;
  /** Every signed attempt, oldest first. */
  readonly attempts: readonly RelayAttempt[];
  /** What the last look found, if it did not end the request. */
  readonly lastLook: JsonObject | null;
  readonly relayPackage: RelayPackage;
  readonly pool: PoolDescriptor;
  readonly signals: RelaySignals;
  /** The accounts that the pool's program owns once a nullifier is spent. */
  readonly nullifiers: readonly Address[];
  /** The accounts that only this package creates; empty if the pool has none. */
  readonly outputs: readonly Address[];
}

export type NewAttempt = Omit<
  RelayAttempt,
  'outcome' | 'evidence' | 'concludedAt' | 'createdAt' | 'sinceSignedMs' | 'payer'
> & {
  /** What it costs the relayer by its simulation, and the highest fee. */
  readonly costLamports: number;
};

/** What finalized state proves about an attempt, with the evidence. */
export interface Conclusion {
  readonly number: number;
  readonly outcome: AttemptOutcome;
  readonly evidence: JsonObject;
  /** What it cost the payer, if it landed and a provider shows its balances. */
  readonly paidLamports?: number | undefined;
}

/** The result of a step. Steps ask and decide; they write only the checks that screening records. */
export type RelayStep =
  /** Written in one transaction. */
  | {
      readonly kind: 'change';
      readonly change: Omit<StatusChange, 'fencingToken'>;
      readonly attempt?: NewAttempt;
      readonly conclusions?: readonly Conclusion[];
    }
  | {
      readonly kind: 'look_again';
      readonly inMs: number;
      readonly waitingFor: Wait;
      readonly evidence: JsonObject;
    }
  /** The next look follows after a growing pause. */
  | {
      readonly kind: 'found_nothing';
      readonly cause: LookCause;
      readonly evidence: JsonObject;
      readonly waitingFor: Wait | undefined;
      /** The longest pause before the next look. */
      readonly withinMs?: number;
    };

export type LookCause =
  | 'screening_unavailable'
  | 'providers_silent'
  | 'providers_disagree'
  | 'nullifiers_unfinalized'
  | 'simulation_transient'
  | 'spender_unknown'
  | 'pool_unknown'
  | 'signer_unavailable'
  | 'signing_key_away'
  | 'unexpected';

export const foundNothing = (
  cause: LookCause,
  evidence: JsonObject = {},
  waitingFor?: Wait,
): Extract<RelayStep, { readonly kind: 'found_nothing' }> => ({
  kind: 'found_nothing',
  cause,
  evidence,
  waitingFor,
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

export const heightsEvidence = (heights: readonly Answer<LedgerHeight>[]) =>
  evidenceOf(heights, ({ slot, blockHeight }) => ({ slot, blockHeight }));
