import type { FinalizedOutcome, Signature } from '../../../../src/platform/ledger/index.js';
import {
  decideEnd,
  type EndState,
  type Judgement,
  type Testimony,
} from '../../../../src/domain/relays/evidence/decide-end.js';

export const OURS = 'ours' as Signature;
/** Signed at slot 1000 and block height 900. */
export const ATTEMPT = {
  number: 1,
  signature: OURS,
  contextSlot: 1_000,
  lastValidBlockHeight: 1_050,
  isDead: false,
};
export const LANDED_SLOT = 1_010;
export const SLOT = 1_170;

/** 150 blocks take at least 45 s. */
export const MIN_TIME_MS = 45_000;

/** The answers of a provider about a transaction that can never land anymore. */
export const DEAD: Testimony = {
  node: '',
  height: { slot: SLOT, blockHeight: 1_065 },
  statuses: { slot: SLOT, statuses: [null] },
  nullifiers: { slot: SLOT, spent: [false, false] },
  blockhashes: { slot: SLOT, valid: [false] },
};

export const SPENT = { slot: SLOT, spent: [true, true] };

export const landed = (
  statusFailure: FinalizedOutcome['failure'],
  outcomeFailure = statusFailure,
  outcomeSlot = LANDED_SLOT,
): Testimony => ({
  ...DEAD,
  statuses: {
    slot: SLOT,
    statuses: [{ slot: LANDED_SLOT, commitment: 'finalized', failure: statusFailure }],
  },
  outcomes: [
    { slot: outcomeSlot, failure: outcomeFailure, fee: 5_000, isFeePaid: true, paidLamports: 5_000 },
  ],
});
export const FAILED = landed('AccountInUse');
export const SUCCEEDED: Testimony = { ...landed(null), nullifiers: SPENT };

/** Correct about accounts, but without the transactions that changed them. */
export const FORGETS: Testimony = { ...DEAD, nullifiers: SPENT, spender: null, outputsExist: true };

/** Decides with these answers, in this order, 61 s after each attempt was signed. */
export const judge = (
  testimonies: readonly Testimony[],
  {
    sinceSignedMs = 61_000,
    ...state
  }: Partial<EndState> & { readonly sinceSignedMs?: number | readonly number[] } = {},
): Judgement => {
  const { attempts = [ATTEMPT] } = state;
  return decideEnd(
    testimonies.map((testimony, index) => ({ ...testimony, node: `provider ${index}` })),
    {
      sinceSignedMs: typeof sinceSignedMs === 'number' ? attempts.map(() => sinceSignedMs) : sinceSignedMs,
      ...{ minBlockMs: 300, minSlotMs: 150, maxDoubtMs: 600_000 },
    },
    { ...state, attempts },
  );
};

export const decide = (...parameters: Parameters<typeof judge>) => judge(...parameters).decision;

export const three = (testimony: Testimony) => [testimony, testimony, testimony];
