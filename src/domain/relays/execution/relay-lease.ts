import {
  aliasedColumnsOf,
  jsonb,
  query,
  sql,
  type Database,
  type RowOf,
  type Transaction,
} from '../../../platform/database/index.js';
import {
  claimedBy,
  isFree,
  leaseExpiry,
  LeaseLost,
  RELEASED,
  type LeaseTerms,
} from '../../../platform/jobs/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { Wait } from '../waits.js';
import { RELAY_PROPERTIES } from '../relay.js';
import { RelayRequestEntity } from '../relay.entity.js';

/** A request that one worker holds by a lease. */
export type ClaimedRelay = Pick<
  RowOf<typeof RelayRequestEntity>,
  (typeof RELAY_PROPERTIES)[number] | 'fencingToken'
> & {
  readonly sealedPackage: Uint8Array;
  /** Whether the previous worker did not release it: it may have sent a transaction. */
  readonly isTakenOver: boolean;
};

/** The statuses in which a transaction may have been sent. */
const SIGNED = ['submitted', 'reconciling'] as const;

/**
 * Claims up to `limit` requests that are due and free, the longest due first. Skips those in `underWay`, which this worker
 * still processes although it lost their leases. Requests in `early` that have a signed transaction are claimed before they are
 * due and before all others: one more look may end them. A worker that cannot sign claims only requests with a signed
 * transaction.
 */
export function claimRelays(
  database: Database,
  lease: LeaseTerms & {
    readonly limit: number;
    readonly underWay: readonly Id<'rly'>[];
    readonly early: readonly Id<'rly'>[];
    readonly canSign: boolean;
  },
): Promise<ClaimedRelay[]> {
  return database.rows(
    query
      // Materialized, so that the rows are chosen and locked once.
      .with(
        (name) => name('free').materialized(),
        (free) =>
          free
            .selectFrom('relay_requests')
            .select(['id', 'lease_owner'])
            .where((row) => {
              const isDue = row('next_look_at', '<=', sql<Date>`now()`);
              if (lease.early.length === 0) return isDue;
              const isEarly = row.and([row('id', 'in', lease.early), row('status', 'in', SIGNED)]);
              return row.or([isDue, isEarly]);
            })
            .where(isFree)
            .$if(!lease.canSign, (free) => free.where('status', 'in', SIGNED))
            .where('id', '<>', sql<Id<'rly'>>`all(${[...lease.underWay]}::text[])`)
            // Sorts by `early` only if it is not empty: otherwise the index alone finds the first rows.
            .$if(lease.early.length > 0, (free) =>
              free.orderBy((row) => row('id', '=', sql<Id<'rly'>>`any(${[...lease.early]}::text[])`), 'desc'),
            )
            .orderBy('next_look_at')
            .limit(lease.limit)
            .forUpdate()
            .skipLocked(),
      )
      .updateTable('relay_requests as claimed')
      .from('free')
      .set(claimedBy(lease))
      .whereRef('claimed.id', '=', 'free.id')
      .returning([
        ...aliasedColumnsOf('claimed', RelayRequestEntity, [...RELAY_PROPERTIES, 'fencingToken']),
        // Only a rejected request has no package, and a rejected request is never due.
        sql<Uint8Array>`claimed.sealed_package`.as('sealedPackage'),
        sql<boolean>`free.lease_owner is not null`.as('isTakenOver'),
      ]),
  );
}

/** Renews the leases of the requests that a worker processes. A request that it lost track of becomes free. */
export async function renewLeases(
  database: Database,
  lease: LeaseTerms,
  ids: readonly Id<'rly'>[],
): Promise<void> {
  if (ids.length === 0) return;
  await database.rows(
    query
      .updateTable('relay_requests')
      .set({ lease_expires_at: leaseExpiry(lease) })
      .where('lease_owner', '=', lease.owner)
      .where('id', 'in', ids),
  );
}

export interface Release {
  readonly failedLooks: number;
  readonly nextLookInMs: number;
  readonly waitingFor: Wait | null;
  /** What the look found; absent if there was no look. */
  readonly look?: JsonObject;
}

/** Releases the request. Does nothing if the request has ended or another worker holds it. */
export async function releaseRelay(
  database: Database,
  { id, fencingToken }: Pick<ClaimedRelay, 'id' | 'fencingToken'>,
  { failedLooks, nextLookInMs, waitingFor, look }: Release,
): Promise<void> {
  await database.rows(
    query
      .updateTable('relay_requests')
      .set({
        ...RELEASED,
        failed_looks: failedLooks,
        waiting_for: waitingFor,
        next_look_at: inMs(nextLookInMs),
        ...(look && { last_look: jsonb(look), last_look_at: sql<Date>`clock_timestamp()` }),
      })
      .where('id', '=', id)
      .where('fencing_token', '=', fencingToken)
      .where('next_look_at', 'is not', null),
  );
}

/** A time by the database's clock, which also decides when workers claim. */
const inMs = (durationMs: number) => sql<Date>`now() + ${durationMs} * interval '1 millisecond'`;

/**
 * Locks the row of the request, so that only one worker writes about it.
 * @throws {LeaseLost}
 */
export async function holdRelay(
  transaction: Transaction,
  { id, fencingToken }: Pick<ClaimedRelay, 'id' | 'fencingToken'>,
): Promise<void> {
  const [held] = await transaction.rows(
    query
      .selectFrom('relay_requests')
      .select('id')
      .where('id', '=', id)
      .where('fencing_token', '=', fencingToken)
      .forUpdate(),
  );
  if (!held) throw relayLeaseLost();
}

export const relayLeaseLost = () => new LeaseLost('relay request');
