import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { Salts } from '../personal-values.js';

/** An entry with the proof that it is in the log. */
export interface ExportedEntry {
  readonly index: number;
  readonly entry: JsonObject;
  readonly salts: Salts;
  /** Base64 hashes, from the leaf to the root. */
  readonly proof: readonly string[];
}
