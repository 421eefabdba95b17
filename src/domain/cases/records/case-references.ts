import type { Sealer } from '../../../platform/crypto/index.js';
import { sql } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/**
 * Creates references to the records of one case: HMAC-SHA-256 of the record's id under a key of the case, truncated to 16
 * bytes. A reference is stable within the case. Only with the master key can it be related to the ledger or another case.
 */
export interface CaseReferences {
  /** The key of the case, XORed with the two pads of RFC 2104 to the block length of SHA-256. */
  readonly inner: Uint8Array;
  readonly outer: Uint8Array;
}

const BLOCK_BYTES = 64;
const REFERENCE_BYTES = 16;

export function referencesOf(sealer: Sealer, caseId: Id<'cas'>): CaseReferences {
  const key = sealer.digest('references to records', `cases/${caseId}`);
  const padded = (pad: number) => Uint8Array.from({ length: BLOCK_BYTES }, (_, at) => (key[at] ?? 0) ^ pad);
  return { inner: padded(0x36), outer: padded(0x5c) };
}

/** The 16 bytes of a reference, computed by the database, which sorts records by them. */
export const referenceBytes = ({ inner, outer }: CaseReferences) => sql<Uint8Array>`substr(
  sha256(${outer}::bytea || sha256(${inner}::bytea || convert_to(transactions.id, 'UTF8'))), 1, ${REFERENCE_BYTES})`;

/** The reference as readers see it. `hex` has 32 digits. */
export const referenceId = (hex: string) => `ref_${hex}`;
