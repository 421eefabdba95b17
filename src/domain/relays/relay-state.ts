/** The states of a relay request and the transitions between them. Nothing else changes a status. */
export const RELAY_STATUSES = [
  'accepted',
  'validating',
  'queued',
  'submitted',
  'reconciling',
  'succeeded',
  'rejected',
  'failed',
] as const;
export type RelayStatus = (typeof RELAY_STATUSES)[number];

/**
 * - A proof that does not verify is found before any other work: `accepted` → `rejected`.
 * - Once a transaction may have been sent, only finalized state ends a request: its own transaction (`succeeded`, `failed`), a
 *   proof that none of its transactions can land anymore (`failed`), or nullifiers spent by another transaction (`rejected`).
 * - `failed` → `queued` is an allowed retry. The other ends are final.
 */
export const RELAY_TRANSITIONS = {
  accepted: ['validating', 'rejected'],
  validating: ['queued', 'rejected', 'failed'],
  queued: ['submitted', 'reconciling', 'rejected', 'failed'],
  submitted: ['reconciling', 'succeeded', 'rejected', 'failed'],
  reconciling: ['succeeded', 'rejected', 'failed'],
  succeeded: [],
  rejected: [],
  failed: ['queued'],
} as const satisfies Record<RelayStatus, readonly RelayStatus[]>;

export function mayBecome(from: RelayStatus, to: RelayStatus): boolean {
  return (RELAY_TRANSITIONS[from] as readonly RelayStatus[]).includes(to);
}

const TERMINAL = {
  accepted: false,
  validating: false,
  queued: false,
  submitted: false,
  reconciling: false,
  succeeded: true,
  rejected: true,
  failed: true,
} as const satisfies Record<RelayStatus, boolean>;

/** Whether subscriptions complete. `failed` completes them too, although a retry can continue the request. */
export const isTerminal = (status: RelayStatus): boolean => TERMINAL[status];

/** Why a request was `rejected` after it was accepted. */
export type RejectionReason =
  | 'zk_config_missing'
  | 'zk_config_deprecated'
  | 'zk_config_incompatible'
  | 'invalid_proof'
  | 'kyt_rejected'
  | 'nullifiers_spent'
  | 'simulation_failed'
  | 'resource_fee_exceeded'
  | 'resource_limit_exceeded';
/** Why a request `failed`. */
export type FailureReason = 'send_failed' | 'transaction_failed' | 'infrastructure_failed';
export type RelayReason = RejectionReason | FailureReason;
