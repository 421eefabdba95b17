import { randomUUID } from 'node:crypto';
import { type Foundation, query, sql, type Transaction } from '../../../platform/database/index.js';
import { claimedBy, isFree, RELEASED, waitUntil } from '../../../platform/jobs/index.js';
import { unavailable } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { type Signatures, withSignatures } from '../../../platform/keys/index.js';

/** The dependencies of signing a log: those of every operation, and the signatures that stores have made. */
export interface SigningFoundation extends Foundation {
  readonly signatures: Signatures;
  /** The process that holds the log while a store signs. */
  readonly owner: string;
}

/** Another process is requesting signatures of the log from a store. */
export class LogHeld extends Error {
  override readonly name = 'LogHeld';
}

/** A process that died holds the log for at most this long. */
const LEASE_DURATION_MS = 30_000;
const PAUSE_MS = 100;
/** Somewhat longer than the lease. */
const MAX_PAUSES = 400;

/**
 * Repeats `attempt` until it has every signature, as {@link withSignatures} does. While a store signs, no transaction is
 * open, and no other process sequences the log: entries wait, so the signed checkpoint is still the next one. If a key
 * change adds an entry meanwhile, the next attempt detects it and requests a new signature.
 *
 * @throws {LogHeld} if another process holds the log and `mayWait` is false, `UNAVAILABLE` if a store is unavailable.
 */
export async function signLog<Result>(
  foundation: Foundation,
  organizationId: Id<'org'>,
  mayWait: boolean,
  attempt: (signing: SigningFoundation) => Promise<Result>,
): Promise<Result> {
  const owner = randomUUID();
  const lease = { isHeld: false };
  const hold = async () => {
    lease.isHeld = await waitUntil(() => holdForStore(foundation, organizationId, owner), {
      pauseMs: PAUSE_MS,
      maxPauses: mayWait ? MAX_PAUSES : 0,
    });
    if (lease.isHeld) return;
    if (!mayWait) throw new LogHeld('Another process signs the log.');
    throw unavailable('The activity log is being signed. Try again later.', { retryAfterSeconds: 30 });
  };
  try {
    return await withSignatures(
      foundation.signingKeys,
      (signatures) => attempt({ ...foundation, signatures, owner }),
      async (ask) => {
        await hold();
        await ask();
      },
    );
  } finally {
    if (lease.isHeld) await release(foundation, organizationId, owner);
  }
}

/** {@link signLog} of a single transaction. */
export const signLogIn = <Result>(
  foundation: Foundation,
  organizationId: Id<'org'>,
  mayWait: boolean,
  work: (transaction: Transaction, signing: SigningFoundation) => Promise<Result>,
): Promise<Result> =>
  signLog(foundation, organizationId, mayWait, (signing) =>
    foundation.database.transaction((transaction) => work(transaction, signing)),
  );

/** Whether the process can hold the log: it is free, or the process holds it already and extends the lease. */
export const isFreeFor = (owner: string) => sql<boolean>`(${isFree} or lease_owner = ${owner})`;

/** Claims the log. Returns true if no other process can hold it: also before its first entry, when the log does not exist. */
async function holdForStore(
  { database }: Foundation,
  organizationId: Id<'org'>,
  owner: string,
): Promise<boolean> {
  const claimed = await database.rows(
    query
      .updateTable('activity_logs')
      .set(claimedBy({ owner, durationMs: LEASE_DURATION_MS }))
      .where('organization_id', '=', organizationId)
      .where(isFreeFor(owner))
      .returning('organization_id'),
  );
  if (claimed.length > 0) return true;
  const held = await database.rows(
    query.selectFrom('activity_logs').select('origin').where('organization_id', '=', organizationId),
  );
  return held.length === 0;
}

/** Without the database, the lease expires by itself. */
async function release(
  { database, log }: Foundation,
  organizationId: Id<'org'>,
  owner: string,
): Promise<void> {
  try {
    await database.rows(
      query
        .updateTable('activity_logs')
        .set(RELEASED)
        .where('organization_id', '=', organizationId)
        .where('lease_owner', '=', owner),
    );
  } catch (thrown) {
    log.warn(
      { organizationId, err: thrown },
      'The lease of a log could not be released. It expires by itself.',
    );
  }
}
