import { canonicalJson, type JsonValue } from '../../../platform/kernel/encoding/json.js';
import {
  BLOCKHASH_LIFETIME_BLOCKS,
  type FinalizedOutcome,
  type LedgerHeight,
  type Signature,
  type SignatureStatus,
} from '../../../platform/ledger/index.js';
import {
  areOnOneChain,
  expiryOf,
  isPastDoubt,
  type EarlierHeight,
  type Expiring,
} from './believed-heights.js';
import { contradictedNullifiers } from './contradictions.js';
import { isMajority, majorityValue } from './majority.js';
import type { WaitForProof } from '../waits.js';
import { failureJson } from './answers.js';

/**
 * What one provider answered in one round of questions, in this order. A member is absent if the provider was not asked, was
 * silent or failed: then nothing follows from it.
 */
export interface Testimony {
  /** The label of the provider. */
  readonly node: string;
  /** Its finalized height. */
  readonly height?: LedgerHeight;
  /** Its status of every attempt's signature, in the order of the attempts. */
  readonly statuses?: { readonly slot: number; readonly statuses: readonly (SignatureStatus | null)[] };
  /** The finalized transaction of each attempt; null if the provider has none, undefined if it was not asked. */
  readonly outcomes?: readonly (FinalizedOutcome | null | undefined)[];
  /** At finalized: whether each nullifier of the request is spent. */
  readonly nullifiers?: { readonly slot: number; readonly spent: readonly boolean[] };
  /** At finalized: whether each attempt's blockhash can still be used. */
  readonly blockhashes?: { readonly slot: number; readonly valid: readonly boolean[] };
  /** The finalized transaction that spent the first spent nullifier; null if the provider shows none. */
  readonly spender?: Signature | null;
  /** At finalized: whether every account exists that only this package creates. */
  readonly outputsExist?: boolean;
}

/** What is stored about the attempts of a request. */
export interface EndState {
  /** Every attempt that is not known to have landed and failed, oldest first. */
  readonly attempts: readonly SignedAttempt[];
  /** The heights that each provider returned since the latest attempt was signed, and that were believed. */
  readonly earlier?: readonly EarlierHeight[];
}

export interface SignedAttempt extends Expiring {
  readonly number: number;
  readonly signature: Signature;
  /** Whether an earlier look proved that it can never land. */
  readonly isDead: boolean;
}

/** Measured by the clock of the database, which restarts and instances share. */
export interface EndTime {
  /** How long ago each attempt was signed. */
  readonly sinceSignedMs: readonly number[];
  /** Shortest time of a block. No attempt counts as dead before 150 such blocks can have passed since signing. */
  readonly minBlockMs: number;
  /** Shortest time of a slot; 0 means that there is no limit. */
  readonly minSlotMs: number;
  /** This long after signing, silent providers no longer delay what a majority proves. */
  readonly maxDoubtMs: number;
}

/** Why a provider's answers were left out. */
export type Lie = 'impossible_slot' | 'impossible_height' | 'contradicted';

export type Decision =
  | {
      readonly kind: 'succeeded';
      /** Index of the attempt. */
      readonly at: number;
      readonly slot: number | null;
      /** `state`: no provider shows the transaction, but accounts exist that only this package creates. */
      readonly by: 'transaction' | 'state';
    }
  /** The latest attempt landed and failed. `isSpent`: another transaction spent the nullifiers. */
  | { readonly kind: 'landed_failed'; readonly at: number; readonly slot: number; readonly isSpent: boolean }
  /** Another transaction spent the nullifiers, so no attempt can succeed anymore. */
  | { readonly kind: 'spent'; readonly spender: Signature }
  /** None of the attempts can land anymore, as of this finalized slot. */
  | { readonly kind: 'dead'; readonly slot: number }
  | { readonly kind: 'wait'; readonly for: WaitForProof };

export interface Judgement {
  readonly decision: Decision;
  /** Attempts that landed and failed, whatever the decision is: index, slot and failure. */
  readonly failed: readonly { readonly at: number; readonly slot: number; readonly failure: JsonValue }[];
  /** Providers whose answers are contradicted by a majority, or are impossible on any honest chain. */
  readonly liars: readonly { readonly node: string; readonly lie: Lie }[];
  /** Whether the latest attempt may still land. Then the same bytes are sent again. */
  readonly mayLand: boolean;
}

