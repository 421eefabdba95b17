import { recordActivity } from '../activity-log/index.js';
import type { Foundation } from '../database/index.js';
import { parseOptionalText } from '../kernel/text.js';
import { actorOf, requireApplicationPermission, type Principal } from '../organizations/index.js';
import { takeChange } from './case-changes.js';
import type { CaseRequest } from './case-request.js';
import { LONGEST_REASON } from './create-case-request.js';
import { loggedPeople } from './logged-people.js';
import { locatePending, locateRequest, settle } from './decide-case-request.js';

export interface CaseDecisionInput {
  readonly id: string;
  /** Why, 1 to 2000 characters. */
  readonly reason?: string | null | undefined;
}

/** Closes a pending request without a case. */
export async function closeCaseRequest(
  foundation: Foundation,
  principal: Principal | undefined,
  foreignId: string,
  input: CaseDecisionInput,
): Promise<CaseRequest> {
  const { user, applicationId } = requireApplicationPermission(
    principal,
    foreignId,
    'administrator',
    'cases:approve_creation',
  );
  const { organizationId, userId } = user;
  const reason = parseOptionalText('reason', input.reason, LONGEST_REASON);
  const whose = { organizationId, applicationId, visible: 'all' } as const;
  return foundation.database.transaction(async (transaction) => {
    const request = await locatePending(transaction, whose, input.id);
    const { change, application } = await takeChange(foundation, transaction, whose);
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
      application,
      at,
    });
    return locateRequest(transaction, whose, input.id);
  });
}
