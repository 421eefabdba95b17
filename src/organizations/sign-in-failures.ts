import { sha256 } from '../crypto/index.js';
import { sql, type Reader, type Transaction } from '../database/index.js';
import { clientNetwork } from '../kernel/client-network.js';
import { tooManyRequests } from '../kernel/errors.js';
import { foldEmail } from './parse-email.js';

/** The pair of account and client address whose failures are counted together; the database holds only its hash. */
export interface AttemptKey {
  readonly account: string;
  readonly hash: Uint8Array;
}

const MOST_FAILURES = 5;
const WINDOW_MILLISECONDS = 60_000;

export function attemptKey(email: string, clientAddress: string): AttemptKey {
  return { account: email, hash: sha256(JSON.stringify([foldEmail(email), clientNetwork(clientAddress)])) };
}

/** Makes the attempts of one pair take turns until the transaction ends, so that none misses another's failure. */
export async function serializeAttempts(transaction: Transaction, key: AttemptKey): Promise<void> {
  const lock = Buffer.from(key.hash).readBigInt64BE().toString();
  await transaction.rows(sql`select pg_advisory_xact_lock(${lock}::bigint)`);
}

/** Throws `TOO_MANY_REQUESTS` while the pair has failed five times within the last minute. */
export async function refuseLockedOut(reader: Reader, key: AttemptKey, at: Date): Promise<void> {
  const failures = await reader.rows(sql<{ failedAt: Date }>`
    select failed_at as "failedAt" from sign_in_failures
    where account_and_address = ${key.hash} and failed_at > ${new Date(at.getTime() - WINDOW_MILLISECONDS)}
    order by failed_at desc limit ${MOST_FAILURES}`);
  const oldest = failures[MOST_FAILURES - 1];
  if (!oldest) return;
  const wait = oldest.failedAt.getTime() + WINDOW_MILLISECONDS - at.getTime();
  throw tooManyRequests('Too many failed attempts. Try again later.', Math.max(1, Math.ceil(wait / 1000)), {
    denial: { event: 'sign_in.locked_out', account: key.account },
  });
}

/** Counts a failure, and forgets some that count no more, whosever they are. */
export async function recordFailure(transaction: Transaction, key: AttemptKey, at: Date): Promise<void> {
  await transaction.rows(sql`
    insert into sign_in_failures (account_and_address, failed_at) values (${key.hash}, ${at})`);
  await transaction.rows(sql`
    delete from sign_in_failures where ctid in (
      select ctid from sign_in_failures where failed_at <= ${new Date(at.getTime() - WINDOW_MILLISECONDS)}
      limit 100 for update skip locked)`);
}
