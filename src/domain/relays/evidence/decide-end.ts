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
import type { WaitForProof } from './waits.js';
import { failureJson } from './answers.js';

/**
 * What one provider answered in one round of questions, in this order. A member is absent when the provider was not
 * asked, was silent or failed: then it says nothing about that.
 */
export interface Testimony {
  /** The label of the provider. */
  readonly node: string;
  /** Its finalized height. */
  readonly height?: LedgerHeight;
  /** Its search for every attempt's signature, in the order of the attempts. */
  readonly statuses?: { readonly slot: number; readonly statuses: readonly (SignatureStatus | null)[] };
  /** The finalized transaction of each attempt; null where it has none, absent where it was not asked. */
  readonly outcomes?: readonly (FinalizedOutcome | null | undefined)[];
  /** At finalized: whether each nullifier of the request is spent. */
  readonly nullifiers?: { readonly slot: number; readonly spent: readonly boolean[] };
  /** At finalized: whether each attempt's blockhash can still be used. */
  readonly blockhashes?: { readonly slot: number; readonly valid: readonly boolean[] };
  /** The finalized transaction that spent the first spent nullifier; null where it shows none. */
  readonly spender?: Signature | null;
  /** At finalized: whether every account exists that only this package creates. */
  readonly outputsExist?: boolean;
}

/** What is stored about the attempts of a request. */
export interface EndState {
  /** Every signature of the request that did not land as a failure, the first one first. */
  readonly attempts: readonly SignedAttempt[];
  /** The heights that each provider gave since the latest attempt was signed, and that were believed. */
  readonly earlier?: readonly EarlierHeight[];
}

export interface SignedAttempt extends Expiring {
  readonly number: number;
  readonly signature: Signature;
  /** Whether an earlier look proved that it can never land. */
  readonly isDead: boolean;
}

/** By the database's clock, which restarts and instances share. */
export interface EndTime {
  /** How long ago each attempt was signed. */
  readonly sinceSignedMs: readonly number[];
  /** Nothing is dead before 150 blocks of this time can have passed since it was signed. */
  readonly minBlockMs: number;
  /** Slots cannot come faster than one in this time; 0: they can. */
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
      /** `state`: nobody shows the transaction, but accounts exist that only this package creates. */
      readonly by: 'transaction' | 'state';
    }
  /** The latest attempt landed and failed. `isSpent`: another transaction spent the nullifiers. */
  | { readonly kind: 'landed_failed'; readonly at: number; readonly slot: number; readonly isSpent: boolean }
  /** Another transaction spent the nullifiers, so that no attempt can succeed anymore. */
  | { readonly kind: 'spent'; readonly spender: Signature }
  /** None of the attempts can land anymore, as of this finalized slot. */
  | { readonly kind: 'dead'; readonly slot: number }
  | { readonly kind: 'wait'; readonly for: WaitForProof };

export interface Judgement {
  readonly decision: Decision;
  /** Attempts that landed and failed, whatever follows for the request: index, slot and failure. */
  readonly failed: readonly { readonly at: number; readonly slot: number; readonly failure: JsonValue }[];
  /** Providers whose answers a majority contradicts, or that no honest chain can give. */
  readonly liars: readonly { readonly node: string; readonly lie: Lie }[];
  /** Whether the latest attempt may still land: then its bytes are sent again. */
  readonly mayLand: boolean;
}

/** How far ahead of the clock a slot may be: the provider that gave the blockhash may have been behind. */
const SLOT_TOLERANCE = BLOCKHASH_LIFETIME_BLOCKS;

/**
 * How a request ends. Nothing but what providers say, the database's time and what was stored decides:
 *
 * 1. Every end needs more than half of the configured providers. With one or two, each of them must also show the
 *    effect on accounts.
 * 2. What a majority contradicts is left out, and so is a slot that no honest chain can have reached, and a height that
 *    grew faster than blocks are made since the last look.
 * 3. An attempt landed when a majority shows its finalized transaction. A spent nullifier ends the request only when a
 *    majority shows which other transaction spent it.
 * 4. The request is dead when a majority, and everyone else who is believed, gives the whole proof: a finalized height
 *    past the last valid one; as of that slot, no status of any signature, no spent nullifier and an invalid
 *    blockhash; and 150 blocks can have passed since signing. Silence delays this for `maxDoubtMs` only. So does a last
 *    valid height that was wrong at signing: then the blocks count that were finalized since the first look.
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
  const death = dyingOf(believed.filter(isPast), believed, open);
  const isOldEnough = time.sinceSignedMs.every(
    (since) => since >= BLOCKHASH_LIFETIME_BLOCKS * time.minBlockMs,
  );
  if (enough(spent)) {
    const spender = majorityValue(
      believed.flatMap((one) => (one.spender ? [one.spender] : [])),
      configured,
    );
    if (spender !== undefined && !isOurs(spender)) {
      // What another transaction spent, none of ours did. Each names the spender of the first nullifier that it sees spent.
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
    const lying = withLiars(death.contradicting);
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

/** Leaves out what no honest chain can say by now, and whose heights or nullifiers a majority contradicts. */
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
  // What was said at signing may have been wrong: after a while, what can be seen now counts instead.
  const isAnchored = sinceSignedMs.at(-1)! < maxDoubtMs;
  const anchor = attempts.at(-1)!;
  const told = testimonies.flatMap(({ node, nullifiers }) => (nullifiers ? [{ node, ...nullifiers }] : []));
  const denied = contradictedNullifiers(told, testimonies.length);
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

