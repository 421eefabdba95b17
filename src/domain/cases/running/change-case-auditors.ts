import { recordActivity } from '../../activity-log/index.js';
import {
  actingAs,
  actorOf,
  type Principal,
  requireFreshFactor,
  requireOtherPerson,
  requirePermissionStill,
  type UserPrincipal,
} from '../../access/index.js';
import { withSecondPerson } from '../../organizations/index.js';
import { type Foundation, query, type Transaction, valuesOf } from '../../../platform/database/index.js';
import { conflict, forbidden, notFound, parseMembers } from '../../../platform/kernel/errors.js';
import { type Id, parseId } from '../../../platform/kernel/ids.js';
import { parseReason } from '../../../platform/kernel/text.js';
import { type CaseAdministrator, requireCaseAdministrator } from '../case-access.js';
import { takeChange } from '../case-changes.js';
import type { CaseRecord } from '../case.js';
import { CaseAuditorEntity } from '../case.entity.js';
import { loggedPeople } from '../logged-people.js';
import { requireAuditors } from '../requests/create-case-request.js';
import { findCaseOf, findRunningCase } from './find-running-case.js';

export interface ChangeCaseAuditorInput {
  readonly foreignId: string;
  readonly id: string;
  readonly auditorId: string;
  readonly reason: string;
}

/**
 * Assigns another auditor, who holds an auditor permission of the application, to a case whose window is open. If the
 * organization requires a second person, two administrators must request it, and neither can add themselves.
 */
export async function addCaseAuditor(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ChangeCaseAuditorInput,
): Promise<CaseRecord> {
  const asked = parseInput(principal, input, (caller) =>
    requireFreshFactor(foundation, caller, 'addCaseAuditor'),
  );
  const { user, auditorId, application } = asked;
  const acting = actingAs(user);
  const proposed = { foreignId: input.foreignId, caseId: input.id, auditorId };
  await foundation.database.transaction(async (transaction) => {
    await requireOtherPerson(transaction, user, auditorId);
    await requireAuditors(transaction, application, [auditorId], 'auditorId');
    await findRunningCase(transaction, asked.visibility, input.id, foundation.clock.now());
  });
  const { applicationId } = application;
  const proposal = { operation: 'addCaseAuditor', input: proposed, applicationId } as const;
  return withSecondPerson(foundation, acting, proposal, async (transaction, proposedBy) => {
    // The rule may have been turned on since, also while the first person's request waited.
    await requireOtherPerson(transaction, user, auditorId);
    if (proposedBy === auditorId) throw proposedByAuditor();
    await requireAuditors(transaction, application, [auditorId], 'auditorId');
    return changeAuditors(foundation, transaction, asked, input, async (running) => {
      if (running.auditors.some(({ id }) => id === auditorId))
        throw conflict('The auditor is already assigned to the case.');
      await transaction.rows(
        query
          .insertInto('case_auditors')
          .values(valuesOf(CaseAuditorEntity, { caseId: running.id, userId: auditorId })),
      );
      return { added: true };
    });
  });
}

const proposedByAuditor = () =>
  forbidden('The auditor proposed this. Two people who are not the auditor must request it.', {
    reason: 'second_person_required',
  });

/** Removes an auditor from a case, who then has no access at once. The last auditor cannot be removed: end the case instead. */
export async function removeCaseAuditor(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ChangeCaseAuditorInput,
): Promise<CaseRecord> {
  const asked = parseInput(principal, input);
  const { auditorId } = asked;
  return foundation.database.transaction((transaction) =>
    changeAuditors(foundation, transaction, asked, input, async (running) => {
      if (!running.auditors.some(({ id }) => id === auditorId)) throw notFound('auditor of the case');
      if (running.auditors.length === 1)
        throw conflict('The case has no other auditor: end the case instead.');
      await transaction.rows(
        query.deleteFrom('case_auditors').where('case_id', '=', running.id).where('user_id', '=', auditorId),
      );
      return { added: false };
    }),
  );
}

interface Asked extends CaseAdministrator {
  readonly auditorId: Id<'usr'>;
  readonly reason: string;
}

function parseInput(
  principal: Principal | undefined,
  input: ChangeCaseAuditorInput,
  admit: (user: UserPrincipal) => void = () => undefined,
): Asked {
  const { user, application, visibility } = requireCaseAdministrator(principal, input.foreignId);
  admit(user);
  const parsed = parseMembers({
    auditorId: () => parseId('usr', 'auditorId', input.auditorId),
    reason: () => parseReason(input.reason),
  });
  return { user, application, visibility, ...parsed };
}

async function changeAuditors(
  foundation: Foundation,
  transaction: Transaction,
  { user, application, visibility, auditorId, reason }: Asked,
  { id }: ChangeCaseAuditorInput,
  change: (running: CaseRecord) => Promise<{ readonly added: boolean }>,
): Promise<CaseRecord> {
  const { organizationId } = user;
  // Locked first, so that changes of the application's cases run one after the other and see each other.
  const numbered = await takeChange(foundation, transaction, application);
  const { applicationId } = application;
  await requirePermissionStill(transaction, user, applicationId, 'administrator', 'cases:approve_creation');
  const at = foundation.clock.now();
  const running = await findRunningCase(transaction, visibility, id, at);
  const { added } = await change(running);
  await transaction.rows(
    query
      .updateTable('cases')
      .set({ change: numbered.change })
      .where('organization_id', '=', organizationId)
      .where('id', '=', running.id),
  );
  const changed = await findCaseOf(transaction, visibility, id, at);
  const person = [...running.auditors, ...changed.auditors].find((auditor) => auditor.id === auditorId);
  const logged = await loggedPeople(transaction, organizationId, person ? [person] : []);
  await recordActivity(transaction, {
    organizationId,
    eventType: 'case.auditors_changed',
    actor: actorOf(user),
    object: { type: 'case', id: running.id, request_id: running.requestId },
    details: { added: added ? logged : [], removed: added ? [] : logged, reason },
    application: numbered.application,
    caseId: running.id,
    at,
  });
  return changed;
}
