import { sha256 } from '../../../src/platform/crypto/index.js';
import { base64, hex } from '../../../src/platform/kernel/encoding/bytes.js';
import { isJsonObject, type JsonObject } from '../../../src/platform/kernel/encoding/json.js';
import type { Finding, Question, ShownReport } from './questions';

type Hashes = Pick<Question & { ask: 'file' }, 'expectedSha256' | 'toldSha256' | 'logged'>;

/** The salt of the digest of a file in the log. */
const SALT_BYTES = 16;

function isSalted(digest: Uint8Array, salt: string, saltedSha256: unknown): boolean {
  const bytes = base64.decode(salt);
  return bytes?.length === SALT_BYTES && hex.encode(sha256(bytes, digest)) === saltedSha256;
}

/** What the page shows of a report, compared with its entry, which is in the log at this index. */
export function reportFindings(
  index: number,
  { id, eventType, sha256: shown, salt }: ShownReport,
  { event_type: loggedType, object, details }: JsonObject,
): Finding[] {
  // A download of a report is logged with a hash, too: of what was stored by then.
  const isRecorded = loggedType === eventType && isJsonObject(object) && object['report_id'] === id;
  const entry = {
    name: 'entry',
    passed: isRecorded,
    detail: isRecorded
      ? `Entry ${index} of the signed log records this report.`
      : `Entry ${index} of the signed log does not record this report.`,
  };
  if (!isRecorded || shown === null) return [entry];
  if (salt === null) {
    const detail =
      'The SHA-256 that this page shows cannot be compared with the one in the log entry: the gateway returned no salt.';
    return [entry, { name: 'report', passed: false, detail }];
  }
  const pairs = /^[0-9a-f]{64}$/.test(shown) ? shown.match(/../g)! : [];
  const digest = Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
  const passed = isSalted(digest, salt, isJsonObject(details) ? details['salted_sha256'] : undefined);
  const detail = passed
    ? 'This page shows the SHA-256 in the log entry.'
    : 'The SHA-256 that this page shows is not the one in the log entry.';
  return [entry, { name: 'report', passed, detail }];
}

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
    const passed = isSalted(digest, logged.salt, logged.saltedSha256);
    const detail = passed
      ? 'The file has the hash in the log entry.'
      : 'The file does not have the hash in the log entry.';
    found.push({ name: 'logged', passed, detail });
  }
  return found;
}
