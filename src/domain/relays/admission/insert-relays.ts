import {
  query,
  sql,
  sqlStateOf,
  template,
  violatedConstraint,
  type Foundation,
  type Reader,
} from '../../../platform/database/index.js';
import { Failed } from '../../../platform/jobs/index.js';
import { hex } from '../../../platform/kernel/encoding/bytes.js';
import { unavailable } from '../../../platform/kernel/errors.js';
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

/**
 * Inserts the requests of a group with their nullifiers. For each submission, returns `undefined` and writes nothing if another
 * request holds one of its nullifiers. A single submission fails with `relayer_unavailable` if it would have to wait for
 * another transaction; a group throws.
 */
export async function insertAccepted(
  foundation: Foundation,
  group: readonly Submission[],
  isApart: boolean,
): Promise<(Relay | undefined | Failed)[]> {
  try {
    return await insertTogether(foundation, group, isApart ? LOCK_TIMEOUT_APART_MS : LOCK_TIMEOUT_MS);
  } catch (thrown) {
    if (group.length === 1 && isHeldNullifier(thrown)) return [undefined];
    if (group.length === 1 && isLockTimeout(thrown)) return [new Failed(notAccepted(thrown))];
    if (!isHeldNullifier(thrown)) throw thrown;
    const free = await findFree(foundation.database, group);
    if (free.size === 0 || free.size === group.length) throw thrown;
    const inserted = await insertAccepted(foundation, [...free], isApart);
    const answers = new Map([...free].map((one, at) => [one, inserted[at]]));
    return group.map((one) => answers.get(one));
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
  lockTimeoutMs: number,
): Promise<Relay[]> {
  const { database, signals } = foundation;
  const inserted = await insertRequests(database, foundation, group, { lockTimeoutMs });
  logCreated(foundation, inserted);
  for (const { relay, organizationIds } of inserted) {
    signals.publish(relayTopic(relay.id));
    for (const id of organizationIds) signals.publish(relaysTopic(id));
  }
  signals.publish(DUE_RELAYS_TOPIC);
  return inserted.map(({ relay }) => relay);
}

/** Submissions whose nullifiers are held neither by a request nor by an earlier submission of the group. */
async function findFree(reader: Reader, group: readonly Submission[]): Promise<ReadonlySet<Submission>> {
  const asked = group.flatMap(({ pool, nullifiers }) =>
    nullifiers.map((nullifier) => ({ programId: pool.programId, nullifier })),
  );
  const rows = await reader.rows(
    query
      .selectFrom(
        sql<{ program_id: string; nullifier: Uint8Array }>`unnest(
          ${asked.map(({ programId }) => programId)}::text[],
          ${asked.map(({ nullifier }) => nullifier)}::bytea[])`.as<'asked'>(
          sql`asked (program_id, nullifier)`,
        ),
      )
      .innerJoin('relay_nullifiers as held', (join) =>
        join
          .on('held.program_id', '=', sql.ref('asked.program_id'))
          .onRef('held.nullifier', '=', 'asked.nullifier'),
      )
      .select(['held.program_id', 'held.nullifier']),
  );
  const nameOf = (programId: string, nullifier: Uint8Array) => `${programId} ${hex.encode(nullifier)}`;
  const held = new Set(rows.map(({ program_id, nullifier }) => nameOf(program_id, nullifier)));
  const free = new Set<Submission>();
  for (const one of group) {
    const names = one.nullifiers.map((nullifier) => nameOf(one.pool.programId, nullifier));
    if (names.some((name) => held.has(name))) continue;
    free.add(one);
    for (const name of names) held.add(name);
  }
  return free;
}

interface Inserted {
  readonly relay: Relay;
  readonly organizationIds: readonly Id<'org'>[];
}

/**
 * Inserts requests. If their packages are kept, also inserts the nullifiers that they hold and the organizations that they
 * belong to, and waits at most `lockTimeoutMs` for a lock. Uses one statement, because submitters wait for each.
 */
export async function insertRequests(
  reader: Reader,
  { sealer }: Pick<Foundation, 'sealer'>,
  group: readonly Submission[],
  kept: { readonly lockTimeoutMs: number } | undefined,
): Promise<readonly Inserted[]> {
  const requests = group.map((submission) => ({ ...submission, id: newCapabilityId('rly') }));
  const column = <Value>(valueOf: (request: (typeof requests)[number]) => Value) => requests.map(valueOf);
  const held = kept ? requests.flatMap(({ id, nullifiers }) => nullifiers.map((one) => ({ id, one }))) : [];
  const hinted = kept
    ? requests.flatMap(({ id, pool, relayPackage }) =>
        namedApplications(pool, relayPackage.applicationIdHints).map((name) => ({ id, name })),
      )
    : [];
  const [row] = await reader.rows(
    (kept ? insertKept : insertRefused)({
      ids: column(({ id }) => id),
      poolSelectors: column(({ pool }) => pool.poolSelector),
      programIds: column(({ pool }) => pool.programId),
      digests: column(({ digest }) => digest),
      sealed: column(({ id, canonical }) => (kept ? sealPackage(sealer, id, canonical) : null)),
      clientHashes: column(({ clientHash }) => (kept ? clientHash : null)),
      ...(kept && { lockTimeout: `${kept.lockTimeoutMs}ms` }),
      holders: held.map(({ id }) => id),
      nullifiers: held.map(({ one }) => one),
      hinting: hinted.map(({ id }) => id),
      hints: hinted.map(({ name }) => name),
    }),
  );
  if (row?.requests !== requests.length) throw new Error('A group was not inserted.');
  const organizationsOf = Map.groupBy(row.named ?? [], ([request]) => request);
  return requests.map(({ id, pool: { poolSelector, programId }, digest }) => ({
    relay: {
      ...{ id, poolSelector, programId, packageDigest: digest, status: FIRST_STATUS, sequence: 1 },
      ...{ reason: null, attemptNumber: null, failedLooks: 0, waitingFor: null },
      ...{ createdAt: row.at, updatedAt: row.at },
    },
    organizationIds: organizationsOf.get(id)?.map(([, organization]) => organization) ?? [],
  }));
}

const FIRST_STATUS = 'accepted';

/** The columns of new rows. */
interface InsertedColumns {
  readonly ids: readonly Id<'rly'>[];
  readonly poolSelectors: readonly string[];
  readonly programIds: readonly string[];
  readonly digests: readonly Uint8Array[];
  readonly sealed: readonly (Uint8Array | null)[];
  readonly clientHashes: readonly (Uint8Array | null)[];
  readonly lockTimeout?: string;
  /** The request of each nullifier. */
  readonly holders: readonly Id<'rly'>[];
  readonly nullifiers: readonly Uint8Array[];
  /** The request of each hint. */
  readonly hinting: readonly Id<'rly'>[];
  readonly hints: readonly string[];
}

const insertKept = template('relays_accepted', (columns: InsertedColumns) => insertOf(columns, true));
const insertRefused = template('relays_refused', (columns: InsertedColumns) => insertOf(columns, false));

// Each list is read by a sub-select: otherwise PostgreSQL plans the statement again for each number of requests.
function insertOf(columns: InsertedColumns, areKept: boolean) {
  // Every insert reads this row, so the timeout is set before any of them waits.
  const lockTimeout = areKept
    ? sql`set_config('lock_timeout', ${columns.lockTimeout}, true)`
    : sql`current_setting('lock_timeout')`;
  // Uses the clock of the database, which also decides when workers claim.
  const rows = sql<NewRequest>`
    (select new_request.*, clock.at
      from (select clock_timestamp()::timestamptz(3) as at, ${lockTimeout} as lock_timeout) as clock, unnest(
      (select ${columns.ids}::text[]),
      (select ${columns.poolSelectors}::text[]),
      (select ${columns.programIds}::text[]),
      (select ${columns.digests}::bytea[]),
      (select ${columns.sealed}::bytea[]),
      (select ${columns.clientHashes}::bytea[])
    ) as new_request (id, pool_selector, program_id, package_digest, sealed_package, client_hash))`.as<'new_request'>(
    'new_request',
  );
  return (
    query
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
              .selectFrom(rows)
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
              .selectFrom(
                sql<{ request_id: Id<'rly'>; nullifier: Uint8Array }>`unnest(
                  (select ${columns.holders}::text[]), (select ${columns.nullifiers}::bytea[]))`.as<'held'>(
                  sql`held (request_id, nullifier)`,
                ),
              )
              .innerJoin('request', 'request.id', 'held.request_id')
              .select(['request.program_id', 'held.nullifier', 'request.id'])
              // All groups insert nullifiers in the same order, so that two groups never wait for each other.
              .orderBy('request.program_id')
              .orderBy('held.nullifier'),
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
      .selectFrom('request')
      .select([
        sql<number>`count(*)::integer`.as('requests'),
        sql<Date>`min(created_at)`.as('at'),
        sql<
          readonly (readonly [Id<'rly'>, Id<'org'>])[] | null
        >`(select jsonb_agg(jsonb_build_array(request_id, organization_id)) from organization)`.as('named'),
      ])
  );
}

/** Logs a digest of each id: anyone who has the id can read and retry the request, and logs have many readers. */
export function logCreated({ log }: Pick<Foundation, 'log'>, inserted: readonly Inserted[]): void {
  for (const { relay } of inserted)
    log.info({ relay: idDigest(relay.id), pool: relay.poolSelector }, 'Relay request created.');
}

interface NewRequest {
  readonly id: Id<'rly'>;
  readonly pool_selector: string;
  readonly program_id: PoolDescriptor['programId'];
  readonly package_digest: Uint8Array;
  readonly sealed_package: Uint8Array | null;
  readonly client_hash: Uint8Array | null;
  readonly at: Date;
}
