import { recordActivity } from '../activity-log/index.js';
import { sql, type Foundation } from '../database/index.js';
import { actorOf } from '../organizations/index.js';
import { requireCaseAccessStill, type CaseAccess } from './case-access.js';

/**
 * Comes between what was read of a case and its answer: the right to it must still stand, for decryption took time,
 * and the log says who looked, once for a user, case and UTC day.
 */
export async function recordCaseView(
  { database, clock }: Pick<Foundation, 'database' | 'clock'>,
  access: CaseAccess,
): Promise<void> {
  const {
    user,
    case: { id, organizationId, applicationId, foreignId },
  } = access;
  await database.transaction(async (transaction) => {
    const now = clock.now();
    const day = now.toISOString().slice(0, 10);
    await requireCaseAccessStill(transaction, access, now);
    const [first] = await transaction.rows(sql`
      insert into case_views (case_id, user_id, day, viewed_at) values (${id}, ${user.userId}, ${day}, ${now})
      on conflict do nothing returning case_id`);
    if (!first) return;
    await recordActivity(transaction, {
      organizationId,
      eventType: 'case.transactions_viewed',
      actor: actorOf(user),
      object: { type: 'case', id },
      details: { day },
      application: { id: applicationId, foreignId },
      caseId: id,
      at: now,
    });
  });
}
