/** The statuses of a case request and the allowed transitions. Nothing else changes a status. */
export const CASE_REQUEST_STATUSES = ['pending', 'approved', 'closed'] as const;
export type CaseRequestStatus = (typeof CASE_REQUEST_STATUSES)[number];

export const CASE_REQUEST_TRANSITIONS = {
  pending: ['approved', 'closed'],
  approved: [],
  closed: [],
} as const satisfies Record<CaseRequestStatus, readonly CaseRequestStatus[]>;

export const CASE_REQUEST_DECISIONS = ['approve', 'close', 'withdraw'] as const;
export type CaseRequestDecision = (typeof CASE_REQUEST_DECISIONS)[number];

/** The status after a decision about a pending request. A withdrawn request counts as closed. */
export const STATUS_AFTER_DECISION = {
  approve: 'approved',
  close: 'closed',
  withdraw: 'closed',
} as const satisfies Record<CaseRequestDecision, CaseRequestStatus>;

export function mayBecome(from: CaseRequestStatus, to: CaseRequestStatus): boolean {
  return (CASE_REQUEST_TRANSITIONS[from] as readonly CaseRequestStatus[]).includes(to);
}
