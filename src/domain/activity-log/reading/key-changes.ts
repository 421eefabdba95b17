import { query, type Reader } from '../../../platform/database/index.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import { KEY_CHANGES } from '../key-statement.js';
import type { SignedCheckpoint } from '../sequencing/checkpoints.js';
import { inclusionProofs } from '../sequencing/log-proofs.js';
import type { ExportedEntry } from './exported-entry.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** The entries that changed the keys of the log, with proofs for the checkpoint. They name no people. */
export async function keyChangesOf(
  reader: Reader,
  organizationId: Id<'org'>,
  { size }: SignedCheckpoint,
): Promise<ExportedEntry[]> {
  const rows = await reader.rows(
    query
      .selectFrom('activity_entries')
      .select(['log_index as index', 'entry'])
      .where('organization_id', '=', organizationId)
      .where('event_type', 'in', [...KEY_CHANGES])
      .where('log_index', '<', size)
      .orderBy('log_index'),
  );
  if (rows.length === 0) return [];
  const indexes = rows.map(({ index }) => index!);
  const proofs = await inclusionProofs(reader, organizationId, size, indexes);
  return rows.map(({ entry }, at) => ({
    index: indexes[at]!,
    entry,
    salts: {},
    proof: proofs[at]!.map(base64.encode),
  }));
}
