import { recordActivity } from '../../activity-log/index.js';
import { actorOf, type Principal, requirePermissionStill } from '../../access/index.js';
import { type Foundation, query } from '../../../platform/database/index.js';
import { timestamp } from '../../../platform/kernel/clock.js';
import { conflict } from '../../../platform/kernel/errors.js';
import { parseReason } from '../../../platform/kernel/text.js';
import { requireCaseAdministrator } from '../case-access.js';
import { takeChange } from '../case-changes.js';
import type { CaseRecord } from '../case.js';
import { findCaseOf, findRunningCase } from './find-running-case.js';

export interface EndCaseInput {
  readonly foreignId: string;
  readonly id: string;
  readonly reason: string;
}

/** Ends a case early. Its auditors have no access from this instant on, because `expires_at` decides about it. */
export async function endCase(
  foundation: Foundation,
  principal: Principal | undefined,
  input: EndCaseInput,
): Promise<CaseRecord> {
  const { user, application, visibility } = requireCaseAdministrator(principal, input.foreignId);
  const { organizationId, userId } = user;
  const { applicationId } = application;
  const reason = parseReason(input.reason);
  return foundation.database.transaction(async (transaction) => {
    const { change, application: named } = await takeChange(foundation, transaction, application);
    await requirePermissionStill(transaction, user, applicationId, 'administrator', 'cases:approve_creation');
    const at = foundation.clock.now();
    const running = await findRunningCase(transaction, visibility, input.id, at);
    const ended = await transaction.rows(
      query
        .updateTable('cases')
        .set({ expires_at: at, ended_at: at, ended_by: userId, end_reason: reason, change })
        .where('organization_id', '=', organizationId)
        .where('id', '=', running.id)
        .where('expires_at', '>', at)
        .returning('id'),
    );
    if (ended.length === 0) throw conflict('The case has already ended.');
    await recordActivity(transaction, {
      organizationId,
      eventType: 'case.ended',
      actor: actorOf(user),
      object: { type: 'case', id: running.id, request_id: running.requestId },
      details: { reason, would_have_expired_at: timestamp(running.expiresAt) },
      application: named,
      caseId: running.id,
      at,
    });
    return findCaseOf(transaction, visibility, input.id, at);
  });
}
