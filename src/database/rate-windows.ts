import { sha256 } from '../crypto/index.js';
import type { Clock } from '../kernel/clock.js';
import { tooManyRequests } from '../kernel/errors.js';
import type { Reader } from './database.js';
import { sql } from './sql.js';

export const WINDOW_MILLISECONDS = 60_000;

/**
 * Counts a request of `key` in the present minute, across all instances, with one statement. `key` begins with what is
 * counted, such as `check:192.0.2.1`; only its digest is stored. Windows are fixed minutes of UTC, so that around the
 * turn of one up to twice the limit can pass within a minute.
 *
 * @throws `TOO_MANY_REQUESTS` (`rate_limited`) past `limit` requests, with the seconds until the next window.
 */
export async function countInWindow(reader: Reader, key: string, limit: number, clock: Clock): Promise<void> {
  const now = clock.now().getTime();
  const startedAt = now - (now % WINDOW_MILLISECONDS);
  // Past the limit the row is not written any more: a flood makes no dead rows.
  const [counted] = await reader.rows(sql<{ requests: number }>`
    insert into rate_windows (key_hash, started_at, requests)
    values (${sha256(key)}, ${new Date(startedAt)}, 1)
    on conflict (key_hash, started_at) do update set requests = rate_windows.requests + 1
      where rate_windows.requests < ${limit}
    returning requests`);
  if (!counted) {
    const seconds = Math.ceil((startedAt + WINDOW_MILLISECONDS - now) / 1000);
    throw tooManyRequests(`More than ${limit} requests within a minute. Try again later.`, seconds, {
      reason: 'rate_limited',
    });
  }
  // Who begins a window removes some that ended: the table stays as small as the clients of a minute.
  if (counted.requests === 1) await forgetSomeEnded(reader, startedAt);
}

// A window more is left, for instances whose clocks are behind.
async function forgetSomeEnded(reader: Reader, startedAt: number): Promise<void> {
  await reader.rows(sql`
    delete from rate_windows where (key_hash, started_at) in (
      select key_hash, started_at from rate_windows
      where started_at < ${new Date(startedAt - WINDOW_MILLISECONDS)} limit 100 for update skip locked)`);
}
