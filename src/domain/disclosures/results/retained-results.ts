import type { RetentionRule } from '../../access/index.js';
import { query, sql } from '../../../platform/database/index.js';

/** The results of disclosures. Each disclosure, its decision, its receipt and its log entries are kept. */
export const retainedResults: RetentionRule = {
  kind: 'disclosure_results',
  table: 'disclosures',
  batchSize: 1_000,
  due: (organizationId, before) =>
    query
      .selectFrom('disclosures')
      .where('organization_id', '=', organizationId as never)
      .where('resolved_at', '<', before)
      .where((disclosure) =>
        disclosure.or([disclosure('stored_at', 'is', null), disclosure('stored_at', '<', before)]),
      )
      .where('sealed_result', 'is not', null),
  async remove(transaction, { organizationId, before, limit }) {
    const deleted = await transaction.rows(
      query
        .updateTable('disclosures')
        .set({ sealed_result: null })
        .where('id', 'in', () =>
          this.due(sql.val(organizationId), sql.val(before)).select('disclosures.id').limit(limit),
        )
        .returning('id'),
    );
    return deleted.length;
  },
};