/** How far ahead of the clock a slot may be: the provider that returned the blockhash may have lagged. */
const SLOT_TOLERANCE = BLOCKHASH_LIFETIME_BLOCKS;

/**
 * Decides how a request ends. Only the answers of providers, the time of the database and stored facts count:
 *
 * 1. Every end needs more than half of the configured providers. With one or two, each of them must also show the effect on
 *    accounts.
 * 2. Answers are ignored if a majority contradicts them, if they contain a slot that no honest chain can have reached, or if
 *    the height grew faster than blocks are made since the last look.
 * 3. An attempt landed when a majority shows its finalized transaction. A spent nullifier ends the request only when a majority
 *    shows which other transaction spent it.
 * 4. The request is dead when a majority, and every other provider that is believed, gives the whole proof: a finalized height
 *    past the last valid one; as of that slot, no status of any signature, no spent nullifier and an invalid blockhash; and 150
 *    blocks can have passed since signing. A silent provider delays this for at most `maxDoubtMs`. So does a wrong last valid
 *    height from the time of signing: after that, the blocks finalized since the blockhash was known count instead.
 */
export function decideEnd(
  testimonies: readonly Testimony[],
  time: EndTime,
  { attempts, earlier = [] }: EndState,
): Judgement {
  const configured = testimonies.length;
  const { believed, liars: impossible } = believe(testimonies, time, attempts, earlier);
  const enough = (providers: readonly unknown[]) => isMajority(providers.length, configured);
  const landings = attempts.map((_, at) => landingOf(at, believed, configured));
  const denied = landings.flatMap((landing) => (landing.kind === 'landed' ? landing.contradicted : []));
  const withLiars = (providers: readonly Testimony[]) => [
    ...impossible,
    ...[...new Set([...denied, ...providers])].map(({ node }) => ({ node, lie: 'contradicted' as const })),
  ];
  const liars = withLiars([]);
  const judged = (decision: Decision, found: Partial<Judgement> = {}): Judgement => ({
    ...{ decision, liars, failed: [], mayLand: false },
    ...found,
  });

  for (const [at, landing] of landings.entries()) {
    if (landing.kind !== 'landed' || landing.failure !== null) continue;
    return judged({ kind: 'succeeded', at, slot: landing.slot, by: 'transaction' });
  }
  const failed = landings.flatMap((landing, at) =>
    landing.kind === 'landed' ? [{ at, slot: landing.slot, failure: landing.failure }] : [],
  );
  const hasFailed = (at: number) => failed.some((landing) => landing.at === at);
  const open = attempts.flatMap(({ isDead }, at) => (isDead || hasFailed(at) ? [] : [at]));
  const suspects = attempts.flatMap((_, at) => (hasFailed(at) ? [] : [at]));

  const spent = believed.filter(({ nullifiers }) => nullifiers?.spent.includes(true));
  const latest = failed.at(-1);
  if (open.length === 0 && latest && latest.at === attempts.length - 1) {
    const isFree = ({ nullifiers }: Testimony) =>
      nullifiers !== undefined && nullifiers.slot >= latest.slot && !nullifiers.spent.includes(true);
    const ended = { kind: 'landed_failed', at: latest.at, slot: latest.slot } as const;
    if (enough(believed.filter(isFree))) return judged({ ...ended, isSpent: false }, { failed });
    if (suspects.length === 0 && enough(spent)) return judged({ ...ended, isSpent: true }, { failed });
    if (!enough(spent)) return judged({ kind: 'wait', for: 'effect' }, { failed });
  }

  const isOurs = (signature: Signature) => attempts.some((attempt) => attempt.signature === signature);
  const hasNoDoubt = isPastDoubt(time);
  const isPast = expiryOf(attempts, earlier, hasNoDoubt);
  const death = dyingOf(believed.filter(isPast), believed, open, configured);
  const isOldEnough = time.sinceSignedMs.every(
    (since) => since >= BLOCKHASH_LIFETIME_BLOCKS * time.minBlockMs,
  );
  if (enough(spent)) {
    const spender = majorityValue(
      believed.flatMap((one) => (one.spender ? [one.spender] : [])),
      configured,
    );
    if (spender !== undefined && !isOurs(spender)) {
      // If another transaction spent the nullifiers, none of ours succeeded. Each provider shows the spender of the first
      // nullifier that it sees as spent.
      const firstOf = ({ nullifiers }: Testimony) => nullifiers?.spent.indexOf(true);
      const tellers = believed.filter((one) => one.spender === spender);
      const others = believed.filter((one) =>
        one.spender && one.spender !== spender
          ? tellers.some((teller) => firstOf(teller) === firstOf(one))
          : attempts.some((_, at) => shownLanding(one, at)?.failure === null),
      );
      return judged({ kind: 'spent', spender }, { failed, liars: withLiars(others) });
    }
    const isExpired = enough(believed.filter(isPast));
    const shown = believed.filter(({ outputsExist }) => outputsExist === true);
    if (isExpired && isOldEnough && spender === undefined && enough(shown))
      return judged({ kind: 'succeeded', at: suspects.at(-1)!, slot: null, by: 'state' }, { failed });
    const isShown = landings.some(({ kind }) => kind === 'unproven');
    return judged({ kind: 'wait', for: isShown ? waitOf(landings) : 'spender' }, { failed });
  }

  if (enough(death.attesting)) {
    const lying = withLiars(death.lying);
    if (!isOldEnough) return judged({ kind: 'wait', for: 'minimum_time' }, { failed, liars: lying });
    const silent = configured - death.attesting.length - impossible.length - death.contradicting.length;
    if (silent > 0 && !hasNoDoubt)
      return judged({ kind: 'wait', for: 'silent_providers' }, { failed, liars: lying });
    const slot = Math.min(...death.attesting.map(({ height }) => height!.slot));
    return judged({ kind: 'dead', slot }, { failed, liars: lying });
  }

  const answering = believed.filter(({ statuses }) => statuses !== undefined);
  const aware = believed.filter(({ statuses }) => statuses?.statuses.some((status) => status !== null));
  const past = believed.filter(isPast);
  const young = believed.filter((one) => one.height && !isPast(one));
  const undecided = waitOf(landings);
  const cause = () => {
    if (undecided !== 'landing') return undecided;
    if (enough(aware)) return 'finality';
    if (hasNoDoubt) return enough(young) ? 'landing' : 'majority';
    if (enough(past)) return 'silent_providers';
    return enough(answering) ? 'landing' : 'majority';
  };
  return judged(
    { kind: 'wait', for: cause() },
    { failed, mayLand: !enough(past) && !enough(aware) && open.includes(attempts.length - 1) },
  );
}

