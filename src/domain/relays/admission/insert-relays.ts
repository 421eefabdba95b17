import {
  countedWithin,
  query,
  refusal,
  sql,
  sqlStateOf,
  template,
  violatedConstraint,
  windowDigests,
  type CountedWithin,
  type Foundation,
  type Reader,
} from '../../../platform/database/index.js';
import { Failed } from '../../../platform/jobs/index.js';
import { unavailable, type LucarneError } from '../../../platform/kernel/errors.js';
import { idDigest, newCapabilityId, type Id } from '../../../platform/kernel/ids.js';
import { namedApplications, type PoolDescriptor } from '../pools/pool-descriptor.js';
import { DUE_RELAYS_TOPIC, relaysTopic, relayTopic, type Relay } from '../relay.js';
import type { RelayPackage } from '../packages/relay-package.js';
import { sealPackage } from '../packages/sealed-package.js';

/** A package for a pool that this relayer serves. */
export interface Submission {
  readonly pool: PoolDescriptor;
  readonly relayPackage: RelayPackage;
  /** {@link canonicalBytes} of the package, and their SHA-256. */
  readonly canonical: Uint8Array;
  readonly digest: Uint8Array;
  /** 32 bytes each; empty for an unknown circuit. */
  readonly nullifiers: readonly Uint8Array[];
  /** Identifies the client whose daily budget pays. */
  readonly clientHash: Uint8Array;
}

/** While a group waits for a lock, all submissions wait. A healthy transaction commits at once. */
const LOCK_TIMEOUT_MS = 1_000;
/** For the submissions of a group that timed out, which are then inserted one at a time. */
const LOCK_TIMEOUT_APART_MS = 100;
/** Maximum number of tries of a group while other instances take nullifiers of it. */
const MAX_TRIES_TOGETHER = 3;

/**
 * Accepts the packages of a group, whose proofs are valid: counts each in the window of its pool, and inserts its request with
 * its nullifiers. For each submission, returns `undefined`, and neither counts nor writes, if another request holds one of its
 * nullifiers. A single submission fails with `rate_limited` beyond the limit of its pool, and with `relayer_unavailable` if
 * another transaction holds a lock on a nullifier for too long; a group then throws.
 *
 * Valid proofs are public once they are on the ledger: sent again, they must not use up the window that all clients share.
 */
export async function insertAccepted(
  foundation: Foundation,
  group: readonly Submission[],
  perPool: number,
  isApart: boolean,
): Promise<(Relay | undefined | Failed)[]> {
  const limits = { perPool, lockTimeoutMs: isApart ? LOCK_TIMEOUT_APART_MS : LOCK_TIMEOUT_MS };
  for (let tries = 1; ; tries += 1)
    try {
      return await insertTogether(foundation, group, limits);
    } catch (thrown) {
      const isSingle = group.length === 1;
      if (isSingle && isLockTimeout(thrown)) return [new Failed(notAccepted(thrown))];
      if (isSingle && isHeldNullifier(thrown)) return [undefined];
      // Another instance took a nullifier after the statement began. Begun again, it finds it.
      if (!isHeldNullifier(thrown) || tries === MAX_TRIES_TOGETHER) throw thrown;
    }
}

const isHeldNullifier = (thrown: unknown) => violatedConstraint(thrown) === 'relay_nullifiers_pkey';
const isLockTimeout = (thrown: unknown) => sqlStateOf(thrown) === '55P03';

export const notAccepted = (cause?: unknown) =>
  unavailable('The package could not be accepted. Try again.', {
    reason: 'relayer_unavailable',
    retryAfterSeconds: 1,
    cause,
  });

async function insertTogether(
  foundation: Foundation,
  group: readonly Submission[],
  limits: AcceptanceLimits,
): Promise<(Relay | undefined | Failed)[]> {
  const { signals } = foundation;
  const { accepted, counted } = await acceptRequests(foundation.database, foundation, group, limits);
  const relays = accepted.flatMap(({ relay }) => relay ?? []);
  logCreated(foundation, relays);
  for (const { relay, organizationIds } of accepted) {
    if (!relay) continue;
    signals.publish(relayTopic(relay.id));
    for (const id of organizationIds) signals.publish(relaysTopic(id));
  }
  if (relays.length > 0) signals.publish(DUE_RELAYS_TOPIC);
  await countedWithin.afterwards(foundation, counted);
  return accepted.map(({ relay, refused }) => (refused ? new Failed(refused) : relay));
}

