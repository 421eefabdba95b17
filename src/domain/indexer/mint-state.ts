import type { LedgerErrorKind, MintCheckFailure } from '../../platform/ledger/index.js';
import { unreachable } from '../../platform/kernel/unreachable.js';

/**
 * Why a mint is not `active`.
 *
 * - `ledger_unreachable`, `ledger_nonsense`: no provider answers, or not in a way that can be believed
 * - `history_gap`: the ledger's history of an address ends before the last indexed transaction, or before its beginning
 * - `transaction_unavailable`: the history names a transaction that no provider gives
 * - `undecodable_instruction`: a confidential instruction in a form that Token-2022, as known here, does not have
 * - the rest: what `checkMint` found
 */
export type IndexingReason =
  | MintCheckFailure
  | 'ledger_unreachable'
  | 'ledger_nonsense'
  | 'history_gap'
  | 'transaction_unavailable'
  | 'undecodable_instruction';

export type MintStatus = 'pending' | 'active' | 'error';

export interface MintState {
  readonly status: MintStatus;
  readonly reason: IndexingReason | null;
}

interface Manifestation {
  readonly status: 'pending' | 'error';
  /** Consecutive failed attempts before an active mint shows the failure. */
  readonly patience: number;
}

/** `pending` should resolve by itself; `error` needs an action of the mint's authority or of the operator. */
const MANIFESTATIONS = {
  ledger_unreachable: { status: 'pending', patience: 3 },
  ledger_nonsense: { status: 'pending', patience: 3 },
  mint_not_found: { status: 'pending', patience: 1 },
  not_token_2022: { status: 'error', patience: 1 },
  no_confidential_transfer_extension: { status: 'error', patience: 1 },
  auditor_key_mismatch: { status: 'error', patience: 1 },
  decimals_mismatch: { status: 'error', patience: 1 },
  history_gap: { status: 'error', patience: 1 },
  transaction_unavailable: { status: 'error', patience: 3 },
  undecodable_instruction: { status: 'error', patience: 1 },
} as const satisfies Record<IndexingReason, Manifestation>;

export const ACTIVE: MintState = { status: 'active', reason: null };
/** Indexed, but its new amounts cannot be read. */
export const OBSERVED: MintState = { status: 'active', reason: 'auditor_key_mismatch' };

/** Another organization was verified for the mint at a later slot. */
export const TAKEN: MintState = { status: 'error', reason: 'auditor_key_mismatch' };

/** The status of a mint after `failures` consecutive failed attempts (at least 1), the last of them for `reason`. */
export function stateAfterFailure(current: MintState, reason: IndexingReason, failures: number): MintState {
  const { status, patience } = MANIFESTATIONS[reason];
  // Only an active mint gets time. For any other mint the problem is reported at once.
  return current.status === 'active' && failures < patience ? current : { status, reason };
}

/** Whether the mint itself is wrong. Only its authority can correct it. */
export function isMintWrong(reason: IndexingReason): boolean {
  switch (reason) {
    case 'mint_not_found':
    case 'not_token_2022':
    case 'no_confidential_transfer_extension':
    case 'auditor_key_mismatch':
    case 'decimals_mismatch':
      return true;
    case 'ledger_unreachable':
    case 'ledger_nonsense':
    case 'history_gap':
    case 'transaction_unavailable':
    case 'undecodable_instruction':
      return false;
    default:
      return unreachable(reason);
  }
}

export function reasonOfLedgerError(kind: LedgerErrorKind): IndexingReason {
  return kind === 'nonsense' ? 'ledger_nonsense' : 'ledger_unreachable';
}