/** Leaves out providers whose answers are impossible by now, or whose heights or nullifiers a majority contradicts. */
function believe(
  testimonies: readonly Testimony[],
  { sinceSignedMs, minSlotMs, maxDoubtMs }: EndTime,
  attempts: readonly SignedAttempt[],
  earlier: readonly EarlierHeight[],
): { readonly believed: Testimony[]; readonly liars: { node: string; lie: Lie }[] } {
  const reach = Math.max(
    ...attempts.map(({ contextSlot }, at) => {
      const slots = minSlotMs === 0 ? Infinity : sinceSignedMs[at]! / minSlotMs;
      return contextSlot + slots + SLOT_TOLERANCE;
    }),
  );
  // The numbers returned at signing may be wrong: after `maxDoubtMs`, they no longer limit the heights.
  const isAnchored = sinceSignedMs.at(-1)! < maxDoubtMs;
  const anchor = attempts.at(-1)!;
  const answered = testimonies.flatMap(({ node, nullifiers }) =>
    nullifiers ? [{ node, ...nullifiers }] : [],
  );
  const denied = contradictedNullifiers(answered, testimonies.length);
  const lieOf = (testimony: Testimony): Lie | undefined => {
    if (slotsOf(testimony).some((slot) => slot > reach)) return 'impossible_slot';
    if (denied.includes(testimony.node)) return 'contradicted';
    const { height } = testimony;
    if (height === undefined) return undefined;
    const grown = height.blockHeight - (anchor.lastValidBlockHeight - BLOCKHASH_LIFETIME_BLOCKS);
    const slots = Math.max(0, height.slot - anchor.contextSlot);
    if (isAnchored && grown > slots + BLOCKHASH_LIFETIME_BLOCKS) return 'impossible_height';
    const before = earlier.find(({ node }) => node === testimony.node);
    if (isAnchored && before && grewTooFast(before, height, minSlotMs)) return 'impossible_height';
    const against = testimonies.filter((other) => other.height && !areOnOneChain(height, other.height));
    return isMajority(against.length, testimonies.length) ? 'contradicted' : undefined;
  };
  const liars = testimonies.flatMap((testimony) => {
    const lie = lieOf(testimony);
    return lie === undefined ? [] : [{ node: testimony.node, lie }];
  });
  const lying = new Set(liars.map(({ node }) => node));
  return { believed: testimonies.filter(({ node }) => !lying.has(node)), liars };
}

