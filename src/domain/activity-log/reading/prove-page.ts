import { findCheckpoint, type SignedCheckpoint } from '../sequencing/checkpoints.js';
import { inclusionProofs } from '../sequencing/log-proofs.js';
import type { Reader } from '../../../platform/database/index.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import { canonicalJson } from '../../../platform/kernel/encoding/json.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { Salts } from '../personal-values.js';
import type { ActivityRow } from './select-activity.js';

/** An entry as the log contains it, and the hashes from its leaf to the root of the checkpoint. */
export interface ProvenEntry {
  /** The RFC 8785 JSON that was hashed. */
  readonly entry: string;
  readonly salts: Salts;
  /** Base64. */
  readonly inclusion: readonly string[];
  /** The checkpoint to whose root the hashes lead. */
  readonly checkpoint: SignedCheckpoint;
}

/** Proofs that the entries of a page are in the log. The first request reads them for the whole page. */
export interface PageProofs {
  /** Undefined until the log has its first checkpoint. */
  checkpoint(): Promise<SignedCheckpoint | undefined>;
  /** Undefined for an entry that the checkpoint does not cover. */
  proofOf(row: ActivityRow): Promise<ProvenEntry | undefined>;
}

export function provePage(
  reader: Reader,
  organizationId: Id<'org'>,
  rows: readonly ActivityRow[],
): PageProofs {
  let checkpoint: Promise<SignedCheckpoint | undefined> | undefined;
  let proofs: Promise<ReadonlyMap<number, readonly Uint8Array[]>> | undefined;
  // The checkpoint is read after the rows, so it covers every row that has an index.
  const readCheckpoint = () => (checkpoint ??= findCheckpoint(reader, organizationId));
  const readProofs = async () => {
    const size = (await readCheckpoint())?.size ?? 0;
    const indexes = rows.flatMap(({ logIndex }) => (logIndex !== null && logIndex < size ? [logIndex] : []));
    const hashes = await inclusionProofs(reader, organizationId, size, indexes);
    return new Map(indexes.map((index, at) => [index, hashes[at]!]));
  };
  return {
    checkpoint: readCheckpoint,
    async proofOf({ logIndex, entry, salts }) {
      if (logIndex === null) return undefined;
      const hashes = (await (proofs ??= readProofs())).get(logIndex);
      const signed = await readCheckpoint();
      if (!hashes || !signed) return undefined;
      const inclusion = hashes.map(base64.encode);
      return { entry: canonicalJson(entry), salts, inclusion, checkpoint: signed };
    },
  };
}
