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
    throw new CheckFailed('The expected verifier key and the receipt belong to different organizations.');
  if (!equalBytes(known.publicKey, key.publicKey))
    throw new CheckFailed(
      'The receipt is not signed by the expected key. If your organization changed its key, also pass the key file (--keys).',
    );
}