/** Servers of one provider may be this many blocks apart. */
const HEIGHT_TOLERANCE = 64;

const grewTooFast = (before: EarlierHeight, height: LedgerHeight, minSlotMs: number) =>
  minSlotMs > 0 && height.blockHeight - before.blockHeight > before.agoMs / minSlotMs + HEIGHT_TOLERANCE;

/** Every slot that the provider claims was reached. */
function slotsOf({ height, statuses, outcomes = [], nullifiers, blockhashes }: Testimony): number[] {
  const contexts = [height, statuses, nullifiers, blockhashes].flatMap((one) => (one ? [one.slot] : []));
  return [...contexts, ...outcomes.flatMap((outcome) => (outcome ? [outcome.slot] : []))];
}

type Landing =
  | {
      readonly kind: 'landed';
      readonly slot: number;
      readonly failure: JsonValue;
      readonly contradicted: readonly Testimony[];
    }
  /** Some providers show it, but too few. */
  | { readonly kind: 'unproven'; readonly wait: WaitForProof }
  | { readonly kind: 'unknown' };

/** Whether an attempt landed and is finalized: more than half of the providers return the same status and transaction. */
function landingOf(at: number, believed: readonly Testimony[], configured: number): Landing {
  const groups = Map.groupBy(
    believed.filter((one) => shownLanding(one, at) !== undefined),
    (one) => canonicalJson([shownLanding(one, at)!.slot, failureJson(shownLanding(one, at)!.failure)]),
  );
  const agreeing = [...groups.values()].find((group) => isMajority(group.length, configured));
  if (agreeing) {
    const { slot, failure } = shownLanding(agreeing[0]!, at)!;
    if (configured <= 2 && !agreeing.every((one) => showsEffect(one, at, slot)))
      return { kind: 'unproven', wait: 'effect' };
    const contradicted = believed.filter(
      (one) => !agreeing.includes(one) && (shownLanding(one, at) !== undefined || denies(one, at, slot)),
    );
    return { kind: 'landed', slot, failure: failureJson(failure), contradicted };
  }
  const finalized = believed.filter(({ statuses }) => statuses?.statuses[at]?.commitment === 'finalized');
  if (finalized.length === 0) return { kind: 'unknown' };
  const slot = Math.min(...finalized.map(({ statuses }) => statuses!.statuses[at]!.slot));
  const isDisputed = groups.size > 1 || believed.some((one) => denies(one, at, slot));
  return { kind: 'unproven', wait: isDisputed ? 'agreement' : 'finality' };
}

/** The finalized transaction that a provider shows, if its status agrees with it. */
function shownLanding({ statuses, outcomes }: Testimony, at: number): FinalizedOutcome | undefined {
  const status = statuses?.statuses[at];
  const outcome = outcomes?.[at];
  if (status?.commitment !== 'finalized' || !outcome || status.slot !== outcome.slot) return undefined;
  const isSame = canonicalJson(failureJson(status.failure)) === canonicalJson(failureJson(outcome.failure));
  return isSame ? outcome : undefined;
}

