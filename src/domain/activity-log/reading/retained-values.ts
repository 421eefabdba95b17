import { GATEWAY, type RetentionRule } from '../../access/index.js';
import { query, sql } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { eraseFormerMember, findSequencedSalts, type FoundSalts, isErased } from './erase-former-member.js';

/** The names and addresses in entries. The entries and their digests stay, so every proof stays valid. */
export const retainedValues: RetentionRule = {
  kind: 'personal_values',
  table: 'activity_entries',
  batchSize: 200,
  due: (organizationId, before) =>
    query
      .selectFrom('activity_entries')
      .where('organization_id', '=', organizationId as never)
      .where('created_at', '<', before)
      // The sequencer still writes entries without an index, and would have to wait.
      .where('log_index', 'is not', null)
      // Log entries of a sweep contain no personal values. Otherwise they would need a sweep themselves.
      .where('event_type', '<>', 'retention.applied')
      .where(sql<boolean>`salts <> '{}'`),
  async remove(transaction, { organizationId, before, limit }) {
    const erased = await transaction.rows(
      query
        .updateTable('activity_entries')
        .set({ salts: sql`'{}'` })
        .where('id', 'in', () =>
          this.due(sql.val(organizationId), sql.val(before)).select('activity_entries.id').limit(limit),
        )
        .returning('id'),
    );
    return erased.length;
  },
};

/** Former members. Each is erased as `lucarne log erase` erases one. */
export const retainedMembers: RetentionRule = {
  kind: 'personal_values',
  table: 'users',
  // Few, because each erasure searches the whole log.
  batchSize: 1,
  async prepare(reader, { organizationId, before, limit }) {
    const users = await reader.rows(
      this.due(sql.val(organizationId), sql.val(before)).select('users.id').orderBy('users.id').limit(limit),
    );
    const found = new Map<Id<'usr'>, FoundSalts>();
    for (const { id: userId } of users)
      found.set(userId, await findSequencedSalts(reader, { organizationId, userId }));
    return (transaction, batch) => removeMembers(this, transaction, batch, found);
  },
  due: (organizationId, before) =>
    query
      .selectFrom('users')
      .where('organization_id', '=', organizationId as never)
      .where('ended_at', '<', before)
      .where((user) => user.not(isErased)),
  async remove(transaction, batch) {
    const remove = await this.prepare!(transaction, batch);
    return remove(transaction, batch);
  },
};

type Removing = Parameters<RetentionRule['remove']>;

/** Erases those that were found and are still due. */
async function removeMembers(
  rule: RetentionRule,
  transaction: Removing[0],
  { organizationId, before, at }: Removing[1],
  saltsOfMembers: ReadonlyMap<Id<'usr'>, FoundSalts>,
): Promise<number> {
  let count = 0;
  for (const [userId, found] of saltsOfMembers) {
    const due = await transaction.rows(
      rule.due(sql.val(organizationId), sql.val(before)).select('users.id').where('users.id', '=', userId),
    );
    if (due.length === 0) continue;
    await eraseFormerMember(transaction, { organizationId, actor: GATEWAY, userId, found, at });
    count += 1;
  }
  return count;
}