/** The key of the window that counts what a pool accepts, and the attempts, in a minute. */
export const poolWindowOf = (poolSelector: string) => `relay-pool:${poolSelector}`;

interface AcceptanceLimits {
  readonly perPool: number;
  readonly lockTimeoutMs: number;
}

interface Acceptance {
  readonly relay: Relay | undefined;
  readonly organizationIds: readonly Id<'org'>[];
  /** Beyond the limit of the pool. */
  readonly refused: LucarneError | undefined;
}

/**
 * Uses one statement, because submitters wait for each. If PostgreSQL refuses it, nothing is counted. The window of a pool is
 * locked until the commit, so the groups of all instances that are for one pool take turns.
 * @returns One for each submission; with neither a relay nor a refusal if another request holds one of its nullifiers.
 */
export async function acceptRequests(
  reader: Reader,
  { sealer }: Pick<Foundation, 'sealer'>,
  group: readonly Submission[],
  { perPool, lockTimeoutMs }: AcceptanceLimits,
): Promise<{ readonly accepted: readonly Acceptance[]; readonly counted: CountedWithin }> {
  const requests = group.map((submission) => ({ ...submission, id: newCapabilityId('rly') }));
  const column = <Value>(valueOf: (request: (typeof requests)[number]) => Value) => requests.map(valueOf);
  const wanted = requests.flatMap(({ id, nullifiers }) => nullifiers.map((one) => ({ id, one })));
  const hinted = requests.flatMap(({ id, pool, relayPackage }) =>
    namedApplications(pool, relayPackage.applicationIdHints).map((name) => ({ id, name })),
  );
  const [row] = await reader.rows(
    accept({
      ids: column(({ id }) => id),
      poolSelectors: column(({ pool }) => pool.poolSelector),
      programIds: column(({ pool }) => pool.programId),
      digests: column(({ digest }) => digest),
      sealed: column(({ id, canonical }) => sealPackage(sealer, id, canonical)),
      clientHashes: column(({ clientHash }) => clientHash),
      windows: windowDigests(
        sealer,
        column(({ pool }) => poolWindowOf(pool.poolSelector)),
      ),
      ...{ perPool, lockTimeout: `${lockTimeoutMs}ms` },
      wanting: wanted.map(({ id }) => id),
      nullifiers: wanted.map(({ one }) => one),
      hinting: hinted.map(({ id }) => id),
      hints: hinted.map(({ name }) => name),
    }),
  );
  if (!row) throw new Error('A group was not accepted.');
  const [inserted, held] = [new Set(row.accepted), new Set(row.held)];
  const organizationsOf = Map.groupBy(row.named, ([request]) => request);
  const accepted = requests.map(({ id, pool, digest }) => ({
    relay: inserted.has(id) ? newRelay(id, pool, digest, row.at!) : undefined,
    organizationIds: organizationsOf.get(id)?.map(([, organization]) => organization) ?? [],
    refused: inserted.has(id) || held.has(id) ? undefined : refusal(perPool, row.secondsLeft),
  }));
  return { accepted, counted: row };
}

export const FIRST_STATUS = 'accepted';

export const newRelay = (id: Id<'rly'>, pool: PoolDescriptor, digest: Uint8Array, at: Date): Relay => ({
  ...{ id, poolSelector: pool.poolSelector, programId: pool.programId, packageDigest: digest },
  ...{ status: FIRST_STATUS, sequence: 1, reason: null, attemptNumber: null, failedLooks: 0 },
  ...{ waitingFor: null, createdAt: at, updatedAt: at },
});

