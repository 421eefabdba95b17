import type { RelayTiming } from '#lucarne/domain/relays/execution/relay-timing.js';
import { LIES } from './lies.ts';
import type { SeededRandom } from './random.ts';

/** The kinds of faults, and how often each comes on average where a world has it, in milliseconds. */
const FAULTS = {
  pause: 60_000,
  cutDatabase: 90_000,
  slowDatabase: 120_000,
  brokenConnections: 120_000,
  databaseClock: 120_000,
  cutProvider: 40_000,
  lostMessages: 120_000,
  silentProvider: 60_000,
  busyProvider: 90_000,
  slowProvider: 90_000,
  lateProvider: 90_000,
  forgetfulProvider: 60_000,
  unsearchableHistory: 60_000,
  lyingProvider: 15_000,
  lostSignals: 120_000,
  slowLedger: 180_000,
  haltedLedger: 240_000,
  lateFinality: 180_000,
  forks: 120_000,
  crowdedLedger: 90_000,
  unluckyLandings: 180_000,
} as const;

export type Fault = keyof typeof FAULTS;

/** What a seed decides before anything runs. */
export interface Plan {
  readonly processes: number;
  readonly providers: number;
  /** How many of the providers may lie or lose their history: at most half of them, and never the only one. */
  readonly faulty: number;
  /** How they lie. */
  readonly lies: readonly string[];
  readonly requests: number;
  /** How long faults come. */
  readonly chaosMs: number;
  readonly timing: Partial<RelayTiming>;
  readonly feedPollMs: number;
  readonly skewMs: number;
  /** The chance of a crash at each wait of a process. */
  readonly crashChance: number;
  /** The chance that a provider hints, true or not, that a signature is finalized; none in most worlds. */
  readonly hintChance: number;
  /** The chance of a lie, and of a crowded ledger, when a request is about to be signed and when it was. */
  readonly ambushChance: number;
  /** The chance that somebody else spends a nullifier. */
  readonly foreignChance: number;
  readonly faults: Partial<Record<Fault, number>>;
}

/** Each world has some of the faults: one with all of them would hide what happens with few. */
export function drawPlan(random: SeededRandom): Plan {
  const providers = random.pick([1, 2, 2, 3, 3, 3, 3, 4, 5]);
  const share = random.between(0.2, 0.8);
  const kinds = (Object.entries(FAULTS) as [Fault, number][]).filter(() => random.chance(share));
  const haste = random.between(0.5, 2);
  const faulty = Math.floor(providers / 2);
  const lies = Array.from({ length: random.whole(1, 4) }, () => random.pick(LIES));
  return {
    processes: random.pick([1, 2, 2, 3]),
    ...{ providers, faulty, lies },
    requests: random.whole(2, 6),
    chaosMs: random.between(4, 14) * 60_000,
    timing: {
      pollMs: random.pick([500, 5_000, 10_000, 20_000]),
      rebroadcastMs: random.pick([2_000, 2_000, 6_000]),
    },
    feedPollMs: random.pick([5_000, 20_000]),
    skewMs: random.pick([0, 1_000, 1_200_000]),
    crashChance: random.pick([0, 0.0002, 0.001, 0.004]),
    foreignChance: random.pick([0, 0.1, 0.3]),
    hintChance: random.fork('hints').pick([0, 0, 0.5]),
    ambushChance: random.fork('ambush').pick([0, 0.3, 0.7]),
    faults: Object.fromEntries(kinds.map(([kind, meanMs]) => [kind, meanMs * haste])),
  };
}
