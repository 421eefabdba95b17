import { GATEWAY, type RetentionRule } from '../../access/index.js';
import { query, sql } from '../../../platform/database/index.js';
import { holdLog } from '../sequencing/sequence-entries.js';
import { eraseFormerMember, isErased } from './erase-personal-values.js';

/** The names and addresses in entries. The entries and their digests stay, so every proof stays valid. */
export const retainedValues: RetentionRule = {
  kind: 'personal_values',
  table: 'activity_entries',
  batchSize: 1_000,
  due: (organizationId, before) =>
    query
      .selectFrom('activity_entries')
      .where('organization_id', '=', organizationId as never)
      .where('created_at', '<', before)
      // What a sweep writes names nobody. It would be the reason for the next one.
      .where('event_type', '<>', 'retention.applied')
      .where(sql<boolean>`salts <> '{}'`),
  async remove(transaction, { organizationId, before, limit }) {
    // A sequencer writes the same rows: taking turns prevents a deadlock.
    await holdLog(transaction, organizationId);
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

/** Former members, erased as by `log erase`. */
export const retainedMembers: RetentionRule = {
  kind: 'personal_values',
  table: 'users',
  // Each erasure looks through the whole log.
  batchSize: 1,
  due: (organizationId, before) =>
    query
      .selectFrom('users')
      .where('organization_id', '=', organizationId as never)
      .where('ended_at', '<', before)
      .where((user) => user.not(isErased)),
  async remove(transaction, { organizationId, before, limit, at }) {
    const users = await transaction.rows(
      this.due(sql.val(organizationId), sql.val(before)).select('users.id').limit(limit),
    );
    for (const { id: userId } of users)
      await eraseFormerMember(transaction, { organizationId, actor: GATEWAY, userId, at });
    return users.length;
  },
};
