import { verifierKey } from '../crypto/index.js';
import { sql, type Reader } from '../database/index.js';
import { notFound } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';

/** A checkpoint as it was signed and stored. */
export interface SignedCheckpoint {
  readonly origin: string;
  /** C2SP verifier key of the log. */
  readonly verifierKey: string;
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
  /** The C2SP signed note. */
  readonly note: string;
  readonly signedAt: Date;
}

/** The log's newest checkpoint, or `NOT_FOUND` before the first entry of an organization was sequenced. */
export async function newestCheckpoint(reader: Reader, organizationId: Id<'org'>): Promise<SignedCheckpoint> {
  const [row] = await reader.rows(sql<Omit<SignedCheckpoint, 'verifierKey'> & { publicKey: Uint8Array }>`
    select activity_logs.origin, log_checkpoints.size, log_checkpoints.root, log_checkpoints.note,
      log_checkpoints.signed_at as "signedAt", signing_keys.public_key as "publicKey"
    from activity_logs
    join log_checkpoints using (organization_id)
    join signing_keys using (organization_id)
    where organization_id = ${organizationId}
    order by log_checkpoints.size desc limit 1`);
  if (!row) throw notFound('checkpoint yet');
  const { publicKey, ...checkpoint } = row;
  return { ...checkpoint, verifierKey: verifierKey(row.origin, publicKey) };
}
