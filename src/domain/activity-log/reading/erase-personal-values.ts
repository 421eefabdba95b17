import { holdLog } from '../sequencing/sequence-entries.js';
import { pointersOfPerson } from '../personal-values.js';
import { recordActivity } from '../record-activity.js';
import { type Foundation, query, sql, type Transaction } from '../../../platform/database/index.js';
import { conflict, notFound } from '../../../platform/kernel/errors.js';
import { type Id, parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import {
  type Acting,
  type Caller,
  requireFreshFactor,
  requireNoLegalHold,
  requireOperatorOr,
} from '../../access/index.js';

export interface ErasedValues {
  readonly userId: Id<'usr'>;
  /** Entries that named the person, and how many values were erased from them. */
  readonly entries: number;
  readonly values: number;
}

const PAGE_SIZE = 1_000;

/** Stand in for what was erased of a user, whose row cases, requests, reports and disclosures refer to. */
const erasedName = 'Erased';
const erasedEmail = (userId: Id<'usr'>) => `${userId}@erased.invalid`;

/** Of a row of users. */
export const isErased = sql<boolean>`email = users.id || '@erased.invalid'`;

/**
 * Permanently erases a former member from the organization:
 *
 * - from its log: names, addresses, and the salts that open their digests. The digests stay, so every leaf, proof and
 *   checkpoint stays valid;
 * - from the user, and so from every case, request, report listing and disclosure that shows it;
 * - the security events about the user, with the client addresses in them;
 * - past invitations of the person.
 *
 * What it does not reach is listed in docs/security.md. Repeating it changes nothing. A legal hold forbids it.
 */
export async function erasePersonalValues(
  foundation: Foundation,
  caller: Caller,
  user: string,
): Promise<ErasedValues> {
  const { organizationId, actor } = requireOperatorOr(caller, 'members:manage');
  requireFreshFactor(foundation, caller, 'erasePersonalValues');
  const userId = parseIdOrNotFound('usr', user);
  return foundation.database.transaction(async (transaction) => {
    await requireNoLegalHold(transaction, organizationId, 'personal_values');
    return eraseFormerMember(transaction, { organizationId, actor, userId, at: foundation.clock.now() });
  });
}

/** The same in a transaction in which no legal hold is in force. */
export async function eraseFormerMember(
  transaction: Transaction,
  { organizationId, actor, userId, at }: Acting & { readonly userId: Id<'usr'>; readonly at: Date },
): Promise<ErasedValues> {
  const { email } = await requireFormerMember(transaction, organizationId, userId);
  // A sequencer writes the same rows: taking turns prevents a deadlock.
  await holdLog(transaction, organizationId);
  const erased = await eraseSalts(transaction, organizationId, userId);
  await eraseInvitations(transaction, organizationId, userId, email);
  const isNew = await eraseUser(transaction, organizationId, userId);
  if (isNew || erased.values > 0) {
    await recordActivity(transaction, {
      organizationId,
      eventType: 'member.erased',
      actor,
      object: { user_id: userId },
      details: { entries: erased.entries, values: erased.values },
      at,
    });
  }
  return { userId, ...erased };
}

/** Actions of a member are still logged by name, so an erasure would be undone at once. */
async function requireFormerMember(
  transaction: Transaction,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
): Promise<{ readonly email: string }> {
  const [user] = await transaction.rows(
    query
      .selectFrom('users')
      .select(['ended_at as endedAt', 'email'])
      .where('organization_id', '=', organizationId)
      .where('id', '=', userId)
      .forUpdate(),
  );
  if (!user) throw notFound('user');
  if (user.endedAt === null) throw conflict('The user is a member: end the membership first.');
  return user;
}

/** An invitation that still waits is of another membership. */
async function eraseInvitations(
  transaction: Transaction,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
  email: string,
): Promise<void> {
  await transaction.rows(
    query
      .deleteFrom('invitations')
      .where('organization_id', '=', organizationId)
      .where((invitations) =>
        invitations.or([
          invitations('user_id', '=', userId),
          invitations(sql`lower(email)`, '=', email.toLowerCase()),
        ]),
      )
      .where((invitations) =>
        invitations.or([
          invitations('accepted_at', 'is not', null),
          invitations('revoked_at', 'is not', null),
          invitations('expires_at', '<=', sql<Date>`now()`),
        ]),
      ),
  );
}

/** Erases the user and the refusals about it, and what its sessions were opened by. False when it was erased before. */
async function eraseUser(
  transaction: Transaction,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
): Promise<boolean> {
  await transaction.rows(
    query
      .deleteFrom('security_events')
      .where('organization_id', '=', organizationId)
      .where('subject_id', '=', userId),
  );
  await transaction.rows(
    query
      .updateTable('sessions')
      .set({ client_address: null, user_agent: null })
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId),
  );
  const erased = await transaction.rows(
    query
      .updateTable('users')
      .set({ name: erasedName, email: erasedEmail(userId) })
      .where('organization_id', '=', organizationId)
      .where('id', '=', userId)
      .where('email', '!=', erasedEmail(userId))
      .returning('id'),
  );
  return erased.length > 0;
}

async function eraseSalts(
  transaction: Transaction,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
): Promise<{ entries: number; values: number }> {
  const erased = { entries: 0, values: 0 };
  for (let last = { created_at: new Date(0), id: '' }; ;) {
    const rows = await transaction.rows(
      query
        .selectFrom('activity_entries')
        .select(['id', 'created_at', 'entry', 'salts'])
        .where('organization_id', '=', organizationId)
        .where(names(userId))
        .where(sql<boolean>`salts <> '{}'`)
        .where(sql<boolean>`(created_at, id) > (${last.created_at}::timestamptz, ${last.id})`)
        .orderBy('created_at')
        .orderBy('id')
        .limit(PAGE_SIZE),
    );
    for (const { id, entry, salts } of rows) {
      const pointers = pointersOfPerson(entry, salts, userId);
      if (pointers.length === 0) continue;
      await transaction.rows(
        query
          .updateTable('activity_entries')
          .set({ salts: sql`salts - ${pointers}::text[]` })
          .where('id', '=', id),
      );
      erased.entries += 1;
      erased.values += pointers.length;
    }
    if (rows.length < PAGE_SIZE) return erased;
    last = rows.at(-1)!;
  }
}

const names = (userId: Id<'usr'>) => sql<boolean>`strpos(entry::text, ${`"${userId}"`}) > 0`;
