import { recordActivity } from '../activity-log/index.js';
import type { Foundation } from '../database/index.js';
import { badUserInput, conflict } from '../kernel/errors.js';
import { parseOptionalText } from '../kernel/text.js';
import { actorOf, findApplicationById, requireUser, type Principal } from '../organizations/index.js';
import { disclosureAccess, locateDisclosure, type VisibleDisclosure } from './disclosure-access.js';
import { scopeFromJson } from './disclosure-scope.js';
import {
  DISCLOSURE_DECISIONS,
  mayBecome,
  STATUS_AFTER_DECISION,
  type DisclosureDecision,
} from './disclosure-state.js';
import { DisclosureEntity } from './disclosure.entity.js';
import type { Fulfilment } from './fulfilment.js';
import { ANSWER_WITHIN_MILLISECONDS } from './request-disclosure.js';
import { measureScope, newestPosition } from './select-records.js';

export interface DecideDisclosureInput {
  readonly id: string;
  readonly decision: string;
  readonly reason?: string | null | undefined;
}

/**
 * Authorizes or rejects a pending disclosure. An authorized scope selects what is indexed at this moment; its result is
 * waited for as when a policy decides.
 */
export async function decideDisclosure(
  foundation: Foundation,
  fulfilment: Fulfilment,
  principal: Principal | undefined,
  input: DecideDisclosureInput,
  answerWithin = ANSWER_WITHIN_MILLISECONDS,
): Promise<VisibleDisclosure> {
  const caller = requireUser(principal);
  const access = disclosureAccess(caller);
  const decision = parseDecision(input.decision);
  const reason = parseOptionalText('reason', input.reason, 2000);
  const disclosure = await locateDisclosure(foundation, access, input.id);
  const { id, organizationId, assetId } = disclosure;
  const now = foundation.clock.now();
  const status = STATUS_AFTER_DECISION[decision];
  if (disclosure.decision !== null || (status !== 'pending' && !mayBecome(disclosure.status, status)))
    throw decided();

  await foundation.database.transaction(async (transaction) => {
    let asOfPosition: number | null = null;
    if (decision === 'authorize') {
      asOfPosition = await newestPosition(transaction, organizationId, assetId);
      const scope = scopeFromJson(disclosure.scope);
      // Records may have come since the request: its bound holds for what is authorized.
      await measureScope(transaction, { organizationId, assetId, scope, asOfPosition });
    }
    const changed = await transaction.em.nativeUpdate(
      DisclosureEntity,
      { id, organizationId, status: 'pending', decision: null },
      {
        decision,
        status,
        decidedBy: caller.userId,
        decisionReason: reason,
        decidedAt: now,
        asOfPosition,
        resolvedAt: status === 'rejected' ? now : null,
      },
    );
    if (changed === 0) throw decided();
    await recordActivity(transaction, {
      organizationId,
      eventType: 'disclosure.decided',
      actor: actorOf(caller),
      object: { type: 'disclosure', id, asset_id: assetId },
      details: { decision, decided_by: 'user', reason },
      application: await findApplicationById(transaction, organizationId, disclosure.applicationId),
      at: now,
    });
  });

  if (decision === 'authorize') await fulfilment.fulfilWithin(id, answerWithin);
  return locateDisclosure(foundation, access, id);
}

const decided = () => conflict('The disclosure is decided already.');

function parseDecision(value: string): DisclosureDecision {
  const decision = DISCLOSURE_DECISIONS.find((known) => known === value);
  if (!decision) throw badUserInput(`decision must be one of ${DISCLOSURE_DECISIONS.join(', ')}.`);
  return decision;
}
