import { Climb, HASH_LENGTH, nodeHash } from '../../src/platform/crypto/merkle-log/merkle-tree.js';

/** The root that an inclusion proof leads to (RFC 9162, 2.1.3.2), or `undefined` if it does not fit such a tree. */
export function rootOfInclusion(
  index: number,
  size: number,
  leaf: Uint8Array,
  proof: readonly Uint8Array[],
): Uint8Array | undefined {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size || leaf.length !== HASH_LENGTH)
    return undefined;
  let reached = leaf;
  const climb = new Climb(index, size);
  for (const sibling of proof) {
    const side = climb.next();
    if (side === undefined || sibling.length !== HASH_LENGTH) return undefined;
    reached = side === 'left' ? nodeHash(sibling, reached) : nodeHash(reached, sibling);
  }
  return climb.atRoot() ? reached : undefined;
}
