import {
  acrossOrganizations,
  countTogether,
  fullWindows,
  query,
  refusal,
  sql,
  template,
  windowDigests,
  type Foundation,
  type Reader,
} from '../../../platform/database/index.js';
import { hex } from '../../../platform/kernel/encoding/bytes.js';
import type { LucarneError } from '../../../platform/kernel/errors.js';
import { grouped, type Failed } from '../../../platform/jobs/index.js';
import {
  budgetScopes,
  DEFAULT_RELAY_BUDGETS,
  poolHashOf,
  usedUpBudgets,
  type RelayBudgets,
  type UsedUpBudget,
} from '../relay-budget.js';
import type { Relay } from '../relay.js';
import { selectViews, type RelayView } from '../status/relay-view.js';
import { insertAccepted, poolWindowOf, type Submission } from './insert-relays.js';
import { firstNullifierOf } from '../packages/relay-identity.js';
import { createWaitingRelays } from './waiting-relays.js';

/** How much the relayer accepts. */
export interface RelayLimits {
  /** Client requests (submissions and attempts) for each client address per minute. Repeats count. */
  readonly perClient: number;
  /** Packages with an invalid proof for each client address per minute. */
  readonly invalidPerClient: number;
  /**
   * Packages with a valid proof and free nullifiers, and attempts, for each pool per minute. Equal packages that arrive
   * together count once.
   */
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
  /** Counts an attempt for its pool. @throws {LucarneError} `rate_limited` */
  readonly countAttempt: (poolSelector: string) => Promise<void>;
  /** The request that already exists for this package. */
  readonly findRepeated: (submission: Submission) => Promise<RelayView | undefined>;
  /** Number of requests that wait for execution, counted up to the limit: see {@link createWaitingRelays}. */
  readonly countWaiting: () => Promise<number>;
  readonly findRoom: (asked: RoomAsked) => Promise<RoomFound>;
  /**
   * Accepts a package with a valid proof: counts it for its pool, and inserts its request with its nullifiers. Returns
   * `undefined`, and neither counts nor writes, if another request holds one of them.
   * @throws {LucarneError} `rate_limited`; `relayer_unavailable` if another transaction has locked a nullifier and does not end in time.
   */
  readonly accept: (submission: Submission) => Promise<Relay | undefined>;
}

/** Whose limits and budgets may leave no room. */
export interface RoomAsked {
  /** The network of the client that submits. */
  readonly network: string;
  readonly poolSelector: string;
  readonly clientHash: Uint8Array | null;
}

export interface RoomFound {
  /** The first budget that is used up. */
  readonly usedUp: UsedUpBudget | undefined;
  /** The error for a client whose limit of invalid proofs is reached. */
  readonly refusal: LucarneError | undefined;
}

export function createAdmissionGroups(
  foundation: Foundation,
  limits: RelayLimits,
  budgets: RelayBudgets = DEFAULT_RELAY_BUDGETS,
): AdmissionGroups {
  const { database } = foundation;
  const counting = (keyOf: (name: string) => string, limit: number) => {
    const refusalOf = together<string, LucarneError | undefined>((keys) =>
      countTogether(foundation, keys, limit),
    );
    return async (name: string) => {
      const refused = await refusalOf(keyOf(name));
      if (refused) throw refused;
    };
  };
  const waiting = createWaitingRelays(foundation, limits.queue);
  const countWaiting = together<undefined, number>(async (group) => {
    const counted = await waiting.count();
    return group.map(() => counted);
  });
  return {
    countClient: counting((network) => `relay-client:${network}`, limits.perClient),
    countInvalidProof: counting(invalidOf, limits.invalidPerClient),
    countAttempt: counting(poolWindowOf, limits.perPool),
    findRepeated: together((group) => findRepeated(database, group)),
    countWaiting: () => countWaiting(undefined),
    findRoom: together((group) => findRoom(foundation, limits, budgets, group)),
    accept: together<Submission, Relay | undefined>(async (group, isApart) => {
      const accepted = await insertAccepted(foundation, group, limits.perPool, isApart);
      waiting.accepted(group.length);
      return accepted;
    }),
  };
}

