import type { AddressStatus } from './addresses/address-state.js';

/** The closed list of reasons that callers see. */
export const CHECK_REASONS = [
  'approved',
  'not_approved',
  'revoked',
  'sanctioned',
  'unknown_application',
  'screening_unavailable',
] as const;
export type CheckReason = (typeof CHECK_REASONS)[number];

/** The steps that can decide, in their order. */
export const CHECK_STEPS = [
  'application',
  'sanctions_list',
  'screening_service',
  'address_list',
  'default',
] as const;
export type CheckStep = (typeof CHECK_STEPS)[number];
export type ScreeningStep = Extract<CheckStep, 'sanctions_list' | 'screening_service'>;

/** The result of one screening step. Only after `clear` does the next step run. */
export type ScreeningOutcome = 'clear' | 'sanctioned' | 'unavailable';

export interface ScreenedBy {
  readonly step: ScreeningStep;
  readonly outcome: ScreeningOutcome;
}

/** The decision of the application about the address. */
export interface AddressRules {
  /** Absent if the address is not listed. */
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

/** Decides by the screening steps alone. If all steps clear the address, the last one is the deciding step. */
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
