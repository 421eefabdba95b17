/** The states of a disclosure and the ways between them. Nothing else changes a status. */
export const DISCLOSURE_STATUSES = ['pending', 'available', 'rejected'] as const;
export type DisclosureStatus = (typeof DISCLOSURE_STATUSES)[number];

export const DISCLOSURE_TRANSITIONS = {
  pending: ['available', 'rejected'],
  available: [],
  rejected: [],
} as const satisfies Record<DisclosureStatus, readonly DisclosureStatus[]>;

export const DISCLOSURE_DECISIONS = ['authorize', 'reject'] as const;
export type DisclosureDecision = (typeof DISCLOSURE_DECISIONS)[number];

/**
 * What a decision makes of a pending disclosure. An authorized one stays `pending` until its result is stored: it is
 * never `available` without a result.
 */
export const STATUS_AFTER_DECISION = {
  authorize: 'pending',
  reject: 'rejected',
} as const satisfies Record<DisclosureDecision, DisclosureStatus>;

export function mayBecome(from: DisclosureStatus, to: DisclosureStatus): boolean {
  return (DISCLOSURE_TRANSITIONS[from] as readonly DisclosureStatus[]).includes(to);
}
