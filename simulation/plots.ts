import type { Fault } from './fault-kinds.ts';

/** One fault of a plot. */
export interface Scene {
  readonly fault: Fault;
  /** The lie of a `lyingProvider`. Default: one of the world's lies. */
  readonly lie?: string;
  /** Minimum and maximum duration. Default: any duration. */
  readonly forMs?: readonly [number, number];
  /** Hits every provider that it can hit, and every transaction that is sent. */
  readonly isTotal?: boolean;
}

export interface Plot {
  /** Faults when a request is about to be signed. */
  readonly queued?: readonly Scene[];
  /** Faults when a request was signed. */
  readonly signed?: readonly Scene[];
}

/** Longer than the lifetime of a blockhash. */
const PAST_EXPIRY = [90_000, 240_000] as const;
/** As long as signing takes. */
const WHILE_SIGNING = [500, 3_000] as const;

const ANY: readonly Scene[] = [{ fault: 'lyingProvider' }, { fault: 'crowdedLedger' }];
const LOST: Scene = { fault: 'lostTransactions', forMs: PAST_EXPIRY };
const FAILED: Scene = { fault: 'unluckyLandings', forMs: [10_000, 30_000], isTotal: true };
const lie = (name: string, forMs: Scene['forMs']): Scene => ({
  ...{ fault: 'lyingProvider', lie: name, isTotal: true },
  ...(forMs && { forMs }),
});

/**
 * Faults that occur together in the seconds around a signature. Faults at random times rarely hit these seconds, and then most
 * rules are never needed.
 */
export const PLOTS = {
  'any lie': { queued: ANY, signed: ANY },
  'old numbers at signing': { queued: [lie('old numbers', WHILE_SIGNING)], signed: [LOST] },
  'an early death': { signed: [lie('invents death by expiry', [10_000, 35_000])] },
  'a death before its time': { signed: [lie('invents death', [48_000, 55_000])] },
  'a provider that stays silent': {
    signed: [{ fault: 'silentProvider', forMs: [900_000, 1_200_000] }, LOST],
  },
  'early numbers': { signed: [lie('early numbers', PAST_EXPIRY), LOST] },
  'an invented blockhash at signing': { queued: [lie('invented blockhash', WHILE_SIGNING)] },
  'wrong heights at signing': { queued: [lie('slots as heights', WHILE_SIGNING)], signed: [LOST] },
  'an invented success': { signed: [lie('invents success', PAST_EXPIRY), LOST] },
  'a success far ahead': { signed: [lie('invents success far ahead', [10_000, 40_000]), LOST] },
  'a success without effect': { signed: [lie('invents success without effect', [10_000, 40_000]), LOST] },
  'a failure that some deny': { signed: [FAILED, lie('status unknown', PAST_EXPIRY)] },
  'a failure that nobody can search for': {
    signed: [FAILED, { fault: 'unsearchableHistory', forMs: PAST_EXPIRY, isTotal: true }],
  },
  'a success that nobody can search for': {
    signed: [{ fault: 'unsearchableHistory', forMs: PAST_EXPIRY, isTotal: true }],
  },
  'a success that some forget': {
    signed: [{ fault: 'forgetfulProvider', forMs: PAST_EXPIRY, isTotal: true }],
  },
  'a crash after signing': { signed: [{ fault: 'crash', forMs: [1_000, 40_000] }, LOST] },
  'a pause after signing': { signed: [{ fault: 'pause', forMs: [31_000, 90_000] }] },
  'lost transactions': { signed: [LOST] },
  'a payer whose key is away': { queued: [{ fault: 'signerAway', forMs: [400_000, 600_000] }] },
  'a payer without its reserve': { queued: [{ fault: 'poorPayer', forMs: [150_000, 300_000] }] },
  'no payer with its reserve': {
    queued: [{ fault: 'poorPayer', forMs: [150_000, 300_000], isTotal: true }],
  },
  'a payer that retires': { queued: [{ fault: 'retiredPayer' }], signed: [{ fault: 'retiredPayer' }, LOST] },
} as const satisfies Readonly<Record<string, Plot>>;

export type PlotName = keyof typeof PLOTS;
export const PLOT_NAMES = Object.keys(PLOTS) as PlotName[];
