import { randomUUID } from 'node:crypto';
import { GATEWAY, recordActivity } from '../activity-log/index.js';
import type { DecryptionPool } from '../crypto/index.js';
import { sql, type Foundation } from '../database/index.js';
import { isLucarneError, messageOf, unavailable } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';
import { WakeUp } from '../kernel/wake-up.js';
import { findApplicationById } from '../organizations/index.js';
import { DisclosureEntity } from './disclosure.entity.js';
import { selectDisclosures, type Disclosure } from './disclosure.js';
import { resultContext } from './find-disclosure.js';
import { generateResult, type GeneratedResult } from './generate-result.js';
import { issueReceipt } from './receipt.js';
import { mayBecome, type DisclosureStatus } from './disclosure-state.js';
import type { DisclosureResult } from './disclosure-result.js';

/**
 * Makes the results of authorized disclosures. Any number of instances may try: the database lets one at a time.
 * Disposing of it gives up what is under way, which can take longer than a stop may: it is made anew elsewhere, or
 * after the start.
 */
export interface Fulfilment extends AsyncDisposable {
  /**
   * Makes the result unless it is there or another instance is making it. Rejects when it could not be made: it stays
   * authorized, and is tried again after a pause.
   */
  fulfil(id: Id<'dsc'>): Promise<void>;
  /** Fulfils and waits, here or for another instance, for at most `milliseconds`; work then goes on behind. */
  fulfilWithin(id: Id<'dsc'>, milliseconds: number): Promise<void>;
}

const LEASE_SECONDS = 60;
const HEARTBEAT_MILLISECONDS = 20_000;
const PAUSE_AFTER_FAILURE_SECONDS = 10;
const POLL_MILLISECONDS = 500;

export const disclosureTopic = (id: Id<'dsc'>) => `disclosure:${id}`;

