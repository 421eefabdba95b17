import { query, type Transaction } from '../../../platform/database/index.js';
import { conflict, notFound } from '../../../platform/kernel/errors.js';
import { parseIdOrNotFound, type Id } from '../../../platform/kernel/ids.js';
import type { VisibleIn } from '../visible-in.js';
import { selectCaseRequests, type CaseRequest, type CaseRequestVisibility } from './case-request.js';
import { mayBecome, STATUS_AFTER_DECISION, type CaseRequestDecision } from './case-request-state.js';

type Visibility = VisibleIn<CaseRequestVisibility>;

export interface Decision {
  readonly decision: CaseRequestDecision;
  readonly decidedBy: Id<'usr'>;
  readonly reason: string | null;
  readonly caseId?: Id<'cas'>;
  readonly change: number;
  readonly at: Date;
}

/** The request if it is visible and pending. @throws `NOT_FOUND` or `CONFLICT`. */
export async function findPendingRequest(
  transaction: Transaction,
  visibility: Visibility,
  requestId: string,
): Promise<CaseRequest> {
  const request = await findVisibleRequest(transaction, visibility, requestId);
  if (request.status !== 'pending') throw decided();
  return request;
}

/** Decides a request that was read as pending. If several callers race, one wins and the others conflict. */
export async function settle(
  transaction: Transaction,
  { id, organizationId, status: from }: CaseRequest,
  { decision, decidedBy, reason, caseId, change, at }: Decision,
): Promise<void> {
  const status = STATUS_AFTER_DECISION[decision];
  if (!mayBecome(from, status)) throw decided();
  const changed = await transaction.rows(
    query
      .updateTable('case_requests')
      .set({
        status,
        withdrawn: decision === 'withdraw',
        decided_by: decidedBy,
        decided_at: at,
        decision_reason: reason,
        case_id: caseId ?? null,
        change,
      })
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .where('status', '=', from)
      .returning('id'),
  );
  if (changed.length === 0) throw decided();
}

export async function findVisibleRequest(
  transaction: Pick<Transaction, 'rows'>,
  visibility: Visibility,
  requestId: string,
): Promise<CaseRequest> {
  const id = parseIdOrNotFound('crq', requestId);
  const [request] = await selectCaseRequests(transaction, { ...visibility, id });
  if (!request) throw notFound('case request');
  return request;
}

const decided = () => conflict('The case request is no longer pending.');
