/** The status of a case at a moment. It is computed and never stored. */
export const CASE_STATUSES = ['active', 'expired'] as const;
export type CaseStatus = (typeof CASE_STATUSES)[number];

const DAY_MS = 24 * 60 * 60 * 1000;
export const DAY_SECONDS = 24 * 60 * 60;

/** The number of the UTC day in which a Unix second lies. */
export const dayOf = (seconds: number) => Math.floor(seconds / DAY_SECONDS);

/** The instant at which access ends: `accessDays` times 24 hours after the approval. */
export function expiryOf(approvedAt: Date, accessDays: number): Date {
  return new Date(approvedAt.getTime() + accessDays * DAY_MS);
}

export function caseStatusAt(expiresAt: Date, now: Date): CaseStatus {
  return now.getTime() < expiresAt.getTime() ? 'active' : 'expired';
}

/** Seconds of access left, rounded up: 0 exactly when the case is expired. */
export function secondsLeftAt(expiresAt: Date, now: Date): number {
  return Math.max(0, Math.ceil((expiresAt.getTime() - now.getTime()) / 1000));
}

/** The Unix seconds that a period covers: from the first second of its first UTC day to the second after its last day. */
export function secondsOfPeriod(
  periodFrom: string,
  periodTo: string,
): { readonly from: number; readonly until: number } {
  return {
    from: Date.parse(`${periodFrom}T00:00:00Z`) / 1000,
    until: (Date.parse(`${periodTo}T00:00:00Z`) + DAY_MS) / 1000,
  };
}
