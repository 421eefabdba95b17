import type { Sealer } from '../../../platform/crypto/index.js';
import {
  countInWindows,
  type Foundation,
  query,
  sql,
  type Reader,
  type Transaction,
} from '../../../platform/database/index.js';
import { backOffCeilingMs } from '../../../platform/jobs/index.js';
import { clientNetwork } from '../../../platform/kernel/client-network.js';
import { tooManyRequests } from '../../../platform/kernel/errors.js';
import { foldEmail } from '../accounts/parse-email.js';
import type { UserPrincipal } from '../../access/index.js';
import type { KnownDevice } from './known-device.js';

/** The keys under which failures of an attempt are counted. The database has only keyed digests. */
export interface Attempt {
  readonly account: string;
  /** Whether it is an attempt of a signed-in person, whose refusals belong to the organization of the session. */
  readonly isOfSession: boolean;
  /** The account on one known device, or from one client: five failures in a minute. */
  readonly nearKey: Uint8Array;
  /** The account, for attempts from any client: each failure beyond the tenth in an hour doubles the wait. */
  readonly farKey: Uint8Array | undefined;
  /** The key of attempts that a failure of this one delays, but whose failures do not delay this one. */
  readonly delaysKey?: Uint8Array;
  /** The window of attempts, which are counted before anything is computed. */
  readonly window: { readonly key: string; readonly limit: number };
}

const MAX_FAILURES = 5;
const FAILURE_WINDOW_MS = 60_000;
const MAX_UNDELAYED_FAILURES = 10;
const ACCOUNT_WINDOW_MS = 60 * 60_000;
const FAR_DELAY = { firstMs: 1_000, maxMs: 15 * 60_000 };
const MAX_ATTEMPTS_PER_CLIENT = 60;
const MAX_ATTEMPTS_PER_DEVICE = 20;
const MAX_ATTEMPTS_PER_SESSION = 20;
const SWEEP_BATCH = 100;

/**
 * An attempt to sign in with a browser that the person signed in with before. It is counted separately, so that guesses
 * from elsewhere or from the same network do not delay it.
 */
export const deviceAttempt = (sealer: Sealer, email: string, { id }: KnownDevice): Attempt => ({
  account: email,
  isOfSession: false,
  nearKey: keyOf(sealer, ['device', foldEmail(email), id]),
  farKey: undefined,
  window: { key: `sign-in:device:${id}`, limit: MAX_ATTEMPTS_PER_DEVICE },
});

/** An attempt to sign in. */
export function signInAttempt(sealer: Sealer, email: string, clientAddress: string): Attempt {
  const account = foldEmail(email);
  return {
    account: email,
    isOfSession: false,
    nearKey: keyOf(sealer, [account, clientNetwork(clientAddress)]),
    farKey: keyOf(sealer, ['account', account]),
    window: { key: `sign-in:client:${clientNetwork(clientAddress)}`, limit: MAX_ATTEMPTS_PER_CLIENT },
  };
}

/**
 * An attempt of a signed-in person to prove their identity. It is counted separately from sign-ins, so that people at the
 * same client address without a session cannot delay it, and by the account, because accounts of several organizations can
 * have the same e-mail address. Its failures also count as failed sign-ins.
 */
export function sessionAttempt(
  sealer: Sealer,
  { email, accountId, sessionId }: Pick<UserPrincipal, 'email' | 'accountId' | 'sessionId'>,
  clientAddress: string,
): Attempt {
  return {
    account: email,
    isOfSession: true,
    nearKey: keyOf(sealer, ['session', accountId, clientNetwork(clientAddress)]),
    farKey: keyOf(sealer, ['session', accountId]),
    delaysKey: signInAttempt(sealer, email, clientAddress).nearKey,
    window: { key: `sign-in:session:${sessionId}`, limit: MAX_ATTEMPTS_PER_SESSION },
  };
}

const keyOf = (sealer: Sealer, parts: readonly string[]) =>
  sealer.digest(JSON.stringify(parts), 'sign_in_failures/key_hash');

const keysOf = ({ nearKey, farKey, delaysKey }: Attempt) =>
  [nearKey, farKey, delaysKey].filter((key) => key !== undefined);

