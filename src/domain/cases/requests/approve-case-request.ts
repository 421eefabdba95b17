import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query, type Transaction, valuesOf } from '../../../platform/database/index.js';
import { timestamp } from '../../../platform/kernel/clock.js';
import { type Id, newId } from '../../../platform/kernel/ids.js';
import { parseOptionalReason } from '../../../platform/kernel/text.js';
import {
  actorOf,
  type Principal,
  requireFreshFactor,
  requireGivesOthers,
  requireOtherPerson,
  requirePermissionStill,
  type UserPrincipal,
} from '../../access/index.js';
import { requireCaseAdministrator } from '../case-access.js';
import { takeChange } from '../case-changes.js';
import { type CaseRecord, selectCases } from '../case.js';
import { type CaseGrant, type CaseGrantInput, parseGrant } from './case-grant.js';
import type { CaseRequest } from './case-request.js';
import { expiryOf } from '../case-window.js';
import { CaseAuditorEntity, CaseEntity } from '../case.entity.js';
import type { CaseDecisionInput } from './close-case-request.js';
import { findPendingRequest, settle } from './decide-case-request.js';
import { describeFlags } from '../disclosure-flags.js';
import { loggedPeople } from '../logged-people.js';

/** Approves a pending request, in full or in part. It becomes a case, and the access of its auditors begins now. */
export async function approveCaseRequest(
  foundation: Foundation,
  principal: Principal | undefined,
  input: CaseDecisionInput & { readonly grant?: CaseGrantInput | null | undefined },
): Promise<CaseRecord> {
  const { user, application, visibility } = requireCaseAdministrator(principal, input.foreignId);
  requireFreshFactor(foundation, user, 'approveCaseRequest');
  const { userId } = user;
  const reason = parseOptionalReason(input.reason);
  return foundation.database.transaction(async (transaction) => {
    const request = await findPendingRequest(transaction, visibility, input.id);
    const grant = parseGrant(request, input.grant);
    const { change, application: named } = await takeChange(foundation, transaction, application);
    // Other transactions may have committed first: one may have removed the permission, or two may have turned the
    // second-person rule on.
    await requireOtherPerson(transaction, user, request.requestedBy.id);
    await requireGivesOthers(transaction, user, grant.auditorIds);
    const { applicationId } = application;
    await requirePermissionStill(transaction, user, applicationId, 'administrator', 'cases:approve_creation');
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
    await openCase(transaction, { caseId, request, grant, approvedBy: userId, change, at });
    await recordApproval(transaction, { user, request, grant, caseId, reason, application: named, at });
    const [created] = await selectCases(transaction, { ...visibility, id: caseId, at });
    if (!created) throw new Error('The case that was just made cannot be read.');
    return created;
  });
}

async function openCase(
  transaction: Transaction,
  opened: {
    readonly caseId: Id<'cas'>;
    readonly request: CaseRequest;
    readonly grant: CaseGrant;
    readonly approvedBy: Id<'usr'>;
    readonly change: number;
    readonly at: Date;
  },
): Promise<void> {
  const { caseId, request, grant, approvedBy, change, at } = opened;
  await transaction.rows(
    query.insertInto('cases').values(
      valuesOf(CaseEntity, {
        id: caseId,
        organizationId: request.organizationId,
        applicationId: request.applicationId,
        requestId: request.id,
        reason: request.reason,
        periodFrom: grant.periodFrom,
        periodTo: grant.periodTo,
        accessDays: grant.accessDays,
        disclosureFlags: grant.disclosureFlags,
        assetIds: [...grant.assetIds],
        approvedBy,
        createdAt: at,
        expiresAt: expiryOf(at, grant.accessDays),
        change,
      }),
    ),
  );
  await transaction.rows(
    query
      .insertInto('case_auditors')
      .values(grant.auditorIds.map((userId) => valuesOf(CaseAuditorEntity, { caseId, userId }))),
  );
}

async function recordApproval(
  transaction: Transaction,
  approved: {
    readonly user: UserPrincipal;
    readonly request: CaseRequest;
    readonly grant: CaseGrant;
    readonly caseId: Id<'cas'>;
    readonly reason: string | null;
    readonly application: { readonly id: Id<'app'>; readonly foreignId: string };
    readonly at: Date;
  },
): Promise<void> {
  const { user, request, grant, caseId, reason, application, at } = approved;
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
      period_from: grant.periodFrom,
      period_to: grant.periodTo,
      access_days: grant.accessDays,
      expires_at: timestamp(expiryOf(at, grant.accessDays)),
      disclosure_flags: describeFlags(grant.disclosureFlags),
      auditors: await loggedPeople(
        transaction,
        organizationId,
        request.auditors.filter(({ id: auditorId }) => grant.auditorIds.includes(auditorId)),
      ),
      asset_ids: [...grant.assetIds],
    },
  });
}
