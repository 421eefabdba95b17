/** Faults that affect only payers. */
export const OF_PAYERS: ReadonlySet<Fault> = new Set(['retiredPayer', 'signerAway', 'poorPayer']);
/** The kinds of faults, with the average interval in milliseconds at which each occurs in a world that has it. */
export const FAULTS = {
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
  lostTransactions: 240_000,
  crash: 300_000,
  retiredPayer: 300_000,
  signerAway: 180_000,
  poorPayer: 180_000,
} as const;

export type Fault = keyof typeof FAULTS;
