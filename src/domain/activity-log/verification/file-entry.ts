import { isJsonObject, type JsonObject } from '../../../platform/kernel/encoding/json.js';

/** An entry of an exported file. Only its shape was checked. */
export interface FileEntry {
  readonly index: number;
  readonly entry: JsonObject;
  readonly salts: Record<string, unknown>;
  readonly proof: readonly string[];
}

const MEMBERS = ['index', 'entry', 'salts', 'proof'];

/** Other members are refused: nothing verifies them, but they would look verified. */
export const hasOnly = (value: object, members: readonly string[]) =>
  Object.keys(value).every((member) => members.includes(member));

export function isFileEntry(value: unknown): value is FileEntry {
  if (!isJsonObject(value)) return false;
  const { index, entry, salts, proof } = value;
  return (
    hasOnly(value, MEMBERS) &&
    Number.isSafeInteger(index) &&
    isJsonObject(entry) &&
    isJsonObject(salts) &&
    Array.isArray(proof) &&
    proof.every((hash) => typeof hash === 'string')
  );
}
