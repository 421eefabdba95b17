import type { Sealer } from '../crypto/index.js';
import { tooManyRequests } from '../kernel/errors.js';
import type { Reader } from './database.js';
import type { Foundation } from './foundation.js';
import { query } from './query.js';
import { sql } from './sql.js';

const WINDOW_SECONDS = 60;

/** What is counted, and how often it may be. */
export interface RateWindow {
  /** Begins with what is counted, such as `check:192.0.2.1`. Only a keyed digest of it is stored. */
  readonly key: string;
  /** Requests in a minute. */
  readonly limit: number;
}

/**
 * Counts a request in the present minute, across all instances, with one statement. What one window refuses is not
 * counted in the windows after it. Windows are fixed minutes of UTC: around the turn of a minute, up to twice the limit
 * can pass within 60 s. The time is the database's, so that instances whose clocks differ share one window; `now` is
 * for tests.
 *
 * @throws `TOO_MANY_REQUESTS` (`rate_limited`) past the limit of one of them, with the seconds until the next window.
 */
export async function countInWindows(
  { database: reader, sealer }: Pick<Foundation, 'database' | 'sealer'>,
  windows: readonly RateWindow[],
  now = sql<Date>`now()`,
): Promise<void> {
  const startedAt = sql<Date>`date_bin(${`${WINDOW_SECONDS} seconds`}, ${now}, 'epoch')`;
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
        ceil(${WINDOW_SECONDS} - extract(epoch from ${now} - ${startedAt}))::integer as "secondsLeft",
        array(${sql.join(requests, sql` union all `)}) as counted`,
  );
  if (!row) throw new Error('The windows cannot be counted.');
  const refusing = windows[row.counted.length];
  if (refusing) {
    const message = `More than ${refusing.limit} requests within a minute. Try again later.`;
    throw tooManyRequests(message, row.secondsLeft, { reason: 'rate_limited' });
  }
  // The first request of a window removes some windows that ended: the table stays as small as the clients of a minute.
  if (row.counted.includes(1)) await deleteSomeEnded(reader, row.startedAt);
}

/**
 * Refuses what would follow a full window, and counts nothing.
 * @throws `TOO_MANY_REQUESTS` (`rate_limited`) with the seconds until the next window.
 */
export async function requireRoomInWindow(
  { database: reader, sealer }: Pick<Foundation, 'database' | 'sealer'>,
  { key, limit }: RateWindow,
): Promise<void> {
  const startedAt = sql<Date>`date_bin(${`${WINDOW_SECONDS} seconds`}, now(), 'epoch')`;
  const [full] = await reader.rows(
    query
      .selectFrom('rate_windows')
      .select(
        sql<number>`ceil(${WINDOW_SECONDS} - extract(epoch from now() - ${startedAt}))::integer`.as(
          'secondsLeft',
        ),
      )
      .where('key_hash', '=', digestOf(sealer, key))
      .where('started_at', '=', startedAt)
      .where('requests', '>=', limit),
  );
  if (!full) return;
  const message = `More than ${limit} requests within a minute. Try again later.`;
  throw tooManyRequests(message, full.secondsLeft, { reason: 'rate_limited' });
}

// Keyed: the IPv4 address of an unkeyed hash is found by trying all of them.
const digestOf = (sealer: Sealer, key: string) => sealer.digest(key, 'rate_windows/key_hash');

async function deleteSomeEnded(reader: Reader, startedAt: Date): Promise<void> {
  await reader.rows(
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
            .limit(100)
            .forUpdate()
            .skipLocked()
            .$asTuple('key_hash', 'started_at'),
        ),
      ),
  );
}
