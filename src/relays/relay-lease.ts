import { sql, type Database, type Transaction } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import { RELAY_COLUMNS, type Relay } from './relay.js';

/**
 * A request in the hands of one worker. Time is the database's `now()`, the one clock that all workers share. The
 * fencing token grows with each claim, so that who lost the lease without noticing changes nothing.
 */
export interface ClaimedRelay extends Relay {
  readonly sealedPackage: Uint8Array;
  readonly fencingToken: number;
  /** Who held it before did not give it back: what was under way may have been sent. */
  readonly isTakenOver: boolean;
}

/** Somebody else holds the request now, or it has ended. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor() {
    super('The lease of the relay request is lost.');
  }
}

export interface ClaimOptions {
  /** Another one for each process and each start. */
  readonly owner: string;
  readonly leaseMs: number;
}

/**
 * Takes up to `limit` requests that are due and that nobody holds, those that are due longest first; none that this worker
 * still works on, though it has lost them.
 */
export function claimRelays(
  database: Database,
  {
    owner,
    leaseMs,
    limit,
    underWay,
  }: ClaimOptions & { readonly limit: number; readonly underWay: readonly Id<'rly'>[] },
): Promise<ClaimedRelay[]> {
  return database.rows(sql<ClaimedRelay>`
    with free as materialized (
      select id, lease_owner from relay_requests
      where next_look_at <= now() and (lease_owner is null or lease_expires_at <= now())
        and id <> all(${[...underWay]}::text[])
      order by next_look_at limit ${limit} for update skip locked
    )
    update relay_requests set lease_owner = ${owner},
      lease_expires_at = now() + ${leaseMs} * interval '1 millisecond', fencing_token = fencing_token + 1
    from free where relay_requests.id = free.id
    returning ${RELAY_COLUMNS}, sealed_package as "sealedPackage", fencing_token as "fencingToken",
      free.lease_owner is not null as "isTakenOver"`);
}

/** The heartbeat of a worker: only for what it works on, so that what it lost track of becomes free. */
export async function renewLeases(
  database: Database,
  { owner, leaseMs }: ClaimOptions,
  ids: readonly Id<'rly'>[],
): Promise<void> {
  if (ids.length === 0) return;
  await database.rows(sql`
    update relay_requests set lease_expires_at = now() + ${leaseMs} * interval '1 millisecond'
    where lease_owner = ${owner} and id = any(${[...ids]}::text[])`);
}

export interface Release {
  readonly failedLooks: number;
  readonly nextLookInMilliseconds: number;
}

/** Gives the request back; without effect when it has ended, or is another's. */
export async function releaseRelay(
  database: Database,
  { id, fencingToken }: Pick<ClaimedRelay, 'id' | 'fencingToken'>,
  { failedLooks, nextLookInMilliseconds }: Release,
): Promise<void> {
  await database.rows(sql`
    update relay_requests set lease_owner = null, lease_expires_at = null, failed_looks = ${failedLooks},
      next_look_at = now() + ${nextLookInMilliseconds} * interval '1 millisecond'
    where id = ${id} and fencing_token = ${fencingToken} and next_look_at is not null`);
}

/**
 * Holds the request's row, so that what is written of a request is written by one.
 * @throws {LeaseLost}
 */
export async function holdRelay(
  transaction: Transaction,
  { id, fencingToken }: Pick<ClaimedRelay, 'id' | 'fencingToken'>,
): Promise<void> {
  const [held] = await transaction.rows(sql`
    select id from relay_requests where id = ${id} and fencing_token = ${fencingToken} for update`);
  if (!held) throw new LeaseLost();
}
