import { recordActivity } from '../activity-log/index.js';
import { type Foundation, query, type Reader } from '../../platform/database/index.js';
import { parseOneOf } from '../../platform/kernel/enums/enums.js';
import { conflict, parseMembers } from '../../platform/kernel/errors.js';
import type { Id } from '../../platform/kernel/ids.js';
import { parseOptionalReason } from '../../platform/kernel/text.js';
import {
  actorOf,
  findApplicationById,
  type Principal,
  requireFreshFactor,
  requireOtherPerson,
  requirePermissionStill,
  requireUser,
  type UserPrincipal,
} from '../access/index.js';
import { lockAsset } from '../assets/index.js';
import { disclosureAccess, findVisibleDisclosure, type VisibleDisclosure } from './disclosure-access.js';
import { numberChange } from './disclosure-changes.js';
import { scopeFromJson } from './disclosure-scope.js';
import { DISCLOSURE_DECISIONS, mayBecome, STATUS_AFTER_DECISION } from './disclosure-state.js';
import type { Fulfilment } from './results/fulfilment.js';
import { ANSWER_TIMEOUT_MS } from './request-disclosure.js';
import { newestPosition } from '../transactions/index.js';
import { measureScope } from './results/select-records.js';

export interface DecideDisclosureInput {
  readonly id: string;
  readonly decision: string;
  readonly reason?: string | null | undefined;
}

/**
 * Authorizes or rejects a pending disclosure. An authorized scope selects the records indexed at this moment. The response
 * waits for the result, as when a policy decides.
 */
export async function decideDisclosure(
  foundation: Foundation,
  fulfilment: Fulfilment,
  principal: Principal | undefined,
  input: DecideDisclosureInput,
  answerTimeoutMs = ANSWER_TIMEOUT_MS,
): Promise<VisibleDisclosure> {
  const caller = requireUser(principal);
  const access = disclosureAccess(caller);
  requireFreshFactor(foundation, caller, 'decideDisclosure');
  const { decision, reason } = parseMembers({
    decision: () => parseOneOf('decision', DISCLOSURE_DECISIONS, input.decision),
    reason: () => parseOptionalReason(input.reason),
  });
  const disclosure = await findVisibleDisclosure(foundation, access, input.id);
  const { id, organizationId, assetId } = disclosure;
  const now = foundation.clock.now();
  const status = STATUS_AFTER_DECISION[decision];
  if (disclosure.decision !== null || (status !== 'pending' && !mayBecome(disclosure.status, status)))
    throw decided();

  await foundation.database.transaction(async (transaction) => {
    // The application of the asset at the commit determines which administrators may decide.
    const { applicationId } = await lockAsset(transaction, organizationId, assetId, 'hold');
    await requireDeciderStill(transaction, caller, applicationId);
    await requireOtherPerson(transaction, caller, disclosure.requestedBy);
    let asOfPosition: number | null = null;
    if (decision === 'authorize') {
      asOfPosition = await newestPosition(transaction, organizationId, assetId);
      const scope = scopeFromJson(disclosure.scope);
      // Records may have been added since the request. The limit applies to the authorized ones.
      await measureScope(transaction, { organizationId, assetId, scope, asOfPosition });
    }
    const changed = await transaction.rows(
      query
        .updateTable('disclosures')
        .set({
          decision,
          status,
          decided_by: caller.userId,
          decision_reason: reason,
          decided_at: now,
          as_of_position: asOfPosition,
          resolved_at: status === 'rejected' ? now : null,
        })
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .where('status', '=', 'pending')
        .where('decision', 'is', null)
        .returning('id'),
    );
    if (changed.length === 0) throw decided();
    await recordActivity(transaction, {
      organizationId,
      eventType: 'disclosure.decided',
      actor: actorOf(caller),
      object: { type: 'disclosure', id, asset_id: assetId },
      details: { decision, decided_by: 'user', reason },
      application: await findApplicationById(transaction, organizationId, applicationId),
      at: now,
    });
    await numberChange(foundation, transaction, { organizationId, id });
    // From here until the commit no permission can be removed. One may have been removed before.
    await requireDeciderStill(transaction, caller, applicationId);
  });

  if (decision === 'authorize') await fulfilment.fulfillWithTimeout(id, answerTimeoutMs);
  return findVisibleDisclosure(foundation, access, id);
}

/** A person who was removed or lost the permission while the request waited cannot decide. */
async function requireDeciderStill(
  reader: Reader,
  caller: UserPrincipal,
  applicationId: Id<'app'> | null,
): Promise<void> {
  if (caller.grants.owner.has('disclosures:decide'))
    await requirePermissionStill(reader, caller, null, 'owner', 'disclosures:decide');
  else await requirePermissionStill(reader, caller, applicationId, 'administrator', 'disclosures:decide');
}

const decided = () => conflict('The disclosure is already decided.');
