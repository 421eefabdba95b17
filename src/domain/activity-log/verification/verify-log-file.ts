import { isJsonObject } from '../../../platform/kernel/encoding/json.js';
import { type FileEntry, hasOnly, isFileEntry } from './file-entry.js';
import { LogVerifier, type FileHeader, type LogVerification, type VerifyLogOptions } from './log-verifier.js';

/**
 * Verifies an export of the activity log offline: who signed its checkpoint, that the signed tree contains every entry,
 * that every personal value matches the digest in its entry, and that the log continues an older checkpoint. `file` is the
 * parsed export, or a GraphQL response that contains it.
 */
export function verifyLogFile(file: unknown, options: VerifyLogOptions = {}): LogVerification {
  const parsed = parseFile(file);
  if (typeof parsed === 'string') {
    return {
      valid: false,
      checks: [{ name: 'file', passed: false, detail: parsed }],
      unverified: [],
    };
  }
  const verifier = new LogVerifier(parsed.header, options);
  for (const entry of parsed.entries) verifier.add(entry);
  return verifier.finish();
}

function parseFile(
  file: unknown,
): { readonly header: FileHeader; readonly entries: readonly FileEntry[] } | string {
  const found = find(file);
  if (!found)
    return 'This is not an export of the activity log. An export is a JSON object with `checkpoint` and `entries`.';
  const header = parseFileHeader(found);
  if (!header)
    return '`origin`, `verifier_key` and `checkpoint` must be strings, `key_changes` a list of entries with their proofs. Other members are not allowed.';
  const { entries } = found;
  if (!Array.isArray(entries)) return '`entries` must be a list.';
  const wrong = entries.findIndex((entry) => !isFileEntry(entry));
  if (wrong >= 0)
    return `entries[${wrong}] must have \`index\`, \`entry\`, \`salts\` and \`proof\`, and nothing else.`;
  return { header, entries: entries as FileEntry[] };
}

/** The export itself, or the one in a GraphQL answer. */
function find(file: unknown): Record<string, unknown> | undefined {
  if (!isJsonObject(file)) return undefined;
  if ('checkpoint' in file && 'entries' in file) return file;
  const data = file['data'];
  // With another member beside it, it would be unclear which one is meant.
  const [answer, ...more] = isJsonObject(data) ? Object.values(data) : [];
  return more.length === 0 ? find(answer) : undefined;
}

const HEADER_MEMBERS = ['origin', 'verifier_key', 'checkpoint', 'key_changes', 'entries'];

export function parseFileHeader(file: Record<string, unknown>): FileHeader | undefined {
  const { origin, verifier_key: verifierKey, checkpoint } = file;
  if (typeof origin !== 'string' || typeof verifierKey !== 'string' || typeof checkpoint !== 'string')
    return undefined;
  if (!hasOnly(file, HEADER_MEMBERS)) return undefined;
  // Exports of earlier versions lack this member.
  const keyChanges = file['key_changes'] ?? [];
  if (!Array.isArray(keyChanges) || !keyChanges.every(isFileEntry)) return undefined;
  return { origin, verifierKey, checkpoint, keyChanges };
}
