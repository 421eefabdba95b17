import { randomUUID } from 'node:crypto';
import { findApplicationById, GATEWAY } from '../../access/index.js';
import { recordActivity } from '../../activity-log/index.js';
import type { DecryptionPool } from '../../../platform/crypto/index.js';
import { type Foundation, query, sql, type Transaction } from '../../../platform/database/index.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import { isLucarneError, unavailable } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { type Signatures, withSignatures } from '../../../platform/keys/index.js';
import {
  backOffMs,
  claimedBy,
  isFree,
  isLeased,
  keepLease,
  Lanes,
  leaseExpiry,
  LeaseLost,
  RELEASED,
  type Lease,
  type LeaseTerms,
  WakeUp,
} from '../../../platform/jobs/index.js';
import { type Disclosure, selectDisclosures } from '../disclosure.js';
import { numberChange } from '../disclosure-changes.js';
import { type DisclosureStatus, mayBecome } from '../disclosure-state.js';
import { type GeneratedResult, generateResult } from './generate-result.js';
import { issueReceipt } from './receipt.js';
import { sealResult } from './sealed-result.js';

/**
 * Generates the results of authorized disclosures. Many instances may try: the database lets one at a time. Disposing of it
 * abandons running work, which another instance, or the next start, repeats.
 */
export interface Fulfilment extends AsyncDisposable {
  /**
   * Generates the result unless it exists or another instance is generating it. If that fails, the promise is rejected, and
   * the disclosure stays authorized and is tried again after a pause.
   */
  fulfill(id: Id<'dsc'>): Promise<void>;
  /** Generates the result, here or on another instance, and waits for at most `timeoutMs`. The work continues after that. */
  fulfillWithTimeout(id: Id<'dsc'>, timeoutMs: number): Promise<void>;
}

const LEASE_DURATION_MS = 60_000;
const RENEWAL_INTERVAL_MS = 20_000;
const RETRY = { firstMs: 10_000, maxMs: 600_000 };
const POLL_INTERVAL_MS = 500;
/** Results that are generated at the same time for one organization. Each holds up to 10,000 records in memory. */
const RESULTS_AT_A_TIME = 2;

const disclosureTopic = (id: Id<'dsc'>) => `disclosure:${id}`;

interface Claimed {
  readonly disclosure: Disclosure;
  readonly lease: Lease;
  readonly failures: number;
}

export function createFulfilment(foundation: Foundation, pool: DecryptionPool): Fulfilment {
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const terms: LeaseTerms = { owner: randomUUID(), durationMs: LEASE_DURATION_MS };
  const lanes = new Lanes(() => RESULTS_AT_A_TIME);

  const fulfill = (id: Id<'dsc'>): Promise<void> => {
    if (stopping.signal.aborted) return Promise.resolve();
    const work = makeInTurn(id).finally(() => underWay.delete(work));
    underWay.add(work);
    return work;
  };

  /** Waits without a lease, so that another instance can generate the result meanwhile. */
  const makeInTurn = async (id: Id<'dsc'>): Promise<void> => {
    const [waiting] = await foundation.database.rows(
      toMake.select('organization_id as organizationId').where('id', '=', id),
    );
    if (!waiting) return;
    await lanes.run(waiting.organizationId, async () => {
      if (!stopping.signal.aborted) await make(id);
    });
  };

  const make = async (id: Id<'dsc'>): Promise<void> => {
    const claimed = await claim(foundation, id, terms);
    if (!claimed) return;
    const { disclosure, lease, failures } = claimed;
    using kept = keepLease({
      what: 'disclosure',
      intervalMs: RENEWAL_INTERVAL_MS,
      renew: () => renew(foundation, id, lease, terms),
      failed: (thrown) => logFailure(foundation, id, thrown),
    });
    try {
      const signal = AbortSignal.any([kept.signal, stopping.signal]);
      const generated = await generateResult(foundation, pool, disclosure, signal);
      await store(foundation, disclosure, lease, generated);
    } catch (thrown) {
      await release(foundation, id, lease, stopping.signal.aborted ? undefined : failures + 1);
      throw thrown;
    }
  };

  return {
    fulfill,
    async fulfillWithTimeout(id, timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      const wakeUp = new WakeUp();
      const unlisten = foundation.signals.listen(disclosureTopic(id), wakeUp.wake);
      // Not awaited: after the deadline the caller gets an answer and the work continues.
      const work = fulfill(id).catch((thrown: unknown) => logFailure(foundation, id, thrown));
      let working = true;
      void work.then(() => {
        working = false;
        wakeUp.wake();
      });
      const ended = async () => !working && !(await isBeingMade(foundation, id));
      try {
        while (Date.now() < deadline) {
          await wakeUp.wait(Math.min(POLL_INTERVAL_MS, Math.max(1, deadline - Date.now())));
          if (await ended()) return;
        }
      } finally {
        unlisten();
      }
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(unavailable('The gateway is stopping.'));
      await Promise.allSettled(underWay);
    },
  };
}

