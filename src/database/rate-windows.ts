import { sha256 } from '../crypto/index.js';
import type { Clock } from '../kernel/clock.js';
import { tooManyRequests } from '../kernel/errors.js';
import type { Reader } from './database.js';
import { sql } from './sql.js';

export const WINDOW_MILLISECONDS = 60_000;

/** What is counted, and how often it may be. */
export interface RateWindow {
  /** Begins with what is counted, such as `check:192.0.2.1`; only its digest is stored. */
  readonly key: string;
  /** Requests in a minute. */
  readonly limit: number;
}

/**
 * Counts a request in the present minute, across all instances, with one statement. What a window refuses is not counted
 * in those behind it. Windows are fixed minutes of UTC, so that around the turn of one up to twice the limit can pass
 * within a minute.
 *
 * @throws `TOO_MANY_REQUESTS` (`rate_limited`) past the limit of one of them, with the seconds until the next window.
 */
export async function countInWindows(
  reader: Reader,
  windows: readonly RateWindow[],
  clock: Clock,
): Promise<void> {
  const now = clock.now().getTime();
  const startedAt = now - (now % WINDOW_MILLISECONDS);
  const name = (at: number) => sql.ref(`counted_${at}`);
  // Past the limit the row is not written any more: a flood makes no dead rows.
  const counts = windows.map(
    ({ key, limit }, at) => sql`${name(at)} as (
      insert into rate_windows (key_hash, started_at, requests)
      select ${sha256(key)}::bytea, ${new Date(startedAt)}::timestamptz, 1
        where ${at === 0 ? sql`true` : sql`exists (select from ${name(at - 1)})`}
      on conflict (key_hash, started_at) do update set requests = rate_windows.requests + 1
        where rate_windows.requests < ${limit}
      returning requests)`,
  );
  const all = windows.map((_, at) => sql`select requests from ${name(at)}`);
  const counted = await reader.rows(
    sql<{ requests: number }>`with ${sql.join(counts)} ${sql.join(all, sql` union all `)}`,
  );
  const refusing = windows[counted.length];
  if (refusing) {
    const seconds = Math.ceil((startedAt + WINDOW_MILLISECONDS - now) / 1000);
    const message = `More than ${refusing.limit} requests within a minute. Try again later.`;
    throw tooManyRequests(message, seconds, { reason: 'rate_limited' });
  }
  // Who begins a window removes some that ended: the table stays as small as the clients of a minute.
  if (counted.some(({ requests }) => requests === 1)) await forgetSomeEnded(reader, startedAt);
}

// A window more is left, for instances whose clocks are behind.
async function forgetSomeEnded(reader: Reader, startedAt: number): Promise<void> {
  await reader.rows(sql`
    delete from rate_windows where (key_hash, started_at) in (
      select key_hash, started_at from rate_windows
      where started_at < ${new Date(startedAt - WINDOW_MILLISECONDS)} limit 100 for update skip locked)`);
}
