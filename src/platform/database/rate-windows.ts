import type { RawBuilder } from 'kysely';
import type { Sealer } from '../crypto/index.js';
import { hex } from '../kernel/encoding/bytes.js';
import { tooManyRequests, type LucarneError } from '../kernel/errors.js';
import type { Database } from './database.js';
import type { Foundation } from './foundation.js';
import { query } from './query.js';
import { sql, withoutFlush } from './sql.js';
import { template } from './statement.js';

const WINDOW_SECONDS = 60;

/** What counting needs. */
type Counter = Pick<Foundation, 'database' | 'sealer' | 'log'>;

/** The counted requests, and their limit. */
export interface RateWindow {
  /** Begins with the kind of request, such as `check:192.0.2.1`. Only a keyed digest of it is stored. */
  readonly key: string;
  /** Requests in a minute. */
  readonly limit: number;
}

/**
 * Counts a request in the current minute, across all instances, with one statement. If one window refuses it, later windows
 * do not count it. Windows are fixed UTC minutes: around the turn of a minute, up to twice the limit can pass within 60 s.
 * The database clock is used, so that instances with different clocks share one window; `now` is for tests. The call does
 * not wait for the disk: if the database server fails, counts of its last second may be lost.
 *
 * @throws `TOO_MANY_REQUESTS` (`rate_limited`) beyond the limit of one of them, with the seconds until the next window.
 */
export async function countInWindows(
  counter: Counter,
  windows: readonly RateWindow[],
  now = sql<Date>`now()`,
): Promise<void> {
  const { database: reader, sealer } = counter;
  const startedAt = startOf(now);
  const name = (index: number) => sql.ref(`counted_${index}`);
  // Beyond the builder: one expression for each window, which reads the one before it.
  // Past the limit the row is not written anymore: a flood makes no dead rows.
  const counts = windows.map(
    ({ key, limit }, index) => sql`${name(index)} as (
      insert into rate_windows (key_hash, started_at, requests)
      select ${digestOf(sealer, key)}::bytea, ${startedAt}, 1
        where ${index === 0 ? sql`true` : sql`exists (select from ${name(index - 1)})`}
      on conflict (key_hash, started_at) do update set requests = rate_windows.requests + 1
        where rate_windows.requests < ${limit}
      returning requests)`,
  );
  const requests = windows.map((_, index) => sql`select requests from ${name(index)}`);
  const [row] = await reader.rows(
    sql<{ startedAt: Date; secondsLeft: number; counted: number[] }>`
      with ${sql.join(counts)}
      select ${startedAt} as "startedAt",
        ${secondsLeftOf(now)} as "secondsLeft",
        array(${sql.join(requests, sql` union all `)}) as counted,
        ${withoutFlush} as "setting"`,
  );
  if (!row) throw new Error('The windows cannot be counted.');
  const refusing = windows[row.counted.length];
  if (refusing) throw refusal(refusing.limit, row.secondsLeft);
  // The first request of a window removes some windows that ended: the table stays as small as the clients of a minute.
  if (row.counted.includes(1)) await deleteSomeEnded(counter, row.startedAt);
}

/**
 * Counts a group of requests, each in the window of its key, with one statement, as {@link countInWindows} would one after
 * the other. All windows have the same limit. A window that reaches the limit stores a number beyond it, by the number of
 * refusals.
 *
 * @returns The refusal of each request: of those with the same key, the first ones pass.
 */
export async function countTogether(
  counter: Counter,
  keys: readonly string[],
  limit: number,
  fixed?: RawBuilder<Date>,
): Promise<(LucarneError | undefined)[]> {
  const digests = windowDigests(counter.sealer, keys).map(hex.encode);
  const asked = Map.groupBy(digests, (digest) => digest);
  const group = {
    digests: [...asked.keys()],
    requests: [...asked.values()].map(({ length }) => length),
    limit,
  };
  const rows = await counter.database.rows(fixed ? countOf(group, fixed) : countNow(group));
  const roomFor = new Map(
    rows.map(({ digest, requests }) => [
      digest,
      requests === null ? 0 : asked.get(digest)!.length - Math.max(0, requests - limit),
    ]),
  );
  const [row] = rows;
  if (row && rows.some(({ digest, requests }) => requests === asked.get(digest)!.length))
    await deleteSomeEnded(counter, row.startedAt);
  return digests.map((digest) => {
    const left = roomFor.get(digest)!;
    roomFor.set(digest, left - 1);
    return left > 0 ? undefined : refusal(limit, row!.secondsLeft);
  });
}

interface CountedGroup {
  /** In hex. */
  readonly digests: readonly string[];
  /** Number of requests of each. */
  readonly requests: readonly number[];
  readonly limit: number;
}

interface GroupCounted {
  readonly startedAt: Date;
  readonly secondsLeft: number;
  readonly digest: string;
  /** Null beyond the limit. */
  readonly requests: number | null;
}

const countNow = template('counted_together', (group: CountedGroup) => countOf(group, sql<Date>`now()`));

// Raw: beyond the builder (unnest of lists).
const countOf = ({ digests, requests, limit }: CountedGroup, now: RawBuilder<Date>) =>
  sql<GroupCounted>`
      with added as (
        select decode(digest, 'hex') as key_hash, digest, requests
        from unnest((select ${digests}::text[]), (select ${requests}::integer[])) as added (digest, requests)),
      counted as (${countAdded(limit, now)})
      select ${startOf(now)} as "startedAt", ${secondsLeftOf(now)} as "secondsLeft", added.digest, counted.requests,
        ${withoutFlush} as "setting"
      from added left join counted on counted.key_hash = added.key_hash`;

