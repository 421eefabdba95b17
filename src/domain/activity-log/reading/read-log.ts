import { consistencyProof, inclusionProofs } from '../sequencing/log-proofs.js';
import { findCheckpoint, newestCheckpoint, type SignedCheckpoint } from '../sequencing/checkpoints.js';
import { inclusionProofFile } from '../../../platform/crypto/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { invalidMember, notFound } from '../../../platform/kernel/errors.js';
import type { Principal } from '../../access/index.js';
import { requireLog, requireSomeLog } from './log-access.js';

/** The organization's newest checkpoint. */
export async function readCheckpoint(
  { database }: Foundation,
  principal: Principal | undefined,
): Promise<SignedCheckpoint> {
  return newestCheckpoint(database, requireSomeLog(principal).organizationId);
}

export interface InclusionProof {
  readonly index: number;
  /** From the leaf to the root, 32 bytes each. */
  readonly hashes: readonly Uint8Array[];
  readonly checkpoint: SignedCheckpoint;
  /** The proof as a C2SP tlog-proof file. */
  readonly file: string;
}

/** The proof that the entry at `index` is in the organization's log, under its newest checkpoint. */
export async function readInclusionProof(
  { database }: Foundation,
  principal: Principal | undefined,
  index: number,
): Promise<InclusionProof> {
  const { organizationId } = requireLog(principal, null).scope;
  const checkpoint = await newestCheckpoint(database, organizationId);
  if (index < 0 || index >= checkpoint.size) throw notFound('activity log entry');
  const [hashes = []] = await inclusionProofs(database, organizationId, checkpoint.size, [index]);
  return { index, hashes, checkpoint, file: inclusionProofFile(index, hashes, checkpoint.note) };
}

/** The proof that the tree of the checkpoint at `to`, or of the newest one, extends the tree of the first `from` entries. */
export async function readConsistencyProof(
  { database }: Foundation,
  principal: Principal | undefined,
  from: number,
  to?: number | null,
): Promise<{
  readonly from: number;
  readonly hashes: readonly Uint8Array[];
  readonly checkpoint: SignedCheckpoint;
}> {
  const { organizationId } = requireSomeLog(principal);
  const checkpoint =
    to == null
      ? await newestCheckpoint(database, organizationId)
      : await findCheckpoint(database, organizationId, to);
  if (!checkpoint) throw invalidMember('to', 'must be the size of a checkpoint of this log');
  if (from < 1 || from > checkpoint.size)
    throw invalidMember('from', `must be an integer from 1 to ${checkpoint.size}`);
  return {
    from,
    checkpoint,
    hashes: await consistencyProof(database, organizationId, from, checkpoint.size),
  };
}
