import { verifierKey } from '../../../platform/crypto/index.js';
import { aliasedColumnsOf, query, type Reader } from '../../../platform/database/index.js';
import { LucarneError } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { LogCheckpointEntity } from '../activity-log.entity.js';

/** A stored checkpoint. */
export interface SignedCheckpoint {
  readonly organizationId: Id<'org'>;
  readonly origin: string;
  /** C2SP verifier key of the log at the time of signing. */
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
  const newest = await findCheckpoint(reader, organizationId);
  if (!newest)
    throw new LucarneError(
      'NOT_FOUND',
      'The log has no checkpoint yet: its first entry waits to be sequenced.',
    );
  return newest;
}

/** The checkpoint that was signed for `size` entries, or the newest one. Undefined if there is none. */
export async function findCheckpoint(
  reader: Reader,
  organizationId: Id<'org'>,
  size?: number,
): Promise<SignedCheckpoint | undefined> {
  const [row] = await reader.rows(
    query
      .selectFrom('activity_logs')
      .innerJoin('log_checkpoints as head', 'head.organization_id', 'activity_logs.organization_id')
      .innerJoin('signing_keys', (join) =>
        join
          .onRef('signing_keys.organization_id', '=', 'head.organization_id')
          .onRef('signing_keys.epoch', '=', 'head.signing_key_epoch'),
      )
      .select(['activity_logs.origin', 'signing_keys.public_key as publicKey'])
      .select(
        aliasedColumnsOf('head', LogCheckpointEntity, ['organizationId', 'size', 'root', 'note', 'signedAt']),
      )
      .where('activity_logs.organization_id', '=', organizationId)
      .$if(size !== undefined, (heads) => heads.where('head.size', '=', size!))
      .orderBy('head.size', 'desc')
      .limit(1),
  );
  if (!row) return undefined;
  const { publicKey, ...checkpoint } = row;
  return { ...checkpoint, verifierKey: verifierKey(row.origin, publicKey) };
}
