import { GATEWAY } from '../../access/index.js';
import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query } from '../../../platform/database/index.js';
import { createPollLoop, type PollLoop } from '../../../platform/jobs/index.js';
import { timestamp } from '../../../platform/kernel/clock.js';
import { HOUR_MS } from './record-case-view.js';

type Parts = Pick<Foundation, 'database' | 'clock'>;

/** The delay after the end of an hour, for gateways whose clocks are behind. */
const GRACE_MS = 60_000;
const BATCH_SIZE = 100;

/** Logs the reads of ended hours, once a minute. Several instances may run it. */
export function createCaseViewCounter({
  foundation,
  pollMs = 60_000,
}: {
  readonly foundation: Foundation;
  readonly pollMs?: number;
}): PollLoop {
  return createPollLoop({
    pollMs,
    async turn(mayContinue) {
      while (mayContinue() && (await countCaseViews(foundation)) === BATCH_SIZE);
    },
    failed: (thrown) => foundation.log.warn({ err: thrown }, 'Logging what was read of cases failed.'),
  });
}

/**
 * Logs the total for each past hour in which a user read more of a case than the log states. The entry and its mark are
 * written in one transaction for each view. The mark is compared, so only one of two instances writes the entry.
 */
export async function countCaseViews({ database, clock }: Parts): Promise<number> {
  const now = clock.now();
  const ended = new Date(now.getTime() - HOUR_MS - GRACE_MS);
  const views = await database.rows(
    query
      .selectFrom('case_views')
      .innerJoin('cases', 'cases.id', 'case_views.case_id')
      .innerJoin('applications', 'applications.id', 'cases.application_id')
      .select([
        'case_views.case_id as caseId',
        'case_views.user_id as userId',
        'case_views.hour',
        'cases.organization_id as organizationId',
        'cases.application_id as applicationId',
        'applications.foreign_id as foreignId',
      ])
      .whereRef('case_views.answers', '>', 'case_views.logged_answers')
      .where('case_views.hour', '<=', ended)
      .orderBy('case_views.hour')
      .limit(BATCH_SIZE),
  );
  for (const { caseId, userId, hour, organizationId, applicationId, foreignId } of views)
    await database.transaction(async (transaction) => {
      const [counted] = await transaction.rows(
        query
          .updateTable('case_views')
          .set((view) => ({ logged_answers: view.ref('answers') }))
          .where('case_id', '=', caseId)
          .where('user_id', '=', userId)
          .where('hour', '=', hour)
          .whereRef('answers', '>', 'logged_answers')
          .returning(['answers', 'transactions']),
      );
      if (!counted) return;
      await recordActivity(transaction, {
        organizationId,
        eventType: 'case.views_counted',
        actor: GATEWAY,
        object: { type: 'case', id: caseId },
        details: { user_id: userId, hour: timestamp(hour), ...counted },
        application: { id: applicationId, foreignId },
        caseId,
        at: now,
      });
    });
  return views.length;
}
