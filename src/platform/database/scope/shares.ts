import { Lanes } from '../../jobs/index.js';
import { unavailable } from '../../kernel/errors.js';
import { presentShare } from './acting-for.js';

/** As long as anyone waits for a connection. */
const MAX_WAIT_MS = 5_000;

/** Runs work that holds a connection when the share of its organization has a place. */
export interface Shares {
  /** @throws `UNAVAILABLE` if the organization's own work leaves no place in time. */
  read<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Throws as {@link read}. */
  change<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * What one organization may use of the connections of an instance, so that slow reads, and changes that wait for each other's
 * locks, leave connections to all others: four fifths, of which changes get at most half of all, so that they leave
 * some to the organization's own reads.
 */
export function sharesOfOrganizations(connections: number): Shares {
  const places = new Lanes(() => Math.max(1, Math.floor((connections * 4) / 5)));
  const changes = new Lanes(() => Math.ceil(connections / 2));
  return {
    read(work) {
      const share = presentShare();
      return share === undefined ? work() : places.run(share, work, TURN_OF_READS);
    },
    change(work) {
      const share = presentShare();
      if (share === undefined) return work();
      const begunAt = performance.now();
      const turn = (waitedMs: number) => ({
        patience: { ms: MAX_WAIT_MS - waitedMs, tooLate: tooManyChanges },
      });
      const inPlace = () => places.run(share, work, turn(performance.now() - begunAt));
      return changes.run(share, inPlace, turn(0));
    },
  };
}

const tooMany = (what: string) =>
  unavailable(`Your organization has too many ${what} in progress. Try again.`, { retryAfterSeconds: 5 });
const tooManyChanges = () => tooMany('changes');
const TURN_OF_READS = { patience: { ms: MAX_WAIT_MS, tooLate: () => tooMany('reads') } };
