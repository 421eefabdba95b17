import type { RawBuilder } from 'kysely';
import { holdLog } from '../sequencing/sequence-entries.js';
import { pointersOfPerson } from '../personal-values.js';
import { query, type Reader, sql, type Transaction } from '../../../platform/database/index.js';
import { conflict, notFound } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';

export interface ErasedCounts {
  /** Entries that named the person, and how many values were erased from them. */
  readonly entries: number;
  readonly values: number;
}

export interface ErasedValues extends ErasedCounts {
  readonly userId: Id<'usr'>;
}

/** Placeholders for the erased values of a user. The row stays, because cases, requests, reports and disclosures refer to it. */
const erasedName = 'Erased';
const erasedEmail = (userId: Id<'usr'>) => `${userId}@erased.invalid`;

/** Whether a row of users was erased. */
export const isErased = sql<boolean>`email = users.id || '@erased.invalid'`;

/**
 * Erases what is left of a former member: the entries from index `doneBelow` on, and those that wait for one; the user's name and
 * address, which cases, requests, report listings and disclosures show; the security events about the user, with their client
 * addresses; and past invitations of the person, with their entries. It is brief: what is new in the log since it was searched is
 * little. docs/security.md lists what it does not reach.
 */
export async function eraseFormerMember(
  transaction: Transaction,
  person: Person,
  doneBelow: number,
): Promise<ErasedCounts & { readonly isNew: boolean }> {
  const { organizationId, userId } = person;
  const { email } = await requireFormerMember(transaction, organizationId, userId);
  const invitations = [
    ...(await loggedInvitations(transaction, person)),
    ...(await eraseInvitations(transaction, person, email)),
  ];
  const isNew = await eraseUser(transaction, organizationId, userId);
  // A sequencer writes these rows. Holding the log prevents a deadlock.
  await holdLog(transaction, organizationId);
  const erased = await eraseSalts(
    transaction,
    mergedById([
      ...(await saltsOf(transaction, person, sql`(log_index is null or log_index >= ${doneBelow})`)),
      ...(await saltsOfInvitations(transaction, organizationId, invitations)),
    ]),
  );
  return { ...erased, isNew };
}

