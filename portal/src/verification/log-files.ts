import { isFileEntry } from '../../../src/domain/activity-log/verification/file-entry.js';
import { LogVerifier } from '../../../src/domain/activity-log/verification/log-verifier.js';
import { parseFileHeader } from '../../../src/domain/activity-log/verification/verify-log-file.js';
import { isJsonObject, parseUnambiguousJson } from '../../../src/platform/kernel/encoding/json.js';
import type { Question, Verdict } from './questions';
import { failed, fromChecks } from './verdicts.ts';

const notAnExport = failed('file', 'This is not a complete export of an activity log.');

/** A file of an export as a whole. `verifierKey` is a key of the log that is known from elsewhere. */
export function logFile(
  value: Record<string, unknown>,
  { verifierKey: expected }: { readonly verifierKey?: string },
): Verdict {
  const header = parseFileHeader(value);
  const { entries } = value;
  if (!header || !Array.isArray(entries) || !entries.every(isFileEntry)) return notAnExport;
  const verifier = new LogVerifier(header, expected === undefined ? {} : { verifierKey: expected });
  for (const one of entries) verifier.add(one);
  return fromChecks(verifier.finish());
}

/** The export whose parts are read: one at a time. */
let reading: LogVerifier | undefined;

/** The next part of an export, in the layout in which the gateway writes it: an entry on each line. */
export function logPart({
  text,
  isFirst,
  isLast,
  isWhole,
  note,
  verifierKey,
}: Question & { ask: 'log part' }): Verdict {
  if (isFirst) reading = undefined;
  for (const line of text.split('\n')) {
    const json = line.replace(/,$/, '');
    if (json === '' || json === ']}') continue;
    const value = parseUnambiguousJson(json.endsWith('[') ? `${json}]}` : json);
    const header = isFirst && !reading && isJsonObject(value) ? parseFileHeader(value) : undefined;
    if (header?.checkpoint === note) reading = new LogVerifier(header, { verifierKey, complete: isWhole });
    else if (reading && isFileEntry(value)) reading.add(value);
    else return notAnExport;
  }
  if (!reading) return notAnExport;
  if (isLast || !reading.holds) return fromChecks(reading.finish());
  return { holds: true, findings: [], unverified: [] };
}
