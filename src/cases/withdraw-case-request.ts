import { recordActivity } from '../activity-log/index.js';
import type { Foundation } from '../database/index.js';
import { actorOf, requireApplicationPermission, type Principal } from '../organizations/index.js';
import { takeChange } from './case-changes.js';
import type { CaseRequest } from './case-request.js';
import { locatePending, locateRequest, settle } from './decide-case-request.js';

/** Takes back the caller's own pending request. Another's is as if it were not there. */
export async function withdrawCaseRequest(
  foundation: Foundation,
  principal: Principal | undefined,
  foreignId: string,
  requestId: string,
): Promise<CaseRequest> {
  const { user, applicationId } = requireApplicationPermission(
    principal,
    foreignId,
    'auditor',
    'cases:withdraw_pending_request',
  );
  const { organizationId, userId } = user;
  const whose = { organizationId, applicationId, visible: { requestedBy: userId } };
  return foundation.database.transaction(async (transaction) => {
    const request = await locatePending(transaction, whose, requestId);
    const { change, application } = await takeChange(foundation, transaction, whose);
    const at = foundation.clock.now();
    await settle(transaction, request, {
      decision: 'withdraw',
      decidedBy: userId,
      reason: null,
      change,
      at,
    });
    await recordActivity(transaction, {
      organizationId,
      eventType: 'case_request.withdrawn',
      actor: actorOf(user),
      object: { type: 'case_request', id: request.id },
      application,
      at,
    });
    return locateRequest(transaction, whose, requestId);
  });
}
