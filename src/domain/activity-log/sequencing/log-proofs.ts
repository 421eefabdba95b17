import {
  consistencyRanges,
  inclusionRanges,
  nodesFrom,
  rangeHash,
  tilesOf,
  type Range,
} from '../../../platform/crypto/index.js';
import type { Reader } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { readTiles } from './log-tiles.js';

/** For each index, the hashes from the leaf to the root of the tree of `size` entries (RFC 6962, 2.1.1). */
export function inclusionProofs(
  reader: Reader,
  organizationId: Id<'org'>,
  size: number,
  indexes: readonly number[],
): Promise<Uint8Array[][]> {
  return hashesOf(
    reader,
    organizationId,
    indexes.map((index) => inclusionRanges(index, size)),
  );
}

/** The hashes which prove that the tree of `newer` entries continues the tree of `older` entries (RFC 6962, 2.1.2). */
export async function consistencyProof(
  reader: Reader,
  organizationId: Id<'org'>,
  older: number,
  newer: number,
): Promise<Uint8Array[]> {
  const [hashes = []] = await hashesOf(reader, organizationId, [consistencyRanges(older, newer)]);
  return hashes;
}

/** The hashes of the tree for these leaves. */
export async function leafHashes(
  reader: Reader,
  organizationId: Id<'org'>,
  indexes: readonly number[],
): Promise<Uint8Array[]> {
  const [hashes = []] = await hashesOf(reader, organizationId, [
    indexes.map((index) => ({ start: index, end: index + 1 })),
  ]);
  return hashes;
}

/** Tiles only grow, so they are read without a lock: everything that a signed size needs exists and stays. */
async function hashesOf(
  reader: Reader,
  organizationId: Id<'org'>,
  proofs: readonly (readonly Range[])[],
): Promise<Uint8Array[][]> {
  const nodes = nodesFrom(await readTiles(reader, organizationId, tilesOf(proofs.flat())));
  // The ranges at the right border belong to several subtrees, and many proofs share them.
  const made = new Map<string, Uint8Array>();
  const hashOf = (range: Range) => {
    const key = `${range.start}-${range.end}`;
    const hash = made.get(key) ?? rangeHash(range, nodes);
    made.set(key, hash);
    return hash;
  };
  return proofs.map((ranges) => ranges.map(hashOf));
}
