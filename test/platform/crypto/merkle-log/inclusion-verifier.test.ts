import { describe, expect, it } from '@jest/globals';
import { fc } from '../../../kit/properties.js';
import { inclusionVerifier } from '../../../../src/platform/crypto/merkle-log/inclusion-verifier.js';
import {
  inclusionRanges,
  leafHash,
  rangeHash,
} from '../../../../src/platform/crypto/merkle-log/merkle-tree.js';
import { rootOfInclusion } from '../../../kit/root-of-inclusion.js';
import { tileAppender } from '../../../../src/platform/crypto/merkle-log/merkle-tiles.js';

const LEAVES = Array.from({ length: 90 }, (_, index) => leafHash(`entry ${index}`));

function treeOf(size: number) {
  const appender = tileAppender(0, []);
  for (const leaf of LEAVES.slice(0, size)) appender.append(leaf);
  const proofOf = (index: number) =>
    inclusionRanges(index, size).map((range) => rangeHash(range, appender.nodes));
  return { root: appender.root(), proofs: LEAVES.slice(0, size).map((_, index) => proofOf(index)) };
}

/** The faults of a proof. */
const FAULTS = ['none', 'bit', 'missing', 'doubled', 'leaf', 'index', 'short'] as const;

describe('verifying many proofs against one root', () => {
  it('accepts all of them in log order, for every size', () => {
    for (let size = 1; size <= 70; size += 1) {
      const { root, proofs } = treeOf(size);
      const verify = inclusionVerifier(size, root);
      const refused = proofs.flatMap((proof, index) => (verify(index, LEAVES[index]!, proof) ? [] : [index]));
      expect({ size, refused }).toEqual({ size, refused: [] });
    }
  });

  it('decides each proof independently, in any order and after any wrong one', () => {
    const questions = fc.array(
      fc.record({
        at: fc.nat(),
        fault: fc.constantFrom(...FAULTS),
        place: fc.nat(),
        bit: fc.nat({ max: 255 }),
      }),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 90 }), questions, (size, asked) => {
        const { root, proofs } = treeOf(size);
        const verify = inclusionVerifier(size, root);
        for (const { at, fault, place, bit } of asked) {
          const index = at % size;
          let proof = proofs[index]!.map((hash) => Uint8Array.from(hash));
          const chosen = place % Math.max(1, proof.length);
          if (fault === 'bit' && proof[chosen]) proof[chosen][bit >> 3]! ^= 1 << (bit & 7);
          if (fault === 'missing') proof = proof.toSpliced(chosen, 1);
          if (fault === 'doubled' && proof[chosen]) proof = proof.toSpliced(chosen, 0, proof[chosen]);
          if (fault === 'short' && proof[chosen]) proof[chosen] = proof[chosen].slice(1);
          const leaf = fault === 'leaf' ? leafHash('other') : LEAVES[index]!;
          const claimed = fault === 'index' ? (index + 1 + bit) % (size + 2) : index;
          const alone = rootOfInclusion(claimed, size, leaf, proof);
          const expected = alone !== undefined && Buffer.compare(alone, root) === 0;
          expect(verify(claimed, leaf, proof)).toBe(expected);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('refuses invalid indexes and invalid leaves', () => {
    const { root, proofs } = treeOf(5);
    const verify = inclusionVerifier(5, root);
    for (const index of [-1, 5, 0.5, Number.NaN]) expect(verify(index, LEAVES[0]!, proofs[0]!)).toBe(false);
    expect(verify(0, new Uint8Array(0), proofs[0]!)).toBe(false);
    expect(inclusionVerifier(0, root)(0, LEAVES[0]!, [])).toBe(false);
  });
});
