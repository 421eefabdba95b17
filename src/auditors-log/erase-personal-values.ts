import { holdLog, pointersOfPerson, recordActivity, type Salts } from '../activity-log/index.js';
import { sql, type Foundation, type Transaction } from '../database/index.js';
import { conflict, notFound } from '../kernel/errors.js';
import { locateId, type Id } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import { requireOperatorOr, type Caller } from '../organizations/index.js';

export interface ErasedValues {
  readonly userId: Id<'usr'>;
  /** Entries that named the person, and how many values were erased from them. */
  readonly entries: number;
  readonly values: number;
}

const PAGE = 1_000;

/**
 * Erases a former member's names and addresses from the organization's log for good: the values and the salts that
 * open their digests. The digests stay, so every leaf, proof and checkpoint stays what it was. Again, it changes nothing.
 */
export async function erasePersonalValues(
  foundation: Foundation,
  caller: Caller,
  user: string,
): Promise<ErasedValues> {
  const { organizationId, actor } = requireOperatorOr(caller, 'members:manage');
  const userId = locateId('usr', user);
  return foundation.database.transaction(async (transaction) => {
    await requireFormerMember(transaction, organizationId, userId);
    // A sequencer writes the same rows: taking turns, neither waits for the other half-way.
    await holdLog(transaction, organizationId);
    const erased = await eraseSalts(transaction, organizationId, userId);
    if (erased.values > 0) {
      await recordActivity(transaction, {
        organizationId,
        eventType: 'member.erased',
        actor,
        object: { user_id: userId },
        details: { entries: erased.entries, values: erased.values },
        at: foundation.clock.now(),
      });
    }
    return { userId, ...erased };
  });
}

/** A member goes on being logged by name, so what is erased would come again. */
async function requireFormerMember(
  transaction: Transaction,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
): Promise<void> {
  const [row] = await transaction.rows(sql<{ member: boolean; named: boolean }>`
    select
      exists (select from memberships where organization_id = ${organizationId} and user_id = ${userId}) as member,
      exists (select from activity_entries where ${naming(organizationId, userId)}) as named`);
  if (row?.member) throw conflict('The user is a member: end the membership first.');
  if (!row?.named) throw notFound('user');
}

async function eraseSalts(
  transaction: Transaction,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
): Promise<{ entries: number; values: number }> {
  const erased = { entries: 0, values: 0 };
  for (let behind = 0; ;) {
    const rows = await transaction.rows(sql<{
      id: string;
      sequence: number;
      entry: JsonObject;
      salts: Salts;
    }>`
      select id, sequence, entry, salts from activity_entries
      where ${naming(organizationId, userId)} and salts <> '{}' and sequence > ${behind}
      order by sequence limit ${PAGE}`);
    for (const { id, entry, salts } of rows) {
      const pointers = pointersOfPerson(entry, salts, userId);
      if (pointers.length === 0) continue;
      await transaction.rows(sql`
        update activity_entries set salts = salts - ${pointers}::text[] where id = ${id}`);
      erased.entries += 1;
      erased.values += pointers.length;
    }
    if (rows.length < PAGE) return erased;
    behind = rows.at(-1)!.sequence;
  }
}

const naming = (organizationId: Id<'org'>, userId: Id<'usr'>) =>
  sql`organization_id = ${organizationId} and strpos(entry::text, ${`"${userId}"`}) > 0`;