/** Of one provider, whose servers may be this many blocks apart. */
const HEIGHT_TOLERANCE = 64;

const grewTooFast = (before: EarlierHeight, height: LedgerHeight, minSlotMs: number) =>
  minSlotMs > 0 && height.blockHeight - before.blockHeight > before.agoMs / minSlotMs + HEIGHT_TOLERANCE;

/** Every slot that a provider claims was reached. */
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
  /** Too few show it, though some do. */
  | { readonly kind: 'unproven'; readonly wait: WaitForProof }
  | { readonly kind: 'unknown' };

/** Whether an attempt landed, finalized: status and transaction of more than half of the providers say the same. */
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

/** The finalized transaction that a provider shows, where its status says the same. */
function shownLanding({ statuses, outcomes }: Testimony, at: number): FinalizedOutcome | undefined {
  const status = statuses?.statuses[at];
  const outcome = outcomes?.[at];
  if (status?.commitment !== 'finalized' || !outcome || status.slot !== outcome.slot) return undefined;
  const isSame = canonicalJson(failureJson(status.failure)) === canonicalJson(failureJson(outcome.failure));
  return isSame ? outcome : undefined;
}

/** A success leaves the nullifiers spent, a failure costs the payer the fee. */
function showsEffect(testimony: Testimony, at: number, slot: number): boolean {
  const outcome = shownLanding(testimony, at)!;
  if (outcome.failure !== null) return outcome.isFeePaid;
  const { nullifiers } = testimony;
  return nullifiers !== undefined && nullifiers.slot >= slot && nullifiers.spent.every(Boolean);
}

/** Whether a provider that reached the slot says something else about the attempt, or contradicts itself. */
function denies(testimony: Testimony, at: number, slot: number): boolean {
  const status = testimony.statuses?.statuses[at];
  if (status === null) return testimony.statuses!.slot >= slot;
  if (status?.commitment !== 'finalized') return false;
  if (status.slot !== slot) return true;
  return testimony.outcomes?.[at] != null && shownLanding(testimony, at) === undefined;
}

/** Some show a landing, and not enough: what is waited for. */
const waitOf = (landings: readonly Landing[]): WaitForProof =>
  landings.find((landing) => landing.kind === 'unproven')?.wait ?? 'landing';

interface Dying {
  /** Those that give the whole proof. */
  readonly attesting: readonly Testimony[];
  /** Those that reached the same slot and say otherwise. */
  readonly contradicting: readonly Testimony[];
}

/** `past`: those whose finalized height is past the expiry of every attempt. */
function dyingOf(past: readonly Testimony[], believed: readonly Testimony[], open: readonly number[]): Dying {
  const attesting = past.filter((one) => {
    const { height, statuses, nullifiers, blockhashes } = one;
    if (!height || !statuses || !nullifiers || !blockhashes) return false;
    const isLate = [statuses, nullifiers, blockhashes].every(({ slot }) => slot >= height.slot);
    return isLate && isFree(one, open);
  });
  const slot = Math.min(...attesting.map(({ height }) => height!.slot));
  const contradicting = believed.filter((one) => {
    if (attesting.includes(one)) return false;
    const { statuses, blockhashes } = one;
    // A nullifier that it sees spent is another matter: it may have been spent since.
    return (
      open.some((at) => (statuses?.statuses[at] ?? null) !== null) ||
      (blockhashes !== undefined && blockhashes.slot >= slot && open.some((at) => blockhashes.valid[at]))
    );
  });
  // A chain whose heights do not agree is no majority's chain.
  const isOneChain = attesting.every((one) =>
    attesting.every((other) => areOnOneChain(one.height!, other.height!)),
  );
  return {
    attesting: isOneChain ? attesting : [],
    contradicting,
  };
}

/** No signature known, no nullifier spent, no blockhash valid. */
function isFree({ statuses, nullifiers, blockhashes }: Testimony, open: readonly number[]): boolean {
  return (
    open.every((at) => statuses!.statuses[at] === null && blockhashes!.valid[at] === false) &&
    !nullifiers!.spent.includes(true)
  );
}
