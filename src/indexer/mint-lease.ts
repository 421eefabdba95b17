import { sql, type Database, type Transaction } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import type { Address } from '../ledger/index.js';

/**
 * The right to write what is indexed of one mint. Time is the database's `now()`: it is the one clock that all workers
 * share. The fencing token grows with each holder, so that one who lost the lease without noticing writes nothing.
 */
export interface MintLease {
  readonly assetId: Id<'ast'>;
  readonly mintAddress: Address;
  readonly owner: string;
  readonly fencingToken: number;
}

/** Somebody else holds the mint now, or nobody does any more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(readonly lease: MintLease) {
    super('The lease of the mint is lost.');
  }
}

export interface ClaimOptions {
  readonly owner: string;
  /** The most mints one worker holds. */
  readonly capacity: number;
  readonly leaseMs: number;
}

/** Says that the worker lives, extends its leases and answers those that it still holds. */
export async function renewLeases(
  database: Database,
  { owner, leaseMs }: Omit<ClaimOptions, 'capacity'>,
): Promise<readonly MintLease[]> {
  await database.rows(sql`
    insert into indexer_workers (instance_id, seen_at) values (${owner}, now())
    on conflict (instance_id) do update set seen_at = now()`);
  return database.rows(sql<MintLease>`
    update indexed_mints set lease_expires_at = now() + ${leaseMs} * interval '1 millisecond'
    where lease_owner = ${owner} and status <> 'disabled'
    returning asset_id as "assetId", mint_address as "mintAddress", lease_owner as "owner",
      fencing_token as "fencingToken"`);
}

/** How many mints this worker should hold, so that all that live hold about as many. */
export async function fairShare(database: Database, { capacity, leaseMs }: ClaimOptions): Promise<number> {
  const [counted] = await database.rows(sql<{ mints: number; workers: number }>`
    select (select count(*) from indexed_mints where status <> 'disabled') as "mints",
      (select count(*) from indexer_workers
        where seen_at > now() - ${leaseMs} * interval '1 millisecond') as "workers"`);
  const { mints = 0, workers = 0 } = counted ?? {};
  return Math.min(capacity, Math.ceil(mints / Math.max(1, workers)));
}

/** Takes up to `limit` mints that nobody holds, those that wait longest first. */
export function claimMints(
  database: Database,
  { owner, leaseMs, limit }: Omit<ClaimOptions, 'capacity'> & { readonly limit: number },
): Promise<MintLease[]> {
  return database.rows(sql<MintLease>`
    with free as materialized (
      select asset_id from indexed_mints
      where status <> 'disabled' and (lease_owner is null or lease_expires_at <= now())
      order by next_attempt_at limit ${limit} for update skip locked
    )
    update indexed_mints set lease_owner = ${owner},
      lease_expires_at = now() + ${leaseMs} * interval '1 millisecond', fencing_token = fencing_token + 1
    from free where indexed_mints.asset_id = free.asset_id
    returning indexed_mints.asset_id as "assetId", mint_address as "mintAddress", lease_owner as "owner",
      fencing_token as "fencingToken"`);
}

export async function releaseLease(database: Database, lease: MintLease): Promise<void> {
  await database.rows(sql`
    update indexed_mints set lease_owner = null, lease_expires_at = null
    where asset_id = ${lease.assetId} and lease_owner = ${lease.owner} and fencing_token = ${lease.fencingToken}`);
}

/** The worker ends: its share is the others' at once. */
export async function leaveWorkers(database: Database, owner: string): Promise<void> {
  await database.rows(sql`delete from indexer_workers where instance_id = ${owner}`);
}

/**
 * A transaction that holds the mint's row, so that the writes of a mint are one after the other.
 * @throws {LeaseLost} when the lease is no longer the caller's.
 */
export function underLease<Result>(
  database: Database,
  lease: MintLease,
  work: (transaction: Transaction, mint: { readonly recordCount: number }) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (transaction) => {
    const [mint] = await transaction.rows(sql<{ recordCount: number }>`
      select record_count as "recordCount" from indexed_mints
      where asset_id = ${lease.assetId} and lease_owner = ${lease.owner}
        and fencing_token = ${lease.fencingToken} and status <> 'disabled'
      for update`);
    if (!mint) throw new LeaseLost(lease);
    return work(transaction, mint);
  });
}
