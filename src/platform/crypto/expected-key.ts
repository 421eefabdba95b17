import { equalBytes } from '../kernel/encoding/bytes.js';
import { CheckFailed, isOfSameOrganization } from '../kernel/verification.js';
import { parseVerifierKey } from './signing.js';

type VerifierKey = NonNullable<ReturnType<typeof parseVerifierKey>>;

/**
 * @throws {CheckFailed} unless the key of a receipt is the expected one (C2SP), named as the key of the log or of its receipts.
 */
export function requireExpectedKey(key: VerifierKey, expected: string): void {
  const known = parseVerifierKey(expected);
  if (!known) throw new CheckFailed('The expected verifier key is malformed.');
  if (!isOfSameOrganization(known.name, key.name))
    throw new CheckFailed('The expected verifier key is that of another organization than the receipt.');
  if (!equalBytes(known.publicKey, key.publicKey))
    throw new CheckFailed(
      'The receipt is signed by another key than the expected one. If your organization changed its key, also pass the file of keys (--keys).',
    );
}
