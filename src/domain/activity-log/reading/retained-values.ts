import { GATEWAY, type RetentionRule } from '../../access/index.js';
import { query, sql } from '../../../platform/database/index.js';
import { isErased } from './erase-former-member.js';
import { beginErasure } from './erasures.js';

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

/** Former members. Each is erased as `lucarne log erase` erases one: {@link sweepErasures} carries it out. */
export const retainedMembers: RetentionRule = {
  kind: 'personal_values',
  table: 'users',
  batchSize: 200,
  due: (organizationId, before) =>
    query
      .selectFrom('users')
      .where('organization_id', '=', organizationId as never)
      .where('ended_at', '<', before)
      .where((user) => user.not(isErased))
      .where((user) =>
        user.not(
          user.exists(
            user
              .selectFrom('erasures')
              .select('erasures.user_id')
              .whereRef('erasures.organization_id', '=', 'users.organization_id')
              .whereRef('erasures.user_id', '=', 'users.id'),
          ),
        ),
      ),
  async remove(transaction, { organizationId, before, limit, at }) {
    const due = await transaction.rows(
      this.due(sql.val(organizationId), sql.val(before)).select('users.id').orderBy('users.id').limit(limit),
    );
    for (const { id: userId } of due)
      await beginErasure(transaction, { organizationId, userId }, { by: GATEWAY, at });
    return due.length;
  },
};
