import { randomUUID } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import { type Actor, GATEWAY, isHeld, OPERATOR, requireNoLegalHold } from '../../access/index.js';
import {
  type Foundation,
  query,
  type Reader,
  sql,
  type Transaction,
  valuesOf,
} from '../../../platform/database/index.js';
import { isFree, leaseExpiry, LeaseLost, type Sweep } from '../../../platform/jobs/index.js';
import { conflict } from '../../../platform/kernel/errors.js';
import { ErasureEntity } from '../activity-log.entity.js';
import { recordActivity } from '../record-activity.js';
import { findCheckpoint } from '../sequencing/checkpoints.js';
import {
  ERASED_TOGETHER,
  type ErasedValues,
  eraseFormerMember,
  eraseSalts,
  type EntrySalts,
  type Person,
  saltsOf,
} from './erase-former-member.js';

/** Entries that one statement reads. */
const LOOKED_AT_TOGETHER = 10_000;
/** Far longer than one step takes. */
const LEASE_DURATION_MS = 60_000;

/**
 * Stores that the former member is to be erased. {@link completeErasure} does it in brief transactions, so that a long log does not
 * keep the organization locked; after a crash, {@link sweepErasures} continues it.
 */
export async function beginErasure(
  transaction: Transaction,
  { organizationId, userId }: Person,
  decided: { readonly by: Actor; readonly at: Date },
): Promise<void> {
  await transaction.rows(
    query
      .insertInto('erasures')
      .values(
        valuesOf(ErasureEntity, { organizationId, userId, decidedBy: decided.by.id, decidedAt: decided.at }),
      )
      .onConflict((conflict) => conflict.doNothing()),
  );
}

/** Whether an erasure of the person was decided and has not ended. */
export async function isErasureUnderWay(reader: Reader, person: Person): Promise<boolean> {
  const found = await reader.rows(
    query
      .selectFrom('erasures')
      .select('user_id')
      .where('organization_id', '=', person.organizationId)
      .where('user_id', '=', person.userId),
  );
  return found.length > 0;
}

/**
 * Carries out an erasure, or continues it where it was interrupted. It erases the person's names, addresses and salts from the log.
 * The digests in the log stay, so every leaf, proof and checkpoint stays valid. Then {@link eraseFormerMember} erases the rest, and
 * the log entry with all counts is written. Returns `undefined` if no erasure is under way, or if not `isDue`.
 * @throws `CONFLICT` if a legal hold is placed meanwhile, or if another call continues the erasure.
 */
export async function completeErasure(
  foundation: Pick<Foundation, 'database' | 'clock'>,
  person: Person,
  isDue: RawBuilder<boolean> = sql`true`,
): Promise<ErasedValues | undefined> {
  const { database } = foundation;
  const { organizationId } = person;
  const lease = { ...person, owner: randomUUID() };
  const claimed = await claim(database, lease, isDue);
  if (!claimed) return undefined;
  const size = (await findCheckpoint(database, organizationId))?.size ?? 0;
  try {
    for (let first = claimed.doneBelow; first < size; first += LOOKED_AT_TOGETHER) {
      const end = Math.min(size, first + LOOKED_AT_TOGETHER);
      const salts = await saltsOf(database, person, sql`log_index >= ${first} and log_index < ${end}`);
      for (let at = 0; at < salts.length; at += ERASED_TOGETHER)
        await eraseSome(foundation, lease, salts.slice(at, at + ERASED_TOGETHER));
      const kept = await database.rows(renewed(lease, { done_below: end }));
      if (kept.length === 0) throw new LeaseLost('erasure');
    }
    return await end(foundation, lease, Math.max(size, claimed.doneBelow));
  } catch (thrown) {
    if (thrown instanceof LeaseLost)
      throw conflict('Another call continues this erasure.', { cause: thrown });
    throw thrown;
  }
}

