import { recordActivity } from '../../activity-log/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import {
  actorOf,
  type Principal,
  requireApplicationPermission,
  requirePermissionStill,
} from '../../access/index.js';
import { takeChange } from '../case-changes.js';
import { visibleIn } from '../visible-in.js';
import type { CaseRequest } from './case-request.js';
import { findPendingRequest, findVisibleRequest, settle } from './decide-case-request.js';

/** Withdraws the caller's own pending request. The request of another user is `NOT_FOUND`. */
export async function withdrawCaseRequest(
  foundation: Foundation,
  principal: Principal | undefined,
  { foreignId, id: requestId }: { readonly foreignId: string; readonly id: string },
): Promise<CaseRequest> {
  const { user, applicationId } = requireApplicationPermission(
    principal,
    foreignId,
    'auditor',
    'cases:withdraw_pending_request',
  );
  const { organizationId, userId } = user;
  const application = { organizationId, applicationId };
  const visibility = visibleIn(application, { requestedBy: userId });
  return foundation.database.transaction(async (transaction) => {
    const request = await findPendingRequest(transaction, visibility, requestId);
    const { change, application: named } = await takeChange(foundation, transaction, application);
    const permission = 'cases:withdraw_pending_request';
    await requirePermissionStill(transaction, user, applicationId, 'auditor', permission);
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
      application: named,
      at,
    });
    return findVisibleRequest(transaction, visibility, requestId);
  });
}
