/** The statuses of a disclosure and the allowed transitions. Nothing else changes a status. */
export const DISCLOSURE_STATUSES = ['pending', 'available', 'rejected'] as const;
export type DisclosureStatus = (typeof DISCLOSURE_STATUSES)[number];

export const DISCLOSURE_TRANSITIONS = {
  pending: ['available', 'rejected'],
  available: [],
  rejected: [],
} as const satisfies Record<DisclosureStatus, readonly DisclosureStatus[]>;

export const DISCLOSURE_DECISIONS = ['authorize', 'reject'] as const;
export type DisclosureDecision = (typeof DISCLOSURE_DECISIONS)[number];

/** The status after a decision. An authorized disclosure stays `pending` until its result is stored. */
export const STATUS_AFTER_DECISION = {
  authorize: 'pending',
  reject: 'rejected',
} as const satisfies Record<DisclosureDecision, DisclosureStatus>;

export function mayBecome(from: DisclosureStatus, to: DisclosureStatus): boolean {
  return (DISCLOSURE_TRANSITIONS[from] as readonly DisclosureStatus[]).includes(to);
}