/** Counts the attempt before anything is computed, and refuses it while too many failed: `TOO_MANY_REQUESTS`. */
export async function admitAttempt(foundation: Foundation, attempt: Attempt): Promise<void> {
  await countInWindows(foundation, [attempt.window]);
  await refuseLockedOut(foundation.database, attempt, foundation.clock.now());
}

/** Serializes attempts whose failures are counted together until the transaction ends, so that each sees the others. */
export async function serializeAttempts(transaction: Transaction, attempt: Attempt): Promise<void> {
  const keys = keysOf(attempt);
  const locks = keys.map((key) => Buffer.from(key).readBigInt64BE().toString()).sort();
  // The builder has no advisory locks.
  for (const lock of locks) await transaction.rows(sql`select pg_advisory_xact_lock(${lock}::bigint)`);
}

/** Throws `TOO_MANY_REQUESTS` with the seconds to wait while too many attempts failed. */
export async function refuseLockedOut(reader: Reader, attempt: Attempt, at: Date): Promise<void> {
  const waitMs = Math.max(
    nearWaitMs(await failuresOf(reader, attempt.nearKey, at, FAILURE_WINDOW_MS, MAX_FAILURES), at),
    attempt.farKey === undefined
      ? 0
      : farWaitMs(await failuresOf(reader, attempt.farKey, at, ACCOUNT_WINDOW_MS, MAX_COUNTED), at),
  );
  if (waitMs <= 0) return;
  throw tooManyRequests('Too many failed attempts. Try again later.', Math.max(1, Math.ceil(waitMs / 1000)), {
    denial: { event: 'sign_in.locked_out', account: attempt.account, isOfSession: attempt.isOfSession },
  });
}

/** From here on, the wait does not grow. */
const MAX_COUNTED = MAX_UNDELAYED_FAILURES + Math.ceil(Math.log2(FAR_DELAY.maxMs / FAR_DELAY.firstMs)) + 1;

async function failuresOf(
  reader: Reader,
  key: Uint8Array,
  at: Date,
  windowMs: number,
  limit: number,
): Promise<number[]> {
  const failures = await reader.rows(
    query
      .selectFrom('sign_in_failures')
      .select('failed_at as failedAt')
      .where('key_hash', '=', key)
      .where('failed_at', '>', new Date(at.getTime() - windowMs))
      .orderBy('failed_at', 'desc')
      .limit(limit),
  );
  return failures.map(({ failedAt }) => failedAt.getTime());
}

/** Until the oldest of five failures is a minute old. */
function nearWaitMs(failures: readonly number[], at: Date): number {
  const oldest = failures[MAX_FAILURES - 1];
  return oldest === undefined ? 0 : oldest + FAILURE_WINDOW_MS - at.getTime();
}

/** One second after the tenth failure, then two, four, and so on, at most a quarter of an hour. */
function farWaitMs(failures: readonly number[], at: Date): number {
  const [newest] = failures;
  const beyond = failures.length - MAX_UNDELAYED_FAILURES;
  if (newest === undefined || beyond < 0) return 0;
  return newest + backOffCeilingMs(FAR_DELAY, beyond + 1) - at.getTime();
}

/** Refuses an attempt that others overtook, whatever it proved, and counts its failure. For attempts that open nothing. */
export async function settleAttempt(
  { clock, database }: Pick<Foundation, 'clock' | 'database'>,
  attempt: Attempt,
  isProven: boolean,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await serializeAttempts(transaction, attempt);
    await refuseLockedOut(transaction, attempt, clock.now());
    if (!isProven) await recordFailure(transaction, attempt, clock.now());
  });
}

/** Counts a failure, and removes some that are too old to count, of any account. */
export async function recordFailure(transaction: Transaction, attempt: Attempt, at: Date): Promise<void> {
  const keys = keysOf(attempt);
  await transaction.rows(
    query.insertInto('sign_in_failures').values(keys.map((key) => ({ key_hash: key, failed_at: at }))),
  );
  await transaction.rows(
    query.deleteFrom('sign_in_failures').where('id', 'in', (failures) =>
      failures
        .selectFrom('sign_in_failures')
        .select('id')
        .where('failed_at', '<=', new Date(at.getTime() - ACCOUNT_WINDOW_MS))
        .limit(SWEEP_BATCH)
        .forUpdate()
        .skipLocked(),
    ),
  );
}