/** The columns of new rows, and the limits. */
interface AcceptedColumns {
  readonly ids: readonly Id<'rly'>[];
  readonly poolSelectors: readonly string[];
  readonly programIds: readonly string[];
  readonly digests: readonly Uint8Array[];
  readonly sealed: readonly Uint8Array[];
  readonly clientHashes: readonly Uint8Array[];
  /** Digests of the windows that count the requests. */
  readonly windows: readonly Uint8Array[];
  readonly perPool: number;
  readonly lockTimeout: string;
  /** The request of each nullifier. */
  readonly wanting: readonly Id<'rly'>[];
  readonly nullifiers: readonly Uint8Array[];
  /** The request of each hint. */
  readonly hinting: readonly Id<'rly'>[];
  readonly hints: readonly string[];
}

// Each list is read by a sub-select: otherwise PostgreSQL plans the statement again for each number of requests.
const accept = template('relays_accepted', (columns: AcceptedColumns) =>
  query
    // With the clock of the database, which also decides when workers claim.
    .with(
      'asked',
      () => sql<NewRequest>`(select asked.*, clock.at
        from (select clock_timestamp()::timestamptz(3) as at) as clock,
        unnest(
          (select ${columns.ids}::text[]),
          (select ${columns.poolSelectors}::text[]),
          (select ${columns.programIds}::text[]),
          (select ${columns.digests}::bytea[]),
          (select ${columns.sealed}::bytea[]),
          (select ${columns.clientHashes}::bytea[]),
          (select ${columns.windows}::bytea[])
        ) with ordinality as asked
          (id, pool_selector, program_id, package_digest, sealed_package, client_hash, key_hash, position))`,
    )
    .with(
      'wanted',
      () => sql<{ request_id: Id<'rly'>; nullifier: Uint8Array }>`(select * from unnest(
        (select ${columns.wanting}::text[]), (select ${columns.nullifiers}::bytea[])) as wanted (request_id, nullifier))`,
    )
    // With `offset 0`, a lookup stays one, also in a plan that was made for empty tables.
    .with('held', (cte) =>
      cte
        .selectFrom('wanted')
        .innerJoin('asked', 'asked.id', 'wanted.request_id')
        .innerJoinLateral(
          (from) =>
            from
              .selectFrom('relay_nullifiers')
              .select('request_id as holder')
              .whereRef('program_id', '=', 'asked.program_id')
              .whereRef('nullifier', '=', 'wanted.nullifier')
              .offset(sql.lit(0))
              .as('held'),
          (join) => join.onTrue(),
        )
        .select('asked.id')
        .distinct(),
    )
    .with('allowed', (cte) =>
      cte
        .selectFrom('asked')
        .select(['position', 'key_hash'])
        .where('id', 'not in', (from) => from.selectFrom('held').select('id')),
    )
    .with('added', countedWithin.added)
    .with('counted', () => countedWithin.counted(columns.perPool))
    .with('passed', () => countedWithin.passed(columns.perPool))
    // Set when all windows are counted, which other groups lock until they are on disk, and before a nullifier is inserted.
    .with(
      'setting',
      () => sql<{ lock_timeout: string; windows: number }>`(
        select set_config('lock_timeout', ${columns.lockTimeout}, true) as lock_timeout, count(*) as windows from counted)`,
    )
    .with('request', (cte) =>
      cte
        .insertInto('relay_requests')
        .columns([
          ...(['id', 'pool_selector', 'program_id', 'package_digest', 'sealed_package'] as const),
          ...(['client_hash', 'status', 'sequence', 'next_look_at', 'failed_looks'] as const),
          ...(['fencing_token', 'created_at', 'updated_at'] as const),
        ])
        .expression((from) =>
          from
            .selectFrom('asked')
            .innerJoin('passed', 'passed.position', 'asked.position')
            .crossJoin('setting')
            .select([
              ...(['id', 'pool_selector', 'program_id', 'package_digest', 'sealed_package'] as const),
              'client_hash',
              sql<typeof FIRST_STATUS>`${sql.lit(FIRST_STATUS)}`.as('status'),
              sql<number>`1`.as('sequence'),
              sql<Date>`now()`.as('next_look_at'),
              sql<number>`0`.as('failed_looks'),
              sql<number>`0`.as('fencing_token'),
              'at as created_at',
              'at as updated_at',
            ]),
        )
        .returning(['id', 'program_id', 'pool_selector', 'sequence', 'status', 'created_at']),
    )
    .with('event', (cte) =>
      cte
        .insertInto('relay_events')
        .columns(['request_id', 'sequence', 'status', 'evidence', 'created_at'])
        .expression((from) =>
          from
            .selectFrom('request')
            .select(['id', 'sequence', 'status', sql<object>`'{}'::jsonb`.as('evidence'), 'created_at']),
        ),
    )
    .with('nullifier', (cte) =>
      cte
        .insertInto('relay_nullifiers')
        .columns(['program_id', 'nullifier', 'request_id'])
        .expression((from) =>
          from
            .selectFrom('wanted')
            .innerJoin('request', 'request.id', 'wanted.request_id')
            .select(['request.program_id', 'wanted.nullifier', 'request.id'])
            // All groups insert nullifiers in the same order, so that two groups never wait for each other.
            .orderBy('request.program_id')
            .orderBy('wanted.nullifier'),
        ),
    )
    .with('named', (cte) =>
      cte
        .selectFrom(
          sql<{ request_id: Id<'rly'>; name: string }>`unnest(
              (select ${columns.hinting}::text[]), (select ${columns.hints}::text[]))`.as<'asked'>(
            sql`asked (request_id, name)`,
          ),
        )
        .innerJoin('request', 'request.id', 'asked.request_id')
        // With `offset 0`, a lookup stays one, also in a plan that was made for an empty table.
        .innerJoinLateral(
          (from) =>
            from
              .selectFrom('applications')
              .select(['id', 'organization_id'])
              .whereRef('check_application_id', '=', 'asked.name')
              .offset(sql.lit(0))
              .as('applications'),
          (join) => join.onTrue(),
        )
        .select([
          ...(['applications.id as application', 'applications.organization_id as organization'] as const),
          ...(['request.id as request', 'request.created_at as at'] as const),
          ...(['request.pool_selector as pool', 'request.status'] as const),
        ])
        .distinct(),
    )
    // Only organizations that serve the pool: a hint in a package must not add to the log of any other.
    .with('organization', (cte) =>
      cte
        .insertInto('relay_organizations')
        .columns(['organization_id', 'request_id', 'accepted_at', 'pool_selector', 'status'])
        .expression((from) =>
          from.selectFrom('named').select(['organization', 'request', 'at', 'pool', 'status']).distinct(),
        )
        .returning(['organization_id', 'request_id']),
    )
    .with('application', (cte) =>
      cte
        .insertInto('relay_applications')
        .columns(['application_id', 'request_id', 'organization_id', 'accepted_at'])
        .expression((from) =>
          from.selectFrom('named').select(['application', 'request', 'organization', 'at']),
        ),
    )
    .selectNoFrom([
      sql<readonly Id<'rly'>[]>`array(select id from request)`.as('accepted'),
      sql<readonly Id<'rly'>[]>`array(select id from held)`.as('held'),
      sql<Date | null>`(select min(created_at) from request)`.as('at'),
      sql<
        readonly (readonly [Id<'rly'>, Id<'org'>])[]
      >`coalesce((select jsonb_agg(jsonb_build_array(request_id, organization_id)) from organization), '[]')`.as(
        'named',
      ),
      ...countedWithin.columns(),
    ]),
);

/** Logs a digest of each id: anyone who has the id can read and retry the request, and logs have many readers. */
export function logCreated({ log }: Pick<Foundation, 'log'>, relays: readonly Relay[]): void {
  for (const { id, poolSelector } of relays)
    log.info({ relay: idDigest(id), pool: poolSelector }, 'Relay request created.');
}

interface NewRequest {
  readonly id: Id<'rly'>;
  readonly pool_selector: string;
  readonly program_id: PoolDescriptor['programId'];
  readonly package_digest: Uint8Array;
  readonly sealed_package: Uint8Array;
  readonly client_hash: Uint8Array;
  readonly key_hash: Uint8Array;
  readonly position: number;
  readonly at: Date;
}