/** A success leaves the nullifiers spent; a failure costs the payer the fee. */
function showsEffect(testimony: Testimony, at: number, slot: number): boolean {
  const outcome = shownLanding(testimony, at)!;
  if (outcome.failure !== null) return outcome.isFeePaid;
  const { nullifiers } = testimony;
  return nullifiers !== undefined && nullifiers.slot >= slot && nullifiers.spent.every(Boolean);
}

/** Whether a provider that reached the slot contradicts this landing of the attempt, or contradicts itself. */
function denies(testimony: Testimony, at: number, slot: number): boolean {
  const status = testimony.statuses?.statuses[at];
  if (status === null) return testimony.statuses!.slot >= slot;
  if (status?.commitment !== 'finalized') return false;
  if (status.slot !== slot) return true;
  return testimony.outcomes?.[at] != null && shownLanding(testimony, at) === undefined;
}

/** What to wait for if some providers show a landing, but not enough. */
const waitOf = (landings: readonly Landing[]): WaitForProof =>
  landings.find((landing) => landing.kind === 'unproven')?.wait ?? 'landing';

interface Dying {
  /** Providers that give the whole proof. */
  readonly attesting: readonly Testimony[];
  /** Providers that contradict the proof, now or by what they last knew. */
  readonly contradicting: readonly Testimony[];
  /** Those of them that more than half of the configured providers contradict. */
  readonly lying: readonly Testimony[];
}

/** `past`: providers whose finalized height is past the expiry of every attempt. */
function dyingOf(
  past: readonly Testimony[],
  believed: readonly Testimony[],
  open: readonly number[],
  configured: number,
): Dying {
  const whole = past.filter((one) => {
    const { height, statuses, nullifiers, blockhashes } = one;
    if (!height || !statuses || !nullifiers || !blockhashes) return false;
    const isLate = [statuses, nullifiers, blockhashes].every(({ slot }) => slot >= height.slot);
    return isLate && isFree(one, open);
  });
  // Only a majority with heights of one chain proves something. One of them may still contradict another: if honest providers
  // lag by different amounts, a liar between them can contradict one of them, and must not prevent the proof of the others.
  const attesting = whole.filter((one) =>
    isMajority(whole.filter((other) => areOnOneChain(one.height!, other.height!)).length, configured),
  );
  const slot = Math.min(...attesting.map(({ height }) => height!.slot));
  const contradicting = believed.filter((one) => {
    if (attesting.includes(one)) return false;
    const { statuses, blockhashes } = one;
    // A provider that sees a spent nullifier does not contradict: the nullifier may have been spent since.
    return (
      open.some((at) => (statuses?.statuses[at] ?? null) !== null) ||
      (blockhashes !== undefined && blockhashes.slot >= slot && open.some((at) => blockhashes.valid[at]))
    );
  });
  const lying = contradicting.filter((one) =>
    isMajority(attesting.filter((other) => areOpposed(one, other, open)).length, configured),
  );
  return { attesting, contradicting, lying };
}

/**
 * Whether one of two providers is wrong: `other` shows that no open attempt can land anymore, and `one` shows that one of them can,
 * or did, as of the same slot or a later one. A finalized transaction stays where it is; one that is not finalized can be dropped.
 */
function areOpposed({ statuses, blockhashes }: Testimony, other: Testimony, open: readonly number[]) {
  return open.some((at) => {
    const status = statuses?.statuses[at] ?? null;
    const isLanded = status?.commitment === 'finalized' ? other.statuses!.slot >= status.slot : undefined;
    const isShown = isLanded ?? (status !== null && statuses!.slot >= other.height!.slot);
    return isShown || (blockhashes?.valid[at] === true && blockhashes.slot >= other.blockhashes!.slot);
  });
}

/** Whether the provider knows no signature, no spent nullifier and no valid blockhash. */
function isFree({ statuses, nullifiers, blockhashes }: Testimony, open: readonly number[]): boolean {
  return (
    open.every((at) => statuses!.statuses[at] === null && blockhashes!.valid[at] === false) &&
    !nullifiers!.spent.includes(true)
  );
}
