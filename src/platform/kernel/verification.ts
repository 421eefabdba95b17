import { messageOf } from './errors.js';

/** One check of a file. */
export interface VerificationCheck<Name extends string = string> {
  readonly name: Name;
  readonly passed: boolean;
  /** What the check found, or why it failed, as a sentence. */
  readonly detail: string;
}

/** The results of all checks of a file. */
export interface Verification<Name extends string = string> {
  readonly valid: boolean;
  readonly checks: readonly VerificationCheck<Name>[];
  /** What cannot be verified from the file alone. */
  readonly unverified: readonly string[];
}

/** A signature that is valid under the key that it names. */
export interface NamedSignature {
  readonly organizationId: string;
  /** In C2SP form. */
  readonly verifierKey: string;
  /** In base64. */
  readonly signature: string;
}

/** The keys of an organization, as known from another source. */
export interface KnownKeys {
  /**
   * Returns a text that names the key that signed.
   *
   * @throws {Error} if none of the keys signed, if the keys do not follow from the expected one, or if the key was declared
   *   compromised and nothing shows that the signature is older.
   */
  signerOf(signature: NamedSignature): string;
  /** What is still unknown about the keys themselves. */
  readonly unverified: readonly string[];
}

/**
 * Whether keys with these names belong to one organization. Its log and its receipts name its keys differently, by paths that
 * end with its id. One key of a store can also belong to several organizations.
 */
export const isOfSameOrganization = (one: string, other: string): boolean => lastOf(one) === lastOf(other);

const lastOf = (name: string) => name.slice(name.lastIndexOf('/') + 1);

/** What is still unknown about the key of a receipt, given a known key, the keys of the log, or both. */
export function keyLimits({
  verifierKey,
  keys,
}: {
  readonly verifierKey?: string;
  readonly keys?: KnownKeys;
}): readonly string[] {
  const believed =
    'Who owns the key that signed the receipt. Compare its verifier key with the one your organization publishes.';
  const untold = 'Whether this key was declared compromised. Also pass the key file (--keys).';
  if (verifierKey === undefined) return [believed, ...(keys?.unverified ?? [])];
  return keys?.unverified ?? [untold];
}

/** Why a check failed, as a sentence. */
export class CheckFailed extends Error {}

/** Runs a check. `run` returns what it found, and throws if the check fails. */
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
