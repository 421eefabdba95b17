import type { RelayTiming } from '#lucarne/domain/relays/execution/relay-timing.js';
import { FAULTS, type Fault } from './fault-kinds.ts';
import { LIES } from './lies.ts';
import { PLOT_NAMES, type PlotName } from './plots.ts';
import type { SeededRandom } from './random.ts';

/** What stays as it is for the life of a world. */
export interface Setup {
  /** Times with faults. Days to weeks lie between two of them. */
  readonly storms: number;
  readonly processes: number;
  /** The accounts that pay. One of two may be retired. */
  readonly payers: 1 | 2;
  readonly providers: number;
  /** How many of the providers may lie or lose their history: at most half of them, and never the only one. */
  readonly faulty: number;
  readonly timing: Partial<RelayTiming>;
  readonly feedPollMs: number;
  readonly skewMs: number;
}

/** One time with faults. */
export interface Storm {
  /** How providers lie. */
  readonly lies: readonly string[];
  readonly requests: number;
  /** The share of packages whose proof does not verify. */
  readonly refutedShare: number;
  /** How long faults come. */
  readonly chaosMs: number;
  /** The chance of a crash at each wait of a process. */
  readonly crashChance: number;
  /** The chance that a provider hints, true or not, that a signature is finalized; none in most worlds. */
  readonly hintChance: number;
  /** What may meet a request when it is about to be signed, and when it was. */
  readonly plot: PlotName;
  /** The chance that it does, each time. */
  readonly ambushChance: number;
  /** Wallets repeat submissions and ask for attempts more often. */
  readonly isImpatient: boolean;
  /** The chance that somebody else spends a nullifier. */
  readonly foreignChance: number;
  readonly faults: Partial<Record<Fault, number>>;
}

/** What a seed decides before anything runs. */
export type Plan = Setup & Storm;

export const setupOf = ({
  storms,
  processes,
  payers,
  providers,
  faulty,
  timing,
  feedPollMs,
  skewMs,
}: Plan): Setup => ({
  ...{ storms, processes, payers, providers, faulty, timing, feedPollMs, skewMs },
});

/** Each world has some of the faults: one with all of them would hide what happens with few. */
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
