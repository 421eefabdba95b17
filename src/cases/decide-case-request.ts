import type { Transaction } from '../database/index.js';
import { conflict, notFound } from '../kernel/errors.js';
import { locateId, type Id } from '../kernel/ids.js';
import { CaseRequestEntity } from './case.entity.js';
import { selectCaseRequests, type CaseRequest, type CaseRequestSelection } from './case-request.js';
import { mayBecome, STATUS_AFTER_DECISION, type CaseRequestDecision } from './case-request-state.js';

type Whose = Pick<CaseRequestSelection, 'organizationId' | 'applicationId' | 'visible'>;

export interface Decision {
  readonly decision: CaseRequestDecision;
  readonly decidedBy: Id<'usr'>;
  readonly reason: string | null;
  readonly caseId?: Id<'cas'>;
  readonly change: number;
  readonly at: Date;
}

/** The request, when it may be seen and is still to be decided: otherwise `NOT_FOUND` or `CONFLICT`. */
export async function locatePending(
  transaction: Transaction,
  whose: Whose,
  requestId: string,
): Promise<CaseRequest> {
  const request = await locateRequest(transaction, whose, requestId);
  if (request.status !== 'pending') throw decided();
  return request;
}

/** Decides a request that was read as pending. Of several at once the database lets one win; the others conflict. */
export async function settle(
  transaction: Transaction,
  { id, organizationId, status: from }: CaseRequest,
  { decision, decidedBy, reason, caseId, change, at }: Decision,
): Promise<void> {
  const status = STATUS_AFTER_DECISION[decision];
  if (!mayBecome(from, status)) throw decided();
  const changed = await transaction.em.nativeUpdate(
    CaseRequestEntity,
    { id, organizationId, status: from },
    {
      status,
      withdrawn: decision === 'withdraw',
      decidedBy,
      decidedAt: at,
      decisionReason: reason,
      caseId: caseId ?? null,
      change,
    },
  );
  if (changed === 0) throw decided();
}

export async function locateRequest(
  transaction: Pick<Transaction, 'rows'>,
  whose: Whose,
  requestId: string,
): Promise<CaseRequest> {
  const id = locateId('crq', requestId);
  const [request] = await selectCaseRequests(transaction, { ...whose, id });
  if (!request) throw notFound('case request');
  return request;
}

const decided = () => conflict('The case request is not pending any more.');
