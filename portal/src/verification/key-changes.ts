import type { FileEntry } from '../../../src/domain/activity-log/verification/file-entry.js';
import { isJsonObject, type JsonObject } from '../../../src/platform/kernel/encoding/json.js';
import type { KeyChange } from './questions';

/** Changes of keys as the entries of an export are. */
export const entriesOf = (changes: readonly KeyChange[]): FileEntry[] =>
  changes.map(({ index, entry: text, inclusion }) => ({
    index,
    entry: JSON.parse(text) as JsonObject,
    salts: {},
    proof: inclusion,
  }));

export function isKeyChange(value: unknown): value is KeyChange {
  if (!isJsonObject(value)) return false;
  const { index, entry, inclusion } = value;
  return (
    Number.isSafeInteger(index) &&
    typeof entry === 'string' &&
    Array.isArray(inclusion) &&
    inclusion.every((hash) => typeof hash === 'string')
  );
}
