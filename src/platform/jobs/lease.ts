import { sql, type RawBuilder } from 'kysely';

/** Another worker holds the row, or the row was deleted. The worker that lost the lease stops and writes nothing. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(what: string) {
    super(`The lease of the ${what} was lost.`);
  }
}

/** The owner and the duration of a lease. */
export interface LeaseTerms {
  /** The name of one worker, different for each process and each start. */
  readonly owner: string;
  readonly durationMs: number;
}

/**
 * A lease in the columns `lease_owner`, `lease_expires_at` and `fencing_token` of a row. Time is the database's
 * `now()`, the one clock that all workers share. The fencing token grows with each claim: a statement with the token
 * of an earlier claim changes nothing after another worker has claimed the row.
 */
export interface Lease {
  readonly owner: string;
  readonly fencingToken: number;
}

/** When a lease that is taken or renewed now expires. */
export const leaseExpiry = ({ durationMs }: Pick<LeaseTerms, 'durationMs'>): RawBuilder<Date> =>
  sql<Date>`now() + ${durationMs} * interval '1 millisecond'`;

/** The columns that a claim sets. */
export const claimedBy = (terms: LeaseTerms) => ({
  lease_owner: terms.owner,
  lease_expires_at: leaseExpiry(terms),
  fencing_token: sql<number>`fencing_token + 1`,
});

/** The columns that releasing a lease sets. */
export const RELEASED = { lease_owner: null, lease_expires_at: null } as const;

/** Whether the row can be claimed: it was never held, it was released, or its lease expired. */
export const isFree: RawBuilder<boolean> = sql<boolean>`(lease_owner is null or lease_expires_at <= now())`;

/** The opposite of {@link isFree}: a worker holds the row. */
export const isLeased: RawBuilder<boolean> = sql<boolean>`not ${isFree}`;

export interface LeaseRenewal {
  /** The leased object, as {@link LeaseLost} names it. */
  readonly what: string;
  /** At most a third of the lease, so that one failure does not lose it. */
  readonly intervalMs: number;
  /** Extends the lease. Returns false if the worker no longer holds it. */
  readonly renew: () => Promise<boolean>;
  /** Called after a renewal that failed. The lease is not lost yet: the next renewal comes before it expires. */
  readonly failed: (thrown: unknown) => void;
}

/** A lease that is renewed until it is disposed of. */
export interface KeptLease extends Disposable {
  /** Aborts with {@link LeaseLost}. */
  readonly signal: AbortSignal;
}

/** Renews a lease while its holder works. Each write of the holder also checks the lease. */
export function keepLease({ what, intervalMs, renew, failed }: LeaseRenewal): KeptLease {
  const lost = new AbortController();
  let isRenewing = false;
  const renewal = setInterval(() => {
    // A renewal can wait until its holder commits. More of them would take the connections of others.
    if (isRenewing) return;
    isRenewing = true;
    renew()
      .then((held) => {
        if (!held) lost.abort(new LeaseLost(what));
      }, failed)
      .finally(() => {
        isRenewing = false;
      });
  }, intervalMs);
  return { signal: lost.signal, [Symbol.dispose]: () => clearInterval(renewal) };
}
