import type { RetentionRule } from '../../access/index.js';
import { query, sql } from '../../../platform/database/index.js';

/**
 * Invitations that ended, with the name and the address of the invited person. They are all that is stored of a person who
 * never joined, except in the log, where the names are deleted after the same time.
 */
export const retainedInvitations: RetentionRule = {
  kind: 'personal_values',
  table: 'invitations',
  since: '0061-ended-invitations',
  batchSize: 1_000,
  due: (organizationId, before) =>
    query
      .selectFrom('invitations')
      .where('organization_id', '=', organizationId as never)
      .where('expires_at', '<', before),
  async remove(transaction, { organizationId, before, limit }) {
    const deleted = await transaction.rows(
      query
        .deleteFrom('invitations')
        .where('id', 'in', () =>
          this.due(sql.val(organizationId), sql.val(before)).select('invitations.id').limit(limit),
        )
        .returning('id'),
    );
    return deleted.length;
  },
};
