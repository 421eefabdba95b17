import type { RelayTiming } from '#lucarne/domain/relays/execution/relay-timing.js';
import { FAULTS, type Fault } from './fault-kinds.ts';
import { LIES } from './lies.ts';
import { PLOT_NAMES, type PlotName } from './plots.ts';
import type { SeededRandom } from './random.ts';

/** Properties that stay the same for the life of a world. */
export interface Setup {
  /** Number of periods with faults. Days to weeks pass between two of them. */
  readonly storms: number;
  readonly processes: number;
  /** Number of accounts that pay. If there are two, one may be retired. */
  readonly payers: 1 | 2;
  readonly providers: number;
  /** Number of providers that may lie or lose their history: at most half of them, and never the only one. */
  readonly faulty: number;
  /** The longest time that each provider takes for an answer, also without a fault. Zero in most worlds. */
  readonly answerMs: number;
  readonly timing: Partial<RelayTiming>;
  readonly feedPollMs: number;
  readonly skewMs: number;
}

/** One period with faults. */
export interface Storm {
  /** The lies that providers may tell. */
  readonly lies: readonly string[];
  readonly requests: number;
  /** The share of packages with an invalid proof. */
  readonly refutedShare: number;
  /** How long faults occur. */
  readonly chaosMs: number;
  /** The chance of a crash at each wait of a process. */
  readonly crashChance: number;
  /** The chance that a provider hints, correctly or not, that a signature is finalized. Zero in most worlds. */
  readonly hintChance: number;
  /** The faults that may hit a request just before and just after it is signed. */
  readonly plot: PlotName;
  /** The chance that they do, each time. */
  readonly ambushChance: number;
  /** Whether wallets repeat submissions and ask for attempts more often. */
  readonly isImpatient: boolean;
  /** The chance that another party spends a nullifier. */
  readonly foreignChance: number;
  readonly faults: Partial<Record<Fault, number>>;
}

/** Everything that a seed decides before the world starts. */
export type Plan = Setup & Storm;

export const setupOf = ({
  storms,
  processes,
  payers,
  providers,
  faulty,
  answerMs,
  timing,
  feedPollMs,
  skewMs,
}: Plan): Setup => ({
  ...{ storms, processes, payers, providers, faulty, answerMs, timing, feedPollMs, skewMs },
});

/** Each world has only some of the faults: a world with all of them would hide what happens with few. */
export function drawPlan(random: SeededRandom): Plan {
  const providers = random.pick([1, 2, 2, 3, 3, 3, 3, 4, 5]);
  const share = random.between(0.2, 0.8);
  const kinds = (Object.entries(FAULTS) as [Fault, number][]).filter(() => random.chance(share));
  const haste = random.between(0.5, 2);
  const faulty = Math.floor(providers / 2);
  const lies = Array.from({ length: random.whole(1, 4) }, () => random.pick(LIES));
  return {
    storms: random.fork('life').whole(1, 3),
    processes: random.pick([1, 2, 2, 3]),
    payers: random.fork('payers').pick([1, 2]),
    ...{ providers, faulty, lies },
    answerMs: random.fork('answers').pick([0, 0, 0, 0, 0, 4_000]),
    requests: random.whole(2, 6),
    refutedShare: 0.05,
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
    plot: random.fork('plot').pick(['any lie', ...PLOT_NAMES]),
    ambushChance: random.fork('ambush').pick([0, 0.3, 0.7]),
    isImpatient: random.fork('wallets').chance(0.3),
    faults: Object.fromEntries(kinds.map(([kind, meanMs]) => [kind, meanMs * haste])),
  };
}
