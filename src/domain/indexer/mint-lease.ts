import { IndexedMintEntity } from '../assets/index.js';
import {
  aliasedColumnsOf,
  query,
  sql,
  type Database,
  type RowOf,
  type Transaction,
} from '../../platform/database/index.js';
import {
  claimedBy,
  isFree,
  leaseExpiry,
  LeaseLost,
  RELEASED,
  type Lease,
  type LeaseTerms,
} from '../../platform/jobs/index.js';

/** The right to write the index of one mint. */
export interface MintLease extends Lease, Pick<RowOf<typeof IndexedMintEntity>, 'assetId' | 'mintAddress'> {}

/** A worker, and its maximum number of mints. */
export interface ClaimTerms extends LeaseTerms {
  readonly capacity: number;
}

/** Reports that the worker is alive, extends its leases and returns those that it still holds. */
export async function renewLeases(database: Database, terms: LeaseTerms): Promise<readonly MintLease[]> {
  const seenAt = sql<Date>`now()`;
  await database.rows(
    query
      .insertInto('indexer_workers')
      .values({ instance_id: terms.owner, seen_at: seenAt })
      .onConflict((worker) => worker.column('instance_id').doUpdateSet({ seen_at: seenAt })),
  );
  const renewed = await database.rows(
    query
      .updateTable('indexed_mints')
      .set({ lease_expires_at: leaseExpiry(terms) })
      .where('lease_owner', '=', terms.owner)
      .where('status', '<>', 'disabled')
      .returning(LEASE_COLUMNS),
  );
  return renewed.map((mint) => ({ ...mint, owner: terms.owner }));
}

/** The number of mints that this worker should hold, so that all live workers hold about the same number. */
export async function fairShare(database: Database, { capacity, durationMs }: ClaimTerms): Promise<number> {
  const [counted] = await database.rows(
    query.selectNoFrom((counts) => [
      counts
        .selectFrom('indexed_mints')
        .where('status', '<>', 'disabled')
        .select((mint) => mint.fn.countAll<number>().as('count'))
        .as('mints'),
      counts
        .selectFrom('indexer_workers')
        .where('seen_at', '>', sql<Date>`now() - ${durationMs} * interval '1 millisecond'`)
        .select((worker) => worker.fn.countAll<number>().as('count'))
        .as('workers'),
    ]),
  );
  return Math.min(capacity, Math.ceil((counted?.mints ?? 0) / Math.max(1, counted?.workers ?? 0)));
}

/**
 * The mints with their places within their organization: leased mints come before free ones. Organizations take turns in
 * the order of places, so that one that binds many mints does not delay the others.
 */
const placedMints = query
  .selectFrom('indexed_mints')
  .innerJoin('assets', 'assets.id', 'indexed_mints.asset_id')
  .where('indexed_mints.status', '<>', 'disabled')
  .select(['asset_id', 'lease_owner', 'verified', 'next_attempt_at', isFree.as('is_free')])
  .select(
    sql<number>`row_number() over (
      partition by assets.organization_id order by ${isFree}, verified desc, next_attempt_at, asset_id)`.as(
      'place',
    ),
  );

/**
 * Claims at most `limit` free mints, of each organization in turn. Mints that were seen with the organization's key come
 * first, and in both groups those that have waited longest.
 */
export async function claimMints(database: Database, terms: LeaseTerms, limit: number): Promise<MintLease[]> {
  const claimed = await database.rows(
    query
      .with('next', (mints) =>
        mints
          .selectFrom(placedMints.as('placed'))
          .select('asset_id')
          .where('is_free', '=', true)
          .orderBy('place')
          .orderBy('verified', 'desc')
          .orderBy('next_attempt_at')
          .limit(limit),
      )
      // Materialized: the planner must not run the locking read once for each row.
      .with(
        (free) => free('free').materialized(),
        (mints) =>
          mints
            .selectFrom('indexed_mints')
            .select('asset_id')
            .where('asset_id', 'in', (next) => next.selectFrom('next').select('asset_id'))
            .where(isFree)
            .forUpdate()
            .skipLocked(),
      )
      .updateTable('indexed_mints')
      .from('free')
      .set(claimedBy(terms))
      .whereRef('indexed_mints.asset_id', '=', 'free.asset_id')
      .returning(LEASE_COLUMNS),
  );
  return claimed.map((mint) => ({ ...mint, owner: terms.owner }));
}

/** The mints that a full worker should release, each for a free mint whose organization has fewer before it. */
export async function mintsToYield(
  database: Database,
  { owner }: Pick<LeaseTerms, 'owner'>,
): Promise<MintLease['assetId'][]> {
  const yielded = await database.rows(
    query
      .with('placed', () => placedMints)
      .with('held', (mints) =>
        mints
          .selectFrom('placed')
          .where('lease_owner', '=', owner)
          .where('is_free', '=', false)
          .select(['asset_id', 'place', sql<number>`row_number() over (order by place desc)`.as('turn')]),
      )
      .with('waiting', (mints) =>
        mints
          .selectFrom('placed')
          .where('is_free', '=', true)
          .select(['place', sql<number>`row_number() over (order by place)`.as('turn')]),
      )
      .selectFrom('held')
      .innerJoin('waiting', 'waiting.turn', 'held.turn')
      .whereRef('waiting.place', '<', 'held.place')
      .select('held.asset_id as assetId'),
  );
  return yielded.map(({ assetId }) => assetId);
}

export async function releaseLease(database: Database, lease: MintLease): Promise<void> {
  await database.rows(
    query
      .updateTable('indexed_mints')
      .set(RELEASED)
      .where('asset_id', '=', lease.assetId)
      .where('lease_owner', '=', lease.owner)
      .where('fencing_token', '=', lease.fencingToken),
  );
}

/** The worker stops, and other workers can take its share at once. */
export async function leaveWorkers(database: Database, owner: string): Promise<void> {
  await database.rows(query.deleteFrom('indexer_workers').where('instance_id', '=', owner));
}

interface HeldMint {
  readonly recordCount: number;
  readonly verifiedSlot: number | null;
  readonly observed: boolean;
}

/**
 * A transaction that locks the mint's row, so that the writes of a mint run one after the other.
 *
 * @throws {LeaseLost} if the caller no longer holds the lease
 */
export function underLease<Result>(
  database: Database,
  lease: MintLease,
  work: (transaction: Transaction, mint: HeldMint) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (transaction) => {
    const [mint] = await transaction.rows(
      query
        .selectFrom('indexed_mints')
        .select(['record_count as recordCount', 'verified_slot as verifiedSlot', 'observed'])
        .where('asset_id', '=', lease.assetId)
        .where('lease_owner', '=', lease.owner)
        .where('fencing_token', '=', lease.fencingToken)
        .where('status', '<>', 'disabled')
        .forUpdate(),
    );
    if (!mint) throw new LeaseLost('mint');
    return work(transaction, mint);
  });
}

/**
 * {@link underLease} for records. The mint must be observed, verified, or formerly verified and not yet indexed up to the
 * change of its key.
 *
 * @throws {LeaseLost} also for any other mint
 */
export function underVerifiedLease<Result>(
  database: Database,
  lease: MintLease,
  work: (transaction: Transaction, mint: HeldMint) => Promise<Result>,
): Promise<Result> {
  return underLease(database, lease, (transaction, mint) => {
    if (mint.verifiedSlot === null && !mint.observed) throw new LeaseLost('mint');
    return work(transaction, mint);
  });
}

const LEASE_COLUMNS = aliasedColumnsOf('indexed_mints', IndexedMintEntity, [
  'assetId',
  'mintAddress',
  'fencingToken',
]);
