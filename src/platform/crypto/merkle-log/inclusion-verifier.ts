import { equalBytes } from '../../kernel/encoding/bytes.js';
import { Climb, HASH_LENGTH, nodeHash } from './merkle-tree.js';

/** Whether the proof leads from the leaf at this index to the root. */
export type InclusionVerifier = (index: number, leaf: Uint8Array, proof: readonly Uint8Array[]) => boolean;

/** A node that is proven to be in the tree, with its sibling and the length of its proof above it. */
interface KnownNode {
  readonly index: number;
  readonly hash: Uint8Array;
  /** Undefined for the root. */
  readonly sibling: Uint8Array | undefined;
  readonly above: number;
}

/**
 * Checks many proofs against one root. If the path of a leaf to the root meets the path of the previously proven leaf, or a
 * sibling on it, the hashes from there on are known: they are compared instead of computed. In log order, this takes about one
 * hash per leaf instead of one per level.
 */
export function inclusionVerifier(size: number, root: Uint8Array): InclusionVerifier {
  /** For each level, the node on the last proven path. The root is known from the start. */
  const known: (KnownNode | undefined)[] = [];
  known[heightOf(size)] = { index: 0, hash: root, sibling: undefined, above: 0 };
  let shown: readonly Uint8Array[] = [];

  return (index, leaf, proof) => {
    if (!Number.isSafeInteger(index) || index < 0 || index >= size || leaf.length !== HASH_LENGTH)
      return false;
    const climb = new Climb(index, size);
    const way: (KnownNode | undefined)[] = [];
    const keep = (level: number) => {
      for (let below = 0; below < level; below += 1) known[below] = way[below];
      shown = proof;
    };
    let hash = leaf;
    for (let above = proof.length; ; above -= 1) {
      const { level } = climb;
      const here = climb.index;
      const met = known[level];
      if (met?.index === here) {
        const same = met.above === above && equalBytes(met.hash, hash) && endAlike(shown, proof, above);
        if (same) keep(level);
        return same;
      }
      const sibling = proof[proof.length - above];
      if (sibling?.length !== HASH_LENGTH) return false;
      if (met?.sibling && met.index === siblingOf(here)) {
        const same =
          met.above === above &&
          equalBytes(met.sibling, hash) &&
          equalBytes(met.hash, sibling) &&
          endAlike(shown, proof, above - 1);
        if (same) {
          keep(level);
          known[level] = { index: here, hash, sibling, above };
        }
        return same;
      }
      way[level] = { index: here, hash, sibling, above };
      hash = climb.next() === 'left' ? nodeHash(sibling, hash) : nodeHash(hash, sibling);
    }
  };
}

const siblingOf = (index: number) => (index % 2 === 0 ? index + 1 : index - 1);

/**
 * Whether the last `count` hashes are equal. Proofs of neighbors often contain the same object, so identity is checked first.
 */
function endAlike(one: readonly Uint8Array[], other: readonly Uint8Array[], count: number): boolean {
  for (let back = 1; back <= count; back += 1) {
    const [left, right] = [one[one.length - back]!, other[other.length - back]!];
    if (left !== right && !equalBytes(left, right)) return false;
  }
  return true;
}

function heightOf(size: number): number {
  let height = 0;
  for (let last = size - 1; last > 0; last = Math.floor(last / 2)) height += 1;
  return height;
}