/** Continues the erasures that were interrupted: by a crash, or by a legal hold that is no longer in force. */
export const sweepErasures = (foundation: Pick<Foundation, 'database' | 'clock'>): Sweep => ({
  table: 'erasures',
  async sweep(limit, mayContinue = () => true) {
    const due = await foundation.database.rows(
      query
        .selectFrom('erasures')
        .select(['organization_id as organizationId', 'user_id as userId'])
        .where(isFree)
        .where((erasure) => erasure.not(isHeld(sql.ref('erasures.organization_id'), 'personal_values')))
        .orderBy('decided_at')
        .limit(limit),
    );
    let ended = 0;
    const failures: unknown[] = [];
    for (const person of due) {
      if (!mayContinue()) break;
      // A failure of one must not stop the others.
      const erased = await completeErasure(foundation, person, isFree).catch((thrown: unknown) => {
        failures.push(thrown);
        return undefined;
      });
      if (erased) ended += 1;
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} erasures failed.`);
    return ended;
  },
});

interface ErasureLease extends Person {
  /** The last call that claimed the erasure. What an earlier one does after that has no effect. */
  readonly owner: string;
}

async function claim(
  reader: Reader,
  { organizationId, userId, owner }: ErasureLease,
  isDue: RawBuilder<boolean>,
): Promise<{ readonly doneBelow: number } | undefined> {
  const [claimed] = await reader.rows(
    query
      .updateTable('erasures')
      .set({ lease_owner: owner, lease_expires_at: leaseExpiry({ durationMs: LEASE_DURATION_MS }) })
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .where(isDue)
      .returning('done_below as doneBelow'),
  );
  return claimed;
}

/** Extends the lease, and stores progress. No row if the lease was lost. */
const renewed = (
  { organizationId, userId, owner }: ErasureLease,
  progress:
    | { readonly done_below: number }
    | { readonly entries: RawBuilder<number>; readonly values: RawBuilder<number> },
) =>
  query
    .updateTable('erasures')
    .set({ ...progress, lease_expires_at: leaseExpiry({ durationMs: LEASE_DURATION_MS }) })
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('lease_owner', '=', owner)
    .returning('user_id');

/** One step. No legal hold can be placed during it. */
async function eraseSome(
  { database }: Pick<Foundation, 'database'>,
  lease: ErasureLease,
  salts: readonly EntrySalts[],
): Promise<void> {
  await database.transaction(async (transaction) => {
    await requireNoLegalHold(transaction, lease.organizationId, 'personal_values');
    const erased = await eraseSalts(transaction, salts);
    const counts = {
      entries: sql<number>`entries + ${erased.entries}`,
      values: sql<number>`"values" + ${erased.values}`,
    };
    const kept = await transaction.rows(renewed(lease, counts));
    if (kept.length === 0) throw new LeaseLost('erasure');
  });
}

/** The last step. An erasure that changed nothing is not logged. */
async function end(
  { database, clock }: Pick<Foundation, 'database' | 'clock'>,
  lease: ErasureLease,
  doneBelow: number,
): Promise<ErasedValues> {
  const { organizationId, userId, owner } = lease;
  return database.transaction(async (transaction) => {
    await requireNoLegalHold(transaction, organizationId, 'personal_values');
    const [before] = await transaction.rows(
      query
        .deleteFrom('erasures')
        .where('organization_id', '=', organizationId)
        .where('user_id', '=', userId)
        .where('lease_owner', '=', owner)
        .returning(['decided_by as decidedBy', 'entries', 'values']),
    );
    if (!before) throw new LeaseLost('erasure');
    const { isNew, ...last } = await eraseFormerMember(transaction, lease, doneBelow);
    const erased = { entries: before.entries + last.entries, values: before.values + last.values };
    if (isNew || erased.values > 0)
      await recordActivity(transaction, {
        organizationId,
        eventType: 'member.erased',
        actor: await namedActor(transaction, organizationId, before.decidedBy),
        object: { user_id: userId },
        details: erased,
        at: clock.now(),
      });
    return { userId, ...erased };
  });
}

/** Who decided the erasure, with the present name. */
async function namedActor(
  reader: Reader,
  organizationId: Person['organizationId'],
  id: string,
): Promise<Actor> {
  const unnamed = [OPERATOR, GATEWAY].find((actor) => actor.id === id);
  if (unnamed) return unnamed;
  const [user] = await reader.rows(
    query
      .selectFrom('users')
      .select('name')
      .where('organization_id', '=', organizationId)
      .where('id', '=', id as Person['userId']),
  );
  return { id, name: user!.name };
}
