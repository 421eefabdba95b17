import { messageOf } from './errors.js';

/** One of the checks that a file has to pass. */
export interface VerificationCheck<Name extends string = string> {
  readonly name: Name;
  readonly passed: boolean;
  /** What was found, or why it failed, for a person to read. */
  readonly detail: string;
}

/** What the checks of a file found. */
export interface Verification<Name extends string = string> {
  readonly valid: boolean;
  readonly checks: readonly VerificationCheck<Name>[];
  /** What a file alone cannot show. */
  readonly unverified: readonly string[];
}

/** Runs a check that tells what it found, and says by throwing why it failed. */
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
