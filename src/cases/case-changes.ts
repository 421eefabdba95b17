import { sql, type Foundation, type Reader, type Transaction } from '../database/index.js';
import type { Id } from '../kernel/ids.js';

/** Told after a request or a case of the application changed. */
export const casesTopic = (applicationId: Id<'app'>) => `cases:${applicationId}`;

interface Applied {
  readonly organizationId: Id<'org'>;
  readonly applicationId: Id<'app'>;
}

/**
 * Gives a change its place among those of the application. The application's row is held until the commit, so that
 * places are taken in the order of commits and a follower never passes one that is not there yet.
 */
export async function takeChange(
  { signals }: Pick<Foundation, 'signals'>,
  transaction: Transaction,
  { organizationId, applicationId }: Applied,
): Promise<{ change: number; application: { id: Id<'app'>; foreignId: string } }> {
  const [row] = await transaction.rows(sql<{ change: number; foreignId: string }>`
    update applications set case_changes = case_changes + 1
    where organization_id = ${organizationId} and id = ${applicationId}
    returning case_changes as change, foreign_id as "foreignId"`);
  if (!row) throw new Error('The application of a case is gone.');
  transaction.afterCommit(() => signals.publish(casesTopic(applicationId)));
  return { change: row.change, application: { id: applicationId, foreignId: row.foreignId } };
}

export async function latestChange(
  reader: Reader,
  { organizationId, applicationId }: Applied,
): Promise<number> {
  const [row] = await reader.rows(sql<{ change: number }>`
    select case_changes as change from applications
    where organization_id = ${organizationId} and id = ${applicationId}`);
  return row?.change ?? 0;
}
