import type { AddressStatus } from './addresses/address-state.js';

/** Why an address is approved or not: the closed list that callers see. */
export const CHECK_REASONS = [
  'approved',
  'not_approved',
  'revoked',
  'sanctioned',
  'unknown_application',
  'screening_unavailable',
] as const;
export type CheckReason = (typeof CHECK_REASONS)[number];

/** Which step decided, in the order in which they are taken. */
export const CHECK_STEPS = [
  'application',
  'sanctions_list',
  'screening_service',
  'address_list',
  'default',
] as const;
export type CheckStep = (typeof CHECK_STEPS)[number];
export type ScreeningStep = Extract<CheckStep, 'sanctions_list' | 'screening_service'>;

/** What one screening step says. Only `clear` lets the next one speak. */
export type ScreeningOutcome = 'clear' | 'sanctioned' | 'unavailable';

export interface ScreenedBy {
  readonly step: ScreeningStep;
  readonly outcome: ScreeningOutcome;
}

/** The application's own decision about the address. */
export interface AddressRules {
  /** Absent: the address is not listed. */
  readonly listed: AddressStatus | undefined;
  readonly approvedByDefault: boolean;
}

export interface CheckDecision {
  readonly approved: boolean;
  readonly reason: CheckReason;
  readonly decidedBy: CheckStep;
}

/**
 * Decides a check. `rules` is absent for an unknown application; `screened` contains every configured screening step up to
 * the first that is not clear. An address that any step does not clear is never approved, whatever the application's rules.
 */
export function decideCheck(rules: AddressRules | undefined, screened: readonly ScreenedBy[]): CheckDecision {
  if (!rules) return refused('unknown_application', 'application');
  const screening = decideScreening(screened);
  if (!screening.approved) return screening;
  if (rules.listed === 'revoked') return refused('revoked', 'address_list');
  if (rules.listed === 'approved') return approved('address_list');
  return rules.approvedByDefault ? approved('default') : refused('not_approved', 'default');
}

/** Decides only by screening, as for an address of no application. The last step that cleared it is the deciding one. */
export function decideScreening(screened: readonly ScreenedBy[]): CheckDecision {
  const objection = screened.find(({ outcome }) => outcome !== 'clear');
  if (!objection) return approved(screened.at(-1)?.step ?? 'default');
  return refused(objection.outcome === 'sanctioned' ? 'sanctioned' : 'screening_unavailable', objection.step);
}

const approved = (decidedBy: CheckStep): CheckDecision => ({ approved: true, reason: 'approved', decidedBy });

const refused = (reason: CheckReason, decidedBy: CheckStep): CheckDecision => ({
  approved: false,
  reason,
  decidedBy,
});
