import { Lanes } from '../../jobs/index.js';
import { unavailable } from '../../kernel/errors.js';
import { presentShare } from './acting-for.js';

/** As long as anyone waits for a connection. */
const MAX_WAIT_MS = 5_000;

/**
 * Runs work that holds a connection. At most `places` pieces of work of one organization run at a time: transactions can wait for
 * each other's locks, and must not use up the connections of all others.
 *
 * @throws `UNAVAILABLE` if the organization's own work leaves no place in time.
 */
export function sharesOfOrganizations(places: number) {
  const lanes = new Lanes(() => places);
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const share = presentShare();
    if (share === undefined) return work();
    const signal = AbortSignal.timeout(MAX_WAIT_MS);
    return lanes.run(share, work, { signal }).catch((thrown: unknown) => {
      if (!signal.aborted || thrown !== signal.reason) throw thrown;
      throw unavailable('Your organization has too many changes in progress. Try again.', {
        cause: thrown,
        retryAfterSeconds: 5,
      });
    });
  };
}