export function logFailure({ log }: Foundation, id: Id<'dsc'>, thrown: unknown): void {
  const members = { disclosureId: id, err: thrown };
  if (isLucarneError(thrown) && (thrown.code === 'UNAVAILABLE' || thrown.reason === 'records_archived'))
    log.warn(members, 'Generating the result of a disclosure was postponed.');
  else log.error(members, 'Generating the result of a disclosure failed.');
}

/** The authorized disclosures without a result. */
const toMake = query
  .selectFrom('disclosures')
  .where('status', '=', 'pending')
  .where('decision', '=', 'authorize');

const ofLease = (id: Id<'dsc'>, { owner, fencingToken }: Lease) =>
  query
    .updateTable('disclosures')
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('fencing_token', '=', fencingToken);

async function claim(
  { database }: Foundation,
  id: Id<'dsc'>,
  terms: LeaseTerms,
): Promise<Claimed | undefined> {
  const [claimed] = await database.rows(
    query
      .updateTable('disclosures')
      .set(claimedBy(terms))
      .where('id', '=', id)
      .where('status', '=', 'pending')
      .where('decision', '=', 'authorize')
      .where(isFree)
      .where(isDue)
      .returning(['organization_id as organizationId', 'fencing_token as fencingToken', 'failures']),
  );
  if (!claimed) return undefined;
  const { organizationId, fencingToken, failures } = claimed;
  const [disclosure] = await selectDisclosures(database, { organizationId, id });
  return disclosure && { disclosure, lease: { owner: terms.owner, fencingToken }, failures };
}

/** Whether the pause after the last failure has ended. */
export const isDue = sql<boolean>`(next_attempt_at is null or next_attempt_at <= now())`;

/** Returns false if the lease is lost. */
async function renew(
  { database }: Foundation,
  id: Id<'dsc'>,
  lease: Lease,
  terms: LeaseTerms,
): Promise<boolean> {
  const change = ofLease(id, lease).set({ lease_expires_at: leaseExpiry(terms) });
  return (await database.rows(change.returning('id'))).length > 0;
}

/** Releases the lease. After a failure it sets a pause, so that repeated failures do not delay other disclosures. */
async function release(
  foundation: Foundation,
  id: Id<'dsc'>,
  lease: Lease,
  failures: number | undefined,
): Promise<void> {
  const pause =
    failures === undefined
      ? {}
      : {
          failures,
          next_attempt_at: sql<Date>`now() + ${backOffMs(RETRY, failures)} * interval '1 millisecond'`,
        };
  try {
    await foundation.database.rows(ofLease(id, lease).set({ ...RELEASED, ...pause }));
  } catch (thrown) {
    // The lease expires by itself.
    logFailure(foundation, id, thrown);
  }
}

async function store(
  foundation: Foundation,
  disclosure: Disclosure,
  lease: Lease,
  { receiptId, generatedAt, salt, result, receipt }: GeneratedResult,
): Promise<void> {
  const { id, organizationId } = disclosure;
  const to: DisclosureStatus = 'available';
  if (!mayBecome(disclosure.status, to))
    throw new Error(`A ${disclosure.status} disclosure cannot become ${to}.`);
  const secrets = { salt: base64.encode(salt), records: result.records };

  const storeSigned = async (transaction: Transaction, signatures: Signatures, sealedResult: Uint8Array) => {
    // A worker that lost its lease stores nothing, so that at most one receipt is issued.
    const stored = await transaction.rows(
      ofLease(id, lease)
        .where('status', '=', disclosure.status)
        .set({
          status: to,
          receipt_id: receiptId,
          resolved_at: generatedAt,
          sealed_result: sealedResult,
          ...RELEASED,
        })
        .returning('id'),
    );
    if (stored.length === 0) throw new LeaseLost('disclosure');
    const signed = await issueReceipt(
      transaction,
      { sealer: foundation.sealer, signatures },
      { id: receiptId, organizationId, disclosureId: id },
      receipt,
      generatedAt,
    );
    await recordActivity(transaction, {
      organizationId,
      eventType: 'disclosure.available',
      actor: GATEWAY,
      object: { type: 'disclosure', id, asset_id: disclosure.assetId },
      details: {
        receipt_id: receiptId,
        record_count: receipt.recordCount,
        scope_sha256: receipt.scopeSha256,
        result_sha256: receipt.resultSha256,
        receipt_signature: signed.signature,
      },
      application: await findApplicationById(transaction, organizationId, disclosure.applicationId),
      at: generatedAt,
    });
    await numberChange(foundation, transaction, { organizationId, id });
    transaction.afterCommit(() => foundation.signals.publish(disclosureTopic(id)));
  };
  await withSignatures(foundation.signingKeys, async (signatures) => {
    // Sealed for each attempt: a store is asked between two attempts, and the data key could be retired meanwhile.
    const sealed = await sealResult(foundation.sealer, id, secrets);
    return foundation.database.transaction((transaction) => storeSigned(transaction, signatures, sealed));
  });
}

async function isBeingMade({ database }: Foundation, id: Id<'dsc'>): Promise<boolean> {
  const rows = await database.rows(
    query
      .selectFrom('disclosures')
      .select('id')
      .where('id', '=', id)
      .where('status', '=', 'pending')
      .where(isLeased),
  );
  return rows.length > 0;
}
