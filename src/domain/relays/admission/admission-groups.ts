import {
  acrossOrganizations,
  countTogether,
  findFullWindows,
  named,
  query,
  sql,
  type Foundation,
  type Reader,
} from '../../../platform/database/index.js';
import type { LucarneError } from '../../../platform/kernel/errors.js';
import { grouped, type Failed } from '../../../platform/jobs/index.js';
import { usedUpBudgets, type BudgetScope, type UsedUpBudget } from '../relay-budget.js';
import type { Relay } from '../relay.js';
import { selectViews, type RelayView } from '../status/relay-view.js';
import { insertAccepted, type Submission } from './insert-relays.js';
import { firstNullifierOf } from './relay-identity.js';

/** How much the relayer accepts. */
export interface RelayLimits {
  /** Client requests (submissions and attempts) for each client address per minute. Repeats count. */
  readonly perClient: number;
  /** Packages with an invalid proof for each client address per minute. */
  readonly invalidPerClient: number;
  /** Accepted packages and attempts for each pool per minute. A package whose proof does not verify does not count. */
  readonly perPool: number;
  /** Requests that may wait for execution. */
  readonly queue: number;
}

/**
 * The statements of admission. While a statement runs, the submissions that need it next wait; it then runs once for all of
 * them. Each submission gets the same answer as it would alone.
 */
export interface AdmissionGroups {
  /** Counts a request of this client network, across all instances. @throws {LucarneError} `rate_limited` */
  readonly countClient: (network: string) => Promise<void>;
  readonly countInvalidProof: (network: string) => Promise<void>;
  readonly countPool: (poolSelector: string) => Promise<void>;
  /** The error for a client whose limit of invalid proofs is reached. */
  readonly findFullWindow: (network: string) => Promise<LucarneError | undefined>;
  /** The request that already exists for this package. */
  readonly findRepeated: (submission: Submission) => Promise<RelayView | undefined>;
  /** Number of requests that wait for execution, counted up to the limit. */
  readonly countWaiting: () => Promise<number>;
  readonly findUsedUpBudget: (scopes: readonly BudgetScope[]) => Promise<UsedUpBudget | undefined>;
  /**
   * Inserts a request with its nullifiers. Returns `undefined` and writes nothing if another request holds one of them.
   * @throws {LucarneError} `relayer_unavailable` if another transaction has locked one and does not end in time.
   */
  readonly insert: (submission: Submission) => Promise<Relay | undefined>;
}

export function createAdmissionGroups(foundation: Foundation, limits: RelayLimits): AdmissionGroups {
  const { database } = foundation;
  const counting = (keyOf: (name: string) => string, limit: number) => {
    const refusalOf = together<string, LucarneError | undefined>((keys) =>
      countTogether(foundation, keys, limit),
    );
    return async (name: string) => {
      const refusal = await refusalOf(keyOf(name));
      if (refusal) throw refusal;
    };
  };
  // Invalid proofs have a separate window, so that they do not use up anything that other clients need.
  const invalidOf = (network: string) => `relay-invalid:${network}`;
  const countWaiting = together<undefined, number>(async (group) => {
    const waiting = await countWaitingUpTo(database, limits.queue);
    return group.map(() => waiting);
  });
  return {
    countClient: counting((network) => `relay-client:${network}`, limits.perClient),
    countInvalidProof: counting(invalidOf, limits.invalidPerClient),
    countPool: counting((selector) => `relay-pool:${selector}`, limits.perPool),
    findFullWindow: together((networks) =>
      findFullWindows(foundation, networks.map(invalidOf), limits.invalidPerClient),
    ),
    findRepeated: together((group) => findRepeated(database, group)),
    countWaiting: () => countWaiting(undefined),
    findUsedUpBudget: together((group) => usedUpBudgets(database, group)),
    insert: together<Submission, Relay | undefined>((group, isApart) =>
      insertAccepted(foundation, group, isApart),
    ),
  };
}

/** The submissions of a group can belong to different organizations. */
const together = <Asked, Answer>(
  work: (group: readonly Asked[], isApart: boolean) => Promise<readonly (Answer | Failed)[]>,
) => grouped<Asked, Answer>((group, isApart) => acrossOrganizations(() => work(group, isApart)));

/** Looks up the first nullifier: an equal package has the same nullifiers. */
async function findRepeated(
  reader: Reader,
  group: readonly Submission[],
): Promise<(RelayView | undefined)[]> {
  // Does not use the circuit: the pool may no longer have it.
  const asked = group.flatMap(({ pool, digest, relayPackage }, at) => {
    const first = firstNullifierOf(relayPackage);
    return first ? [{ at, programId: pool.programId, digest, first }] : [];
  });
  if (asked.length === 0) return group.map(() => undefined);
  // With `offset 0`, each lookup stays a lookup, also in a plan that was made for empty tables.
  const repeated = query
    .selectFrom(
      sql<{ at: number; program_id: string; nullifier: Uint8Array; digest: Uint8Array }>`unnest(
        ${asked.map(({ at }) => at)}::integer[],
        ${asked.map(({ programId }) => programId)}::text[],
        ${asked.map(({ first }) => first)}::bytea[],
        ${asked.map(({ digest }) => digest)}::bytea[])`.as<'asked'>(
        sql`asked (at, program_id, nullifier, digest)`,
      ),
    )
    .innerJoinLateral(
      (from) =>
        from
          .selectFrom('relay_nullifiers')
          .select('request_id')
          .where('program_id', '=', sql.ref<Submission['pool']['programId']>('asked.program_id'))
          .whereRef('nullifier', '=', 'asked.nullifier')
          .offset(sql.lit(0))
          .as('held'),
      (join) => join.onTrue(),
    )
    .innerJoinLateral(
      (from) =>
        from
          .selectFrom('relay_requests')
          .select('id')
          .whereRef('id', '=', 'held.request_id')
          .whereRef('package_digest', '=', 'asked.digest')
          .offset(sql.lit(0))
          .as('requests'),
      (join) => join.onTrue(),
    )
    .select(['asked.at', 'requests.id']);
  const held = await reader.rows(named('relays_repeated', repeated));
  if (held.length === 0) return group.map(() => undefined);
  const views = await selectViews(
    reader,
    held.map(({ id }) => ({ id, after: 0 })),
    1,
  );
  const found = new Map(views.map((view) => [view.relayRequestId, view]));
  const ids = new Map(held.map(({ at, id }) => [at, id]));
  return group.map((_, at) => found.get(ids.get(at)!));
}

const WAITING = ['accepted', 'validating', 'queued'] as const;

/** Counts up to the limit only, so that a long queue does not cost more. */
async function countWaitingUpTo(reader: Reader, limit: number): Promise<number> {
  // Literals: the plan must see that they are those of the index.
  const counting = query
    .selectFrom((from) =>
      from
        .selectFrom('relay_requests')
        .select('id')
        .where(
          'status',
          'in',
          WAITING.map((status) => sql.lit(status)),
        )
        .limit(limit)
        .as('waiting'),
    )
    .select(sql<number>`count(*)::integer`.as('waiting'));
  const [{ waiting } = { waiting: 0 }] = await reader.rows(named('relays_waiting', counting));
  return waiting;
}