export function createFulfilment(foundation: Foundation, pool: DecryptionPool): Fulfilment {
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();

  const fulfil = (id: Id<'dsc'>): Promise<void> => {
    if (stopping.signal.aborted) return Promise.resolve();
    const work = make(id).finally(() => underWay.delete(work));
    underWay.add(work);
    return work;
  };

  const make = async (id: Id<'dsc'>): Promise<void> => {
    const lease = randomUUID();
    const disclosure = await claim(foundation, id, lease);
    if (!disclosure) return;
    const lost = new AbortController();
    const heartbeat = setInterval(() => void renew(foundation, id, lease, lost), HEARTBEAT_MILLISECONDS);
    try {
      const signal = AbortSignal.any([lost.signal, stopping.signal]);
      const generated = await generateResult(foundation, pool, disclosure, signal);
      await store(foundation, disclosure, lease, generated);
    } catch (thrown) {
      await release(foundation, id, lease, stopping.signal.aborted ? 0 : PAUSE_AFTER_FAILURE_SECONDS);
      throw thrown;
    } finally {
      clearInterval(heartbeat);
    }
  };

  return {
    fulfil,
    async fulfilWithin(id, milliseconds) {
      const deadline = Date.now() + milliseconds;
      const wakeUp = new WakeUp();
      const unlisten = foundation.signals.listen(disclosureTopic(id), wakeUp.wake);
      // Not awaited: past the deadline the caller is answered and the work goes on.
      const work = fulfil(id).catch((thrown: unknown) => logFailure(foundation, id, thrown));
      let working = true;
      void work.then(() => {
        working = false;
        wakeUp.wake();
      });
      const made = async () => !working && !(await isBeingMade(foundation, id));
      try {
        while (Date.now() < deadline) {
          await wakeUp.wait(Math.min(POLL_MILLISECONDS, Math.max(1, deadline - Date.now())));
          if (await made()) return;
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
  const members = { disclosureId: id, reason: messageOf(thrown) };
  if (isLucarneError(thrown) && thrown.code === 'UNAVAILABLE') log.warn(members, 'A disclosure must wait.');
  else log.error({ ...members, err: thrown }, 'A disclosure could not be made.');
}

// Leases are timed by the database, whose clock all instances share.
async function claim(
  { database }: Foundation,
  id: Id<'dsc'>,
  lease: string,
): Promise<Disclosure | undefined> {
  const [claimed] = await database.rows(sql<{ organizationId: Id<'org'> }>`
    update disclosures set lease_owner = ${lease}, lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS})
    where id = ${id} and status = 'pending' and decision = 'authorize'
      and (lease_expires_at is null or lease_expires_at <= now())
    returning organization_id as "organizationId"`);
  if (!claimed) return undefined;
  const [disclosure] = await selectDisclosures(database, { organizationId: claimed.organizationId, id });
  return disclosure;
}

async function renew(
  foundation: Foundation,
  id: Id<'dsc'>,
  lease: string,
  lost: AbortController,
): Promise<void> {
  try {
    const renewed = await foundation.database.rows(sql`
      update disclosures set lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS})
      where id = ${id} and lease_owner = ${lease} returning id`);
    if (renewed.length === 0) lost.abort(new Error('Another instance has taken the disclosure over.'));
  } catch (thrown) {
    // Not lost yet: the next beat comes before the lease ends, and storing checks the owner again.
    logFailure(foundation, id, thrown);
  }
}

/** Gives the lease up for a pause, so that what fails again and again does not keep the workers from the rest. */
async function release(
  foundation: Foundation,
  id: Id<'dsc'>,
  lease: string,
  pauseSeconds: number,
): Promise<void> {
  try {
    await foundation.database.rows(sql`
      update disclosures
      set lease_owner = null, lease_expires_at = now() + make_interval(secs => ${pauseSeconds})
      where id = ${id} and lease_owner = ${lease}`);
  } catch (thrown) {
    // The lease then ends by itself.
    logFailure(foundation, id, thrown);
  }
}

async function store(
  foundation: Foundation,
  disclosure: Disclosure,
  lease: string,
  generated: GeneratedResult,
): Promise<void> {
  const { id, organizationId } = disclosure;
  const to: DisclosureStatus = 'available';
  if (!mayBecome(disclosure.status, to))
    throw new Error(`A ${disclosure.status} disclosure cannot become ${to}.`);
  const { receiptId, generatedAt } = generated;

  await foundation.database.transaction(async (transaction) => {
    // The lease is the fencing token: one who lost it stores nothing, and so at most one receipt is issued.
    const held = await transaction.em.nativeUpdate(
      DisclosureEntity,
      { id, status: disclosure.status, leaseOwner: lease },
      { status: to, receiptId, resolvedAt: generatedAt, leaseOwner: null, leaseExpiresAt: null },
    );
    if (held === 0) throw new Error('Another instance has taken the disclosure over.');
    const receipt = await issueReceipt(
      transaction,
      foundation,
      { id: receiptId, organizationId, disclosureId: id },
      generated.receipt,
      generatedAt,
    );
    const result: DisclosureResult = { ...generated.result, receipt };
    const plaintext = new TextEncoder().encode(JSON.stringify(result));
    const sealedResult = foundation.sealer.seal(plaintext, resultContext(id));
    plaintext.fill(0);
    await transaction.em.nativeUpdate(DisclosureEntity, { id }, { sealedResult });
    await recordActivity(transaction, {
      organizationId,
      eventType: 'disclosure.available',
      actor: GATEWAY,
      object: { type: 'disclosure', id, asset_id: disclosure.assetId },
      details: {
        receipt_id: receiptId,
        record_count: generated.receipt.recordCount,
        scope_sha256: generated.receipt.scopeSha256,
        result_sha256: generated.receipt.resultSha256,
        receipt_signature: receipt.signature,
      },
      application: await findApplicationById(transaction, organizationId, disclosure.applicationId),
      at: generatedAt,
    });
    transaction.afterCommit(() => foundation.signals.publish(disclosureTopic(id)));
  });
}

async function isBeingMade({ database }: Foundation, id: Id<'dsc'>): Promise<boolean> {
  const rows = await database.rows(sql`
    select 1 from disclosures
    where id = ${id} and status = 'pending' and lease_owner is not null and lease_expires_at > now()`);
  return rows.length > 0;
}
