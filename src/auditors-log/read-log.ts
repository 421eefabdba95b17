import {
  consistencyProof,
  inclusionProofs,
  newestCheckpoint,
  type SignedCheckpoint,
} from '../activity-log/index.js';
import { inclusionProofFile } from '../crypto/index.js';
import type { Foundation } from '../database/index.js';
import { badUserInput, notFound } from '../kernel/errors.js';
import type { Principal } from '../organizations/index.js';
import { requireLog } from './log-access.js';

/** The organization's newest checkpoint. */
export async function readCheckpoint(
  { database }: Foundation,
  principal: Principal | undefined,
): Promise<SignedCheckpoint> {
  const { scope } = requireLog(principal, null);
  return newestCheckpoint(database, scope.organizationId);
}

export interface InclusionProof {
  readonly index: number;
  /** From the leaf to the root, 32 bytes each. */
  readonly hashes: readonly Uint8Array[];
  readonly checkpoint: SignedCheckpoint;
  /** All of it as a C2SP tlog-proof file. */
  readonly file: string;
}

/** The proof that the entry at `index` stands in the organization's log, under its newest checkpoint. */
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

/** The proof that the newest checkpoint continues the tree of the first `from` entries. */
export async function readConsistencyProof(
  { database }: Foundation,
  principal: Principal | undefined,
  from: number,
): Promise<{
  readonly from: number;
  readonly hashes: readonly Uint8Array[];
  readonly checkpoint: SignedCheckpoint;
}> {
  const { organizationId } = requireLog(principal, null).scope;
  const checkpoint = await newestCheckpoint(database, organizationId);
  if (from < 1 || from > checkpoint.size) throw badUserInput(`from must be from 1 to ${checkpoint.size}.`);
  return {
    from,
    checkpoint,
    hashes: await consistencyProof(database, organizationId, from, checkpoint.size),
  };
}
