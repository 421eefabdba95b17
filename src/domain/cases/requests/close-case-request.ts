import { recordActivity } from '../../activity-log/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { parseOptionalReason } from '../../../platform/kernel/text.js';
import { actorOf, type Principal, requireFreshFactor, requirePermissionStill } from '../../access/index.js';
import { requireCaseAdministrator } from '../case-access.js';
import { takeChange } from '../case-changes.js';
import type { CaseRequest } from './case-request.js';
import { loggedPeople } from '../logged-people.js';
import { findPendingRequest, findVisibleRequest, settle } from './decide-case-request.js';

export interface CaseDecisionInput {
  readonly foreignId: string;
  readonly id: string;
  /** The reason, 1 to 2000 characters. */
  readonly reason?: string | null | undefined;
}

/** Closes a pending request without a case. */
export async function closeCaseRequest(
  foundation: Foundation,
  principal: Principal | undefined,
  input: CaseDecisionInput,
): Promise<CaseRequest> {
  const { user, application, visibility } = requireCaseAdministrator(principal, input.foreignId);
  requireFreshFactor(foundation, user, 'closeCaseRequest');
  const { organizationId, userId } = user;
  const reason = parseOptionalReason(input.reason);
  return foundation.database.transaction(async (transaction) => {
    const request = await findPendingRequest(transaction, visibility, input.id);
    const { change, application: named } = await takeChange(foundation, transaction, application);
    // Other transactions may have committed first, and one may have removed the permission.
    const { applicationId } = application;
    await requirePermissionStill(transaction, user, applicationId, 'administrator', 'cases:approve_creation');
    const at = foundation.clock.now();
    await settle(transaction, request, { decision: 'close', decidedBy: userId, reason, change, at });
    const [requester] = await loggedPeople(transaction, organizationId, [request.requestedBy]);
    await recordActivity(transaction, {
      organizationId,
      eventType: 'case_request.closed',
      actor: actorOf(user),
      object: {
        type: 'case_request',
        id: request.id,
        requested_by: requester ?? null,
      },
      details: { reason },
      application: named,
      at,
    });
    return findVisibleRequest(transaction, visibility, input.id);
  });
}
