import { sha256 } from '../../../src/platform/crypto/index.js';
import { base64, hex } from '../../../src/platform/kernel/encoding/bytes.js';
import type { Finding, Question } from './questions';

type Hashes = Pick<Question & { ask: 'file' }, 'expectedSha256' | 'toldSha256' | 'logged'>;

/** The salt of the digest of a file in the log. */
const SALT_BYTES = 16;

/** What the SHA-256 of a file is compared with: what a person gave, what the gateway says, and what the log holds. */
export function hashFindings(
  digest: Uint8Array,
  { expectedSha256 = '', toldSha256, logged }: Hashes,
): Finding[] {
  const found: Finding[] = [];
  const text = hex.encode(digest);
  if (expectedSha256 !== '') {
    const passed = expectedSha256.trim().toLowerCase() === text;
    const detail = passed
      ? 'The file has the SHA-256 that you entered.'
      : `The file does not have the SHA-256 that you entered. Its SHA-256 is ${text}.`;
    found.push({ name: 'sha256', passed, detail });
  }
  if (toldSha256 !== undefined) {
    const passed = toldSha256 === text;
    const detail = passed
      ? 'The file has the SHA-256 that the gateway states.'
      : `The file does not have the SHA-256 that the gateway states. Its SHA-256 is ${text}.`;
    found.push({ name: 'told', passed, detail });
  }
  if (logged !== undefined) {
    const salt = base64.decode(logged.salt);
    const passed = salt?.length === SALT_BYTES && hex.encode(sha256(salt, digest)) === logged.saltedSha256;
    const detail = passed
      ? 'The file has the hash in the log entry.'
      : 'The file does not have the hash in the log entry.';
    found.push({ name: 'logged', passed, detail });
  }
  return found;
}
