import { recordActivity } from '../activity-log/index.js';
import { sql, type Foundation, type Transaction } from '../database/index.js';
import { timestamp } from '../kernel/clock.js';
import { forbidden } from '../kernel/errors.js';
import { newId, type Id } from '../kernel/ids.js';
import { parseOptionalText } from '../kernel/text.js';
import {
  actorOf,
  requireApplicationPermission,
  type Principal,
  type UserPrincipal,
} from '../organizations/index.js';
import { takeChange } from './case-changes.js';
import { selectCases, type CaseRecord } from './case.js';
import type { CaseRequest } from './case-request.js';
import { expiryOf } from './case-window.js';
import { CaseAuditorEntity, CaseEntity } from './case.entity.js';
import type { CaseDecisionInput } from './close-case-request.js';
import { LONGEST_REASON } from './create-case-request.js';
import { locatePending, settle } from './decide-case-request.js';
import { describeFlags } from './disclosure-flags.js';
import { loggedPeople } from './logged-people.js';

/** Makes a case of a pending request: the proposed auditors are assigned, and their window begins now. */
export async function approveCaseRequest(
  foundation: Foundation,
  principal: Principal | undefined,
  foreignId: string,
  input: CaseDecisionInput,
): Promise<CaseRecord> {
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
    await requireSecondPerson(transaction, user, request);
    const { change, application } = await takeChange(foundation, transaction, whose);
    const at = foundation.clock.now();
    const caseId = newId('cas');
    await settle(transaction, request, {
      decision: 'approve',
      decidedBy: userId,
      reason,
      caseId,
      change,
      at,
    });
    await openCase(transaction, { caseId, request, approvedBy: userId, change, at });
    await recordApproval(transaction, { user, request, caseId, reason, application, at });
    const [created] = await selectCases(transaction, { ...whose, id: caseId, at });
    if (!created) throw new Error('The case that was just made cannot be read.');
    return created;
  });
}

/** Where the organization demands it, nobody approves a request of their own. */
async function requireSecondPerson(
  transaction: Transaction,
  { organizationId, userId }: UserPrincipal,
  { requestedBy }: CaseRequest,
): Promise<void> {
  if (requestedBy.id !== userId) return;
  const [organization] = await transaction.rows(sql<{ required: boolean }>`
    select require_second_person as required from organizations where id = ${organizationId}`);
  if (organization?.required !== false) {
    throw forbidden('Your organization demands that a second person approves: this request is your own.');
  }
}

async function openCase(
  transaction: Transaction,
  opened: {
    readonly caseId: Id<'cas'>;
    readonly request: CaseRequest;
    readonly approvedBy: Id<'usr'>;
    readonly change: number;
    readonly at: Date;
  },
): Promise<void> {
  const { caseId, request, approvedBy, change, at } = opened;
  await transaction.em.insert(CaseEntity, {
    id: caseId,
    organizationId: request.organizationId,
    applicationId: request.applicationId,
    requestId: request.id,
    reason: request.reason,
    periodFrom: request.periodFrom,
    periodTo: request.periodTo,
    accessDays: request.accessDays,
    disclosureFlags: request.disclosureFlags,
    assetIds: [...request.assetIds],
    approvedBy,
    createdAt: at,
    expiresAt: expiryOf(at, request.accessDays),
    change,
  });
  await transaction.em.insertMany(
    CaseAuditorEntity,
    request.auditorIds.map((userId) => ({ caseId, userId })),
  );
}

async function recordApproval(
  transaction: Transaction,
  approved: {
    readonly user: UserPrincipal;
    readonly request: CaseRequest;
    readonly caseId: Id<'cas'>;
    readonly reason: string | null;
    readonly application: { readonly id: Id<'app'>; readonly foreignId: string };
    readonly at: Date;
  },
): Promise<void> {
  const { user, request, caseId, reason, application, at } = approved;
  const { id, organizationId, requestedBy } = request;
  const [requester] = await loggedPeople(transaction, organizationId, [requestedBy]);
  const common = { organizationId, actor: actorOf(user), application, caseId, at };
  await recordActivity(transaction, {
    ...common,
    eventType: 'case_request.approved',
    object: {
      type: 'case_request',
      id,
      requested_by: requester ?? null,
    },
    details: { reason },
  });
  await recordActivity(transaction, {
    ...common,
    eventType: 'case.created',
    object: { type: 'case', id: caseId, request_id: id },
    details: {
      reason: request.reason,
      period_from: request.periodFrom,
      period_to: request.periodTo,
      access_days: request.accessDays,
      expires_at: timestamp(expiryOf(at, request.accessDays)),
      disclosure_flags: describeFlags(request.disclosureFlags),
      auditors: await loggedPeople(transaction, organizationId, request.auditors),
      asset_ids: [...request.assetIds],
    },
  });
}