// In one order, so that two groups never wait for each other.
const countAdded = (limit: number, now: RawBuilder<Date>) => sql<{ key_hash: Uint8Array; requests: number }>`
        insert into rate_windows (key_hash, started_at, requests)
        select key_hash, ${startOf(now)}, requests from added order by key_hash
        on conflict (key_hash, started_at) do update set requests = rate_windows.requests + excluded.requests
          where rate_windows.requests < ${limit}
        returning key_hash, requests`;

/** What a statement with {@link countedWithin} selects. */
export interface CountedWithin {
  readonly startedAt: Date;
  readonly secondsLeft: number;
  /** Whether a window began. */
  readonly hasBegun: boolean;
}

/**
 * Counts requests as part of a statement of the caller, as {@link countTogether} does. The statement has these parts in its
 * `with`, under their names, and before them `allowed`, with the `position` and the `key_hash` of each request that is counted.
 */
export const countedWithin = {
  added: () =>
    sql<{ key_hash: Uint8Array; requests: number }>`(
      select key_hash, count(*)::integer as requests from allowed group by key_hash)`,

  counted: (limit: number) =>
    sql<{ key_hash: Uint8Array; requests: number }>`(${countAdded(limit, sql`now()`)})`,

  /** The positions of the requests that pass: of those with the same key, the first ones. */
  passed: (limit: number) =>
    sql<{ position: number }>`(
      select position from (
          select position, key_hash, row_number() over (partition by key_hash order by position) as nth from allowed) as one
        join added using (key_hash) join counted using (key_hash)
      where nth <= added.requests - greatest(0, counted.requests - ${limit}::integer))`,

  /** What the statement selects for {@link CountedWithin}. */
  columns: () =>
    [
      startOf(sql`now()`).as('startedAt'),
      secondsLeftOf(sql`now()`).as('secondsLeft'),
      sql<boolean>`exists (
        select from counted join added using (key_hash) where counted.requests = added.requests)`.as(
        'hasBegun',
      ),
    ] as const,

  /** Call it after the statement. */
  async afterwards(counter: Counter, { hasBegun, startedAt }: CountedWithin): Promise<void> {
    if (hasBegun) await deleteSomeEnded(counter, startedAt);
  },
};

/** Finds full windows as part of a statement of the caller. Counts nothing. */
export const fullWindows = {
  /** The positions, from 1, of the windows that a request would exceed. */
  among(digests: readonly Uint8Array[], limit: number): RawBuilder<number[]> {
    // With `offset 0`, each lookup stays a lookup, also in a plan that was made for empty tables.
    return sql<number[]>`array(
      select asked.at::integer from unnest((select ${digests}::bytea[])) with ordinality as asked (digest, at)
      cross join lateral (select from rate_windows where key_hash = asked.digest and started_at = ${startOf(sql<Date>`now()`)}
        and requests >= ${limit}::integer offset 0) as full_windows)`;
  },

  secondsLeft: () => secondsLeftOf(sql<Date>`now()`),
};

/** The error for a request beyond the limit of its window. */
export const refusal = (limit: number, secondsLeft: number) =>
  tooManyRequests(`More than ${limit} requests within a minute. Try again later.`, secondsLeft, {
    reason: 'rate_limited',
  });

const startOf = (now: RawBuilder<Date>) =>
  sql<Date>`date_bin(${`${WINDOW_SECONDS} seconds`}, ${now}, 'epoch')`;

const secondsLeftOf = (now: RawBuilder<Date>) =>
  sql<number>`ceil(${WINDOW_SECONDS} - extract(epoch from ${now} - ${startOf(now)}))::integer`;

// Keyed: the IPv4 address of an unkeyed hash is found by trying all of them.
const digestOf = (sealer: Sealer, key: string) => sealer.digest(key, 'rate_windows/key_hash');

/** The digests that name windows in a statement of the caller. The keys of a group are often the same. */
export function windowDigests(sealer: Sealer, keys: readonly string[]): Uint8Array[] {
  const digests = new Map([...new Set(keys)].map((key) => [key, digestOf(sealer, key)]));
  return keys.map((key) => digests.get(key)!);
}

/** Only cleans up: if it fails, counts are unaffected, and the next window or {@link sweepRateWindows} cleans up. */
async function deleteSomeEnded({ database, log }: Counter, startedAt: Date): Promise<void> {
  await deleteEnded(database, sql`${startedAt}::timestamptz`, 100).catch((thrown: unknown) =>
    log.warn({ err: thrown }, 'Deleting old rate windows failed.'),
  );
}

/** Deletes windows that ended and that no later window has deleted, because nobody sends requests anymore. */
export const sweepRateWindows = (database: Database) => ({
  table: 'rate_windows',
  sweep: (limit: number) => deleteEnded(database, startOf(sql<Date>`now()`), limit),
});

/** Deletes at most `limit` windows that began before this instant, and returns their number. */
async function deleteEnded(database: Database, startedAt: RawBuilder<Date>, limit: number): Promise<number> {
  const deleted = await database.rows(
    query
      .deleteFrom('rate_windows')
      .where((build) =>
        build(
          build.refTuple('key_hash', 'started_at'),
          'in',
          build
            .selectFrom('rate_windows')
            .select(['key_hash', 'started_at'])
            .where('started_at', '<', startedAt)
            .limit(limit)
            .forUpdate()
            .skipLocked()
            .$asTuple('key_hash', 'started_at'),
        ),
      )
      .returning('started_at'),
  );
  return deleted.length;
}