// Invalid proofs have a separate window, so that they do not use up anything that other clients need.
const invalidOf = (network: string) => `relay-invalid:${network}`;

/** The submissions of a group can belong to different organizations. */
const together = <Asked, Answer>(
  work: (group: readonly Asked[], isApart: boolean) => Promise<readonly (Answer | Failed)[]>,
) => grouped<Asked, Answer>((group, isApart) => acrossOrganizations(() => work(group, isApart)));

interface RepeatedKeys {
  /** Position in the group of the submission, and its program, first nullifier and digest. */
  readonly at: readonly number[];
  readonly programIds: readonly string[];
  readonly nullifiers: readonly Uint8Array[];
  readonly digests: readonly Uint8Array[];
}

// With `offset 0`, each lookup stays a lookup, also in a plan that was made for empty tables.
const selectRepeated = template('relays_repeated', ({ at, programIds, nullifiers, digests }: RepeatedKeys) =>
  query
    .selectFrom(
      sql<{ at: number; program_id: string; nullifier: Uint8Array; digest: Uint8Array }>`unnest(
        (select ${at}::integer[]), (select ${programIds}::text[]),
        (select ${nullifiers}::bytea[]), (select ${digests}::bytea[]))`.as<'asked'>(
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
    .select(['asked.at', 'requests.id']),
);

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
  const held = await reader.rows(
    selectRepeated({
      at: asked.map(({ at }) => at),
      programIds: asked.map(({ programId }) => programId),
      nullifiers: asked.map(({ first }) => first),
      digests: asked.map(({ digest }) => digest),
    }),
  );
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

interface RoomKeys {
  /** Digests of the windows of invalid proofs, and their limit. */
  readonly windows: readonly Uint8Array[];
  readonly limit: number;
  readonly budgets: readonly Uint8Array[];
  readonly lamports: readonly number[];
}

// Raw: beyond the builder (it selects from no table, only what its parts select).
const selectRoom = template(
  'relays_room',
  ({ windows, limit, budgets, lamports }: RoomKeys) => sql<{
    full: number[];
    windowEnds: number;
    usedUp: number[];
    dayEnds: number;
  }>`select ${fullWindows.among(windows, limit)} as full, ${fullWindows.secondsLeft()} as "windowEnds",
    ${usedUpBudgets.among(budgets, lamports)} as "usedUp", ${usedUpBudgets.secondsLeft()} as "dayEnds"`,
);

async function findRoom(
  { database, sealer }: Foundation,
  { invalidPerClient: limit }: RelayLimits,
  budgets: RelayBudgets,
  group: readonly RoomAsked[],
): Promise<RoomFound[]> {
  // Most of a group have the same pool, and many the same client.
  const networks = [...new Set(group.map(({ network }) => network))];
  const selectors = new Set(group.map(({ poolSelector }) => poolSelector));
  const poolHashes = new Map([...selectors].map((selector) => [selector, poolHashOf(sealer, selector)]));
  const scopesOf = group.map(({ poolSelector, clientHash }) =>
    budgetScopes(budgets, poolHashes.get(poolSelector)!, clientHash),
  );
  const named = new Map(scopesOf.flat().map((scope) => [hex.encode(scope.hash), scope]));
  const [row] = await database.rows(
    selectRoom({
      windows: windowDigests(sealer, networks.map(invalidOf)),
      limit,
      budgets: [...named.values()].map(({ hash }) => hash),
      lamports: [...named.values()].map(({ lamportsPerDay }) => lamportsPerDay),
    }),
  );
  if (!row) throw new Error('The room cannot be read.');
  const full = new Set(row.full.map((at) => networks[at - 1]));
  const names = [...named.keys()];
  const usedUp = new Set(row.usedUp.map((at) => names[at - 1]));
  return group.map(({ network }, at) => {
    const scope = scopesOf[at]!.find(({ hash }) => usedUp.has(hex.encode(hash)));
    return {
      usedUp: scope && { scope, secondsLeft: row.dayEnds },
      refusal: full.has(network) ? refusal(limit, row.windowEnds) : undefined,
    };
  });
}
