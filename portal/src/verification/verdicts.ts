import type { Finding, Verdict } from './questions';

export const failed = (name: string, detail: string): Verdict => ({
  holds: false,
  findings: [{ name, passed: false, detail }],
  unverified: [],
});

export const held = (name: string, detail: string, more: Partial<Verdict> = {}): Verdict => ({
  holds: true,
  findings: [{ name, passed: true, detail }],
  unverified: [],
  ...more,
});

/** The result of one of the gateway's own verifiers. */
export const fromChecks = ({
  valid,
  checks,
  unverified,
}: {
  readonly valid: boolean;
  readonly checks: readonly Finding[];
  readonly unverified: readonly string[];
}): Verdict => ({ holds: valid, findings: checks, unverified });
