import type { Address } from '../../../platform/ledger/index.js';
import type { DisclosureField } from '../disclosure-fields.js';

export const DISCLOSURE_FORMATS = ['json', 'csv'] as const;
export type DisclosureFormat = (typeof DISCLOSURE_FORMATS)[number];

/** The decision of a policy about a request: authorize it, reject it, or leave it to a person. */
export const POLICY_OUTCOMES = ['authorize', 'review', 'reject'] as const;
export type PolicyOutcome = (typeof POLICY_OUTCOMES)[number];

/** The bounds of a policy, and its decisions inside and outside them. A request never exceeds a bound that is null. */
export interface DisclosureRules {
  readonly allowedFields: readonly DisclosureField[];
  readonly allowedFormats: readonly DisclosureFormat[];
  readonly maximumSpanSeconds: number | null;
  readonly maximumRecords: number | null;
  /** The allowed token accounts. The scope's account, or an account of every chosen record, must be one of them. */
  readonly allowedAccounts: readonly Address[] | null;
  readonly inside: PolicyOutcome;
  readonly outside: PolicyOutcome;
}

/** The facts of a request that the rules evaluate. */
export interface DisclosureFacts {
  readonly fields: readonly DisclosureField[];
  readonly format: DisclosureFormat;
  readonly recordCount: number;
  /** Null for an open period. */
  readonly spanSeconds: number | null;
  /** Sets of accounts. One account of each must be allowed: the scope's account, or those of each chosen record. */
  readonly accountSets: readonly (readonly Address[])[];
}

const POLICY_BOUNDS = ['fields', 'format', 'span', 'records', 'accounts'] as const;
export type PolicyBound = (typeof POLICY_BOUNDS)[number];

export interface PolicyJudgement {
  readonly outcome: PolicyOutcome;
  /** The bounds that the request exceeds. Empty if it is inside all bounds. */
  readonly exceeded: readonly PolicyBound[];
}

export function judge(rules: DisclosureRules, facts: DisclosureFacts): PolicyJudgement {
  const exceeded = POLICY_BOUNDS.filter((bound) => !HOLDS[bound](rules, facts));
  return { outcome: exceeded.length === 0 ? rules.inside : rules.outside, exceeded };
}

const HOLDS: Record<PolicyBound, (rules: DisclosureRules, facts: DisclosureFacts) => boolean> = {
  fields: ({ allowedFields }, { fields }) => fields.every((field) => allowedFields.includes(field)),
  format: ({ allowedFormats }, { format }) => allowedFormats.includes(format),
  span: ({ maximumSpanSeconds }, { spanSeconds }) =>
    maximumSpanSeconds === null || (spanSeconds !== null && spanSeconds <= maximumSpanSeconds),
  records: ({ maximumRecords }, { recordCount }) => maximumRecords === null || recordCount <= maximumRecords,
  accounts: ({ allowedAccounts }, { accountSets }) => {
    if (allowedAccounts === null) return true;
    const allowed = new Set(allowedAccounts);
    return accountSets.every((accounts) => accounts.some((account) => allowed.has(account)));
  },
};