/** A member's actions are still logged by name, so new names would follow an erasure immediately. */
export async function requireFormerMember(
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

/**
 * The invitations that the log names with the user: the accepted one, and those for a new way to sign in. The entry of an
 * invitation cannot name the user, who did not exist.
 */
export async function loggedInvitations(
  reader: Reader,
  { organizationId, userId }: Person,
): Promise<string[]> {
  // Raw: the builder reads no members of JSON.
  const id = sql<string>`coalesce(entry->'object'->>'invitation_id', entry->'details'->>'invitation_id')`;
  const rows = await reader.rows(
    query
      .selectFrom('activity_entries')
      .select(id.as('id'))
      .where('organization_id', '=', organizationId)
      .where('object_id', '=', userId)
      .where(id, 'is not', null),
  );
  return rows.map((row) => row.id);
}

/**
 * Deletes past invitations, and returns their ids. Pending ones stay, because each belongs to a later membership, and so do
 * those of another user with the same address, who may be the same person.
 */
async function eraseInvitations(
  transaction: Transaction,
  { organizationId, userId }: Person,
  email: string,
): Promise<string[]> {
  const rows = await transaction.rows(
    query
      .deleteFrom('invitations')
      .where('organization_id', '=', organizationId)
      .where((invitations) =>
        invitations.or([
          invitations('user_id', '=', userId),
          invitations.and([
            invitations('user_id', 'is', null),
            // Raw: the builder names no collation. With this one, only A to Z have a case, as in `foldEmail`.
            invitations(sql`lower(email collate "C")`, '=', sql<string>`lower(${email}::text collate "C")`),
          ]),
        ]),
      )
      .where('id', 'not in', (entries) =>
        entries
          .selectFrom('activity_entries')
          // Raw: the builder reads no members of JSON.
          .select(sql<Id<'inv'>>`entry->'details'->>'invitation_id'`.as('id'))
          .where('organization_id', '=', organizationId)
          .where('event_type', '=', 'member.added')
          .where('object_id', '<>', userId)
          .where(sql`entry->'details'->>'invitation_id'`, 'is not', null),
      )
      .where((invitations) =>
        invitations.or([
          invitations('accepted_at', 'is not', null),
          invitations('revoked_at', 'is not', null),
          invitations('expires_at', '<=', sql<Date>`now()`),
        ]),
      )
      .returning('id'),
  );
  return rows.map(({ id }) => id);
}

/** Erases the user, refusals about the user, and client details of the user's sessions. Returns false if done before. */
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

export interface Person {
  readonly organizationId: Id<'org'>;
  readonly userId: Id<'usr'>;
}

export interface EntrySalts {
  readonly id: Id<'log'>;
  readonly pointers: readonly string[];
}

/** The person's values in some entries. */
export async function saltsOf(
  reader: Reader,
  { organizationId, userId }: Person,
  among: RawBuilder<boolean>,
): Promise<EntrySalts[]> {
  const rows = await reader.rows(
    query
      .selectFrom('activity_entries')
      .select(['id', 'entry', 'salts'])
      .where('organization_id', '=', organizationId)
      .where(among)
      .where(names(userId))
      .where(sql<boolean>`salts <> '{}'`),
  );
  return rows
    .map(({ id, entry, salts }) => ({ id, pointers: pointersOfPerson(entry, salts, new Set([userId])) }))
    .filter(({ pointers }) => pointers.length > 0);
}

/** The values in entries about invitations. The index on the object of an entry finds them without reading the log. */
export async function saltsOfInvitations(
  reader: Reader,
  organizationId: Id<'org'>,
  invitations: readonly string[],
): Promise<EntrySalts[]> {
  if (invitations.length === 0) return [];
  const ids = new Set(invitations);
  const rows = await reader.rows(
    query
      .selectFrom('activity_entries')
      .select(['id', 'entry', 'salts'])
      .where('organization_id', '=', organizationId)
      .where('object_id', 'in', [...ids])
      .where(sql<boolean>`salts <> '{}'`),
  );
  return rows.map(({ id, entry, salts }) => ({ id, pointers: pointersOfPerson(entry, salts, ids) }));
}

/** Each entry once. An entry of both lists names the person as the actor and as the invited person. */
function mergedById(salts: readonly EntrySalts[]): EntrySalts[] {
  const merged = new Map<Id<'log'>, Set<string>>();
  for (const { id, pointers } of salts) merged.set(id, new Set([...(merged.get(id) ?? []), ...pointers]));
  return [...merged].map(([id, pointers]) => ({ id, pointers: [...pointers] }));
}

/** Returns how many values it erased, and from how many entries. Values that were erased earlier do not count. */
export async function eraseSalts(
  transaction: Transaction,
  salts: readonly EntrySalts[],
): Promise<ErasedCounts> {
  const erased = { entries: 0, values: 0 };
  for (let first = 0; first < salts.length; first += ERASED_TOGETHER) {
    const piece = salts.slice(first, first + ERASED_TOGETHER);
    // Raw: the builder neither reads a list of records nor counts what an update removes.
    const [row] = await transaction.rows(sql<{ entries: number; values: number }>`
      with found as (
        select id, pointers from jsonb_to_recordset(${JSON.stringify(piece)}::jsonb) as found (id text, pointers text[])
      ), present as (
        select entries.id, pointers,
          (select count(*) from unnest(pointers) as pointer where entries.salts ? pointer) as count
        from activity_entries as entries join found on found.id = entries.id where entries.salts ?| pointers
      ), erased as (
        update activity_entries as entries set salts = entries.salts - pointers
        from present where entries.id = present.id returning present.count
      )
      select count(*)::integer as entries, coalesce(sum(count), 0)::integer as values from erased`);
    erased.entries += row!.entries;
    erased.values += row!.values;
  }
  return erased;
}

/** Entries that one statement writes. */
export const ERASED_TOGETHER = 500;

const names = (userId: Id<'usr'>) => sql<boolean>`strpos(entry::text, ${`"${userId}"`}) > 0`;
