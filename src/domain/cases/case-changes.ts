import { query, sql, type Foundation, type Reader, type Transaction } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';

/** Published after a request or a case of the application changed. */
export const casesTopic = (applicationId: Id<'app'>) => `cases:${applicationId}`;

interface Applied {
  readonly organizationId: Id<'org'>;
  readonly applicationId: Id<'app'>;
}

/**
 * Numbers a change of the application's requests and cases. The application's row stays locked until the commit, so that
 * numbers follow the order of commits and a follower never misses a late commit.
 */
export async function takeChange(
  { signals }: Pick<Foundation, 'signals'>,
  transaction: Transaction,
  { organizationId, applicationId }: Applied,
): Promise<{ change: number; application: { id: Id<'app'>; foreignId: string } }> {
  const [row] = await transaction.rows(
    query
      .updateTable('applications')
      .set({ case_changes: sql`case_changes + 1` })
      .where('organization_id', '=', organizationId)
      .where('id', '=', applicationId)
      .returning(['case_changes as change', 'foreign_id as foreignId']),
  );
  if (!row) throw new Error('The application of the case is missing.');
  transaction.afterCommit(() => signals.publish(casesTopic(applicationId)));
  return { change: row.change, application: { id: applicationId, foreignId: row.foreignId } };
}

/** The number of the last change of each of these applications, in one statement. */
export async function latestChanges(
  reader: Reader,
  organizationId: Id<'org'>,
  applicationIds: readonly Id<'app'>[],
): Promise<ReadonlyMap<Id<'app'>, number>> {
  const rows = await reader.rows(
    query
      .selectFrom('applications')
      .select(['id', 'case_changes as change'])
      .where('organization_id', '=', organizationId)
      .where('id', 'in', applicationIds),
  );
  return new Map(rows.map(({ id, change }) => [id, change]));
}
