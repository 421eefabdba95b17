import { createHash } from 'node:crypto';
import { inSlices } from '../../../platform/jobs/index.js';
import { canonicalPieces } from '../../../platform/kernel/encoding/json.js';
import { contentPieces } from './disclosure-content.js';
import { digestedMembers, type UnsignedResult } from './disclosure-result.js';

// A result has up to 10,000 records. A verifier serializes and hashes it in one step. A gateway does both in slices, so that
// other requests need not wait.

/** {@link serializeRecords} in slices. */
export async function serializeInSlices(...content: Parameters<typeof contentPieces>): Promise<string> {
  const pieces = await inSlices(contentPieces(...content), (piece) => piece);
  return pieces.join('');
}

/** {@link resultDigest} in slices. */
export async function resultDigestInSlices(salt: Uint8Array, result: UnsignedResult): Promise<string> {
  const hash = createHash('sha256').update(salt);
  await inSlices(canonicalPieces(digestedMembers(result)), (piece) => void hash.update(piece));
  return hash.digest('hex');
}
