import { messageOf } from './errors.js';

/** One check of a file. */
export interface VerificationCheck<Name extends string = string> {
  readonly name: Name;
  readonly passed: boolean;
  /** What the check found, or why it failed, for people. */
  readonly detail: string;
}

/** The results of all checks of a file. */
export interface Verification<Name extends string = string> {
  readonly valid: boolean;
  readonly checks: readonly VerificationCheck<Name>[];
  /** What cannot be verified from the file alone. */
  readonly unverified: readonly string[];
}

/** Runs a check. `run` returns what it found and throws when the check fails. */
export function verificationCheck<Name extends string>(
  name: Name,
  run: () => string,
): VerificationCheck<Name> {
  try {
    return { name, passed: true, detail: run() };
  } catch (thrown) {
    return { name, passed: false, detail: messageOf(thrown) };
  }
}
