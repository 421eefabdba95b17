import type { RetentionRule } from '../access/index.js';
import { query, sql } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';

/**
 * The files of reports. A file is as old as the newest report with its content. The reports are kept with digest and salt, so
 * that anyone's copy can still be checked against the log.
 */
export const retainedFiles: RetentionRule = {
  kind: 'reports',
  table: 'report_files',
  // A file has any number of pieces.
  batchSize: 5,
  due: (organizationId, before) =>
    query
      .selectFrom('report_files')
      .where('report_files.organization_id', '=', organizationId as never)
      .where('report_files.created_at', '<', before)
      .where((file) =>
        file.or([file('report_files.stored_at', 'is', null), file('report_files.stored_at', '<', before)]),
      )
      .where((file) =>
        file.not(
          file.exists(
            query
              .selectFrom('reports')
              .select('reports.id')
              .where('reports.content_id', '=', sql.ref<Id<'rpt'>>('report_files.content_id'))
              .where('reports.generated_at', '>=', before),
          ),
        ),
      ),
  async remove(transaction, { organizationId, before, limit }) {
    const deleted = await transaction.rows(
      query
        .deleteFrom('report_files')
        .where('content_id', 'in', () =>
          this.due(sql.val(organizationId), sql.val(before)).select('report_files.content_id').limit(limit),
        )
        .returning('content_id as contentId'),
    );
    // Deleted second, because a trigger protects the pieces of a file.
    const contentIds = deleted.map(({ contentId }) => contentId);
    if (contentIds.length > 0)
      await transaction.rows(query.deleteFrom('report_chunks').where('content_id', 'in', contentIds));
    return deleted.length;
  },
};
