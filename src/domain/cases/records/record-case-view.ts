import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query, type Reader, type Transaction } from '../../../platform/database/index.js';
import { timestamp } from '../../../platform/kernel/clock.js';
import { actorOf, requireActingSession } from '../../access/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { type CaseAccess, requireCaseAccessStill } from '../case-access.js';
import { requireAssetsStill } from './case-scope.js';

export const HOUR_MS = 60 * 60 * 1000;

/** What a case shows was decrypted meanwhile: checks the access, the session and the assets of the shown records again. */
export async function requireShownStill(
  reader: Reader,
  access: CaseAccess,
  assetIds: Iterable<Id<'ast'>>,
  at: Date,
): Promise<void> {
  await requireCaseAccessStill(reader, access, at);
  await requireActingSession(reader, access.user);
  await requireAssetsStill(reader, access.case, assetIds);
}

/**
 * Runs after records of a case were decrypted, and commits before they are returned. It calls {@link requireShownStill},
 * counts the shown records, and logs the reader once for each user, case and hour (UTC). The entry states what this first answer
 * shows, and what the user read in the last earlier hour. An answer that shows nothing new has no transactions.
 * `countCaseViews` logs the rest of an hour after its end.
 */
export async function recordCaseView(
  { database, clock }: Pick<Foundation, 'database' | 'clock'>,
  access: CaseAccess,
  { transactions, assetIds }: { readonly transactions: number; readonly assetIds: Iterable<Id<'ast'>> },
): Promise<void> {
  const {
    user,
    case: { id, organizationId, applicationId, foreignId },
  } = access;
  await database.transaction(async (transaction) => {
    const now = clock.now();
    const hour = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
    await requireShownStill(transaction, access, assetIds, now);
    const [counted] = await transaction.rows(
      query
        .insertInto('case_views')
        .values({ case_id: id, user_id: user.userId, hour, answers: 1, transactions })
        .onConflict((conflict) =>
          conflict.columns(['case_id', 'user_id', 'hour']).doUpdateSet((view) => ({
            answers: view('case_views.answers', '+', 1),
            transactions: view('case_views.transactions', '+', transactions),
          })),
        )
        .returning('answers'),
    );
    if (counted?.answers !== 1) return;
    await recordActivity(transaction, {
      organizationId,
      eventType: 'case.viewed',
      actor: actorOf(user),
      object: { type: 'case', id },
      details: {
        hour: timestamp(hour),
        transactions,
        previous: await previousView(transaction, access, hour),
      },
      application: { id: applicationId, foreignId },
      caseId: id,
      at: now,
    });
  });
}

/** The user's reads in the last earlier hour. Null if there are none. */
async function previousView(
  transaction: Transaction,
  { user, case: { id } }: CaseAccess,
  before: Date,
): Promise<{ hour: string; answers: number; transactions: number } | null> {
  const [view] = await transaction.rows(
    query
      .selectFrom('case_views')
      .select(['hour', 'answers', 'transactions'])
      .where('case_id', '=', id)
      .where('user_id', '=', user.userId)
      .where('hour', '<', before)
      .orderBy('hour', 'desc')
      .limit(1),
  );
  return view ? { ...view, hour: timestamp(view.hour) } : null;
}
