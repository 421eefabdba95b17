import { describe, expect, it } from '@jest/globals';
import { fc } from '../../../kit/properties.js';
import {
  consistencyRanges,
  EMPTY_ROOT,
  inclusionRanges,
  isConsistent,
  leafHash,
  nodeHash,
  rangeHash,
  type NodeHashes,
} from '../../../../src/platform/crypto/merkle-log/merkle-tree.js';
import { rootOfInclusion } from '../../../kit/root-of-inclusion.js';
import {
  borderTiles,
  nodesFrom,
  tileAppender,
  tilesOf,
  type Tile,
  type TileAddress,
} from '../../../../src/platform/crypto/merkle-log/merkle-tiles.js';
import {
  CT_CONSISTENCY_PROOFS,
  CT_INCLUSION_PROOFS,
  CT_LEAVES,
  CT_ROOTS,
} from '../../../vectors/merkle-tree.js';

const fromHex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const toHex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex');

const hexes = (hashes: readonly Uint8Array[]) => hashes.map(toHex).join();

const leavesOf = (count: number) => Array.from({ length: count }, (_, index) => leafHash(`entry ${index}`));

/** The literal definitions of RFC 6962, 2.1: slow, but obviously correct. */
const split = (count: number) => {
  let k = 1;
  while (2 * k < count) k *= 2;
  return k;
};
function mth(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return EMPTY_ROOT;
  if (leaves.length === 1) return leaves[0]!;
  const k = split(leaves.length);
  return nodeHash(mth(leaves.slice(0, k)), mth(leaves.slice(k)));
}
function path(m: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  return m < k
    ? [...path(m, leaves.slice(0, k)), mth(leaves.slice(k))]
    : [...path(m - k, leaves.slice(k)), mth(leaves.slice(0, k))];
}
function subproof(m: number, leaves: readonly Uint8Array[], known: boolean): Uint8Array[] {
  if (m === leaves.length) return known ? [] : [mth(leaves)];
  const k = split(leaves.length);
  return m <= k
    ? [...subproof(m, leaves.slice(0, k), known), mth(leaves.slice(k))]
    : [...subproof(m - k, leaves.slice(k), false), mth(leaves.slice(0, k))];
}

/** The tiles of a tree, as in a store. */
class TileStore {
  readonly tiles = new Map<string, Tile>();
  size = 0;
  root: Uint8Array = EMPTY_ROOT;

  append(leaves: readonly Uint8Array[]): void {
    const appender = tileAppender(this.size, this.read(borderTiles(this.size)));
    for (const leaf of leaves) appender.append(leaf);
    for (const tile of appender.changed()) this.tiles.set(`${tile.level}/${tile.index}`, tile);
    this.size = appender.size;
    this.root = appender.root();
  }

  read(addresses: readonly TileAddress[]): Tile[] {
    return addresses.map(({ level, index }) => this.tiles.get(`${level}/${index}`)!);
  }

  inclusion(index: number, size = this.size): Uint8Array[] {
    return this.prove(inclusionRanges(index, size));
  }

  consistency(older: number, newer = this.size): Uint8Array[] {
    return this.prove(consistencyRanges(older, newer));
  }

  rootAt(size: number): Uint8Array {
    const range = { start: 0, end: size };
    return rangeHash(range, nodesFrom(this.read(tilesOf([range]))));
  }

  private prove(ranges: ReturnType<typeof inclusionRanges>): Uint8Array[] {
    const nodes = nodesFrom(this.read(tilesOf(ranges)));
    return ranges.map((range) => rangeHash(range, nodes));
  }
}

function storeOf(leaves: readonly Uint8Array[]): TileStore {
  const store = new TileStore();
  store.append(leaves);
  return store;
}

describe('the Merkle tree', () => {
  const leaves = CT_LEAVES.map((leaf) => leafHash(fromHex(leaf)));

  it('has the roots of Certificate Transparency’s test vectors', () => {
    for (const [size, root] of CT_ROOTS.entries()) {
      expect(toHex(storeOf(leaves.slice(0, size)).root)).toBe(root);
    }
  });

  it.each(CT_INCLUSION_PROOFS)(
    'proves entry $index of $size as in the test vectors',
    ({ index, size, proof }) => {
      expect(storeOf(leaves).inclusion(index, size).map(toHex)).toEqual(proof);
      expect(toHex(rootOfInclusion(index, size, leaves[index]!, proof.map(fromHex)))).toBe(CT_ROOTS[size]);
    },
  );

  it.each(CT_CONSISTENCY_PROOFS)(
    'proves that $newer entries continue $older as in the test vectors',
    (vector) => {
      const { older, newer, proof } = vector;
      expect(storeOf(leaves).consistency(older, newer).map(toHex)).toEqual(proof);
      const at = (size: number) => ({ size, root: fromHex(CT_ROOTS[size]!) });
      expect(isConsistent(at(older), at(newer), proof.map(fromHex))).toBe(true);
    },
  );

  it('matches RFC 6962 for every index of sizes up to 280, and every proof verifies', () => {
    const all = leavesOf(280);
    const store = storeOf(all);
    const wrong: string[] = [];
    for (let size = 1; size <= 280; size += size < 40 || (size > 252 && size < 258) ? 1 : 11) {
      const root = mth(all.slice(0, size));
      if (toHex(store.rootAt(size)) !== toHex(root)) wrong.push(`root of ${size}`);
      // Every index at the borders of tiles, and some of every size in between.
      const step = size < 40 || (size > 252 && size < 258) ? 1 : 17;
      for (let index = size % step; index < size; index += step) {
        const proof = store.inclusion(index, size);
        const same = hexes(proof) === hexes(path(index, all.slice(0, size)));
        const leads = toHex(rootOfInclusion(index, size, all[index]!, proof)) === toHex(root);
        if (!same || !leads) wrong.push(`${index} of ${size}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('proves consistency from every size to every other, as in RFC 6962', () => {
    const all = leavesOf(130);
    const store = storeOf(all);
    const roots = all.map((_, index) => mth(all.slice(0, index + 1)));
    const at = (size: number) => ({ size, root: roots[size - 1]! });
    const wrong: string[] = [];
    for (let newer = 1; newer <= 130; newer += newer < 40 ? 1 : 9) {
      for (let older = 1; older <= newer; older += 1) {
        const proof = store.consistency(older, newer);
        const same = hexes(proof) === hexes(subproof(older, all.slice(0, newer), true));
        if (!same || !isConsistent(at(older), at(newer), proof)) wrong.push(`${older} to ${newer}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('is the same for any batching of its leaves', () => {
    const all = leavesOf(67_000);
    const whole = storeOf(all);
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 16 }),
        fc.nat(),
        (batches, chosen) => {
          const store = new TileStore();
          for (const batch of batches) store.append(all.slice(store.size, store.size + batch));
          expect(store.root).toEqual(whole.rootAt(store.size));
          const index = chosen % store.size;
          const proof = store.inclusion(index);
          expect(proof).toEqual(whole.inclusion(index, store.size));
          expect(rootOfInclusion(index, store.size, all[index]!, proof)).toEqual(store.root);
          const older = chosen % (store.size + 1);
          expect(
            isConsistent(
              { size: older, root: whole.rootAt(older) },
              { size: store.size, root: store.root },
              store.consistency(older),
            ),
          ).toBe(true);
        },
      ),
      { numRuns: 10 },
    );
  });

  it('needs few tiles for a proof in a tree of any size, including sizes beyond 32 bits', () => {
    const size = 2 ** 40 + 12_345;
    for (const index of [0, 2 ** 33 + 7, size - 1]) {
      expect(inclusionRanges(index, size).length).toBeLessThanOrEqual(41);
      expect(tilesOf(inclusionRanges(index, size)).length).toBeLessThanOrEqual(11);
    }
    const nodes: NodeHashes = ({ level, index }) => leafHash(`${level}/${index}`);
    const proof = inclusionRanges(2 ** 33 + 7, size).map((range) => rangeHash(range, nodes));
    expect(rootOfInclusion(2 ** 33 + 7, size, leafHash('x'), proof)).toBeDefined();
    expect(rootOfInclusion(2 ** 33 + 7, size, leafHash('x'), proof.slice(1))).toBeUndefined();
  });
});

describe('a wrong inclusion proof', () => {
  const all = leavesOf(100);
  const store = storeOf(all);
  const cases = fc.integer({ min: 2, max: 100 }).chain((size) =>
    fc.record({
      size: fc.constant(size),
      index: fc.nat({ max: size - 1 }),
      place: fc.nat(),
      bit: fc.nat({ max: 255 }),
    }),
  );
  const leadsAstray = (
    change: (tampered: {
      index: number;
      size: number;
      leaf: Uint8Array;
      proof: Uint8Array[];
      place: number;
      bit: number;
    }) => Uint8Array | undefined,
  ) =>
    fc.assert(
      fc.property(cases, ({ size, index, place, bit }) => {
        const tampered = { index, size, leaf: all[index]!, proof: store.inclusion(index, size), place, bit };
        expect(change(tampered)).not.toEqual(store.rootAt(size));
      }),
    );

  it('is refused with one bit changed', () =>
    leadsAstray(({ index, size, leaf, proof, place, bit }) => {
      const changed = proof.map((hash) => Uint8Array.from(hash));
      changed[place % proof.length]![bit >> 3]! ^= 1 << (bit & 7);
      return rootOfInclusion(index, size, leaf, changed);
    }));

  it('is refused if it is the proof of another leaf', () =>
    leadsAstray(({ index, size, proof }) => rootOfInclusion(index, size, leafHash('other'), proof)));

  it('is refused if it is the proof for another index', () =>
    leadsAstray(({ index, size, leaf, proof, place }) => {
      const other = (index + 1 + (place % (size - 1))) % size;
      return rootOfInclusion(other, size, leaf, proof);
    }));

  it('is refused with a hash missing, doubled or added', () => {
    leadsAstray(({ index, size, leaf, proof, place }) =>
      rootOfInclusion(index, size, leaf, proof.toSpliced(place % proof.length, 1)),
    );
    leadsAstray(({ index, size, leaf, proof, place }) =>
      rootOfInclusion(
        index,
        size,
        leaf,
        proof.toSpliced(place % proof.length, 0, proof[place % proof.length]!),
      ),
    );
    leadsAstray(({ index, size, leaf, proof }) => rootOfInclusion(index, size, leaf, [...proof, EMPTY_ROOT]));
  });

  it('is refused for an index outside the tree, an invalid size, and invalid hashes', () => {
    const proof = store.inclusion(0, 8);
    for (const [index, size] of [
      [8, 8],
      [-1, 8],
      [0.5, 8],
      [0, 0],
      [0, -8],
      [0, Number.NaN],
    ] as const) {
      expect(rootOfInclusion(index, size, all[0]!, proof)).toBeUndefined();
    }
    expect(rootOfInclusion(0, 8, all[0]!.slice(1), proof)).toBeUndefined();
    expect(rootOfInclusion(0, 8, all[0]!, [new Uint8Array(0), ...proof.slice(1)])).toBeUndefined();
  });
});

describe('a wrong consistency proof', () => {
  const all = leavesOf(64);
  const store = storeOf(all);
  const at = (size: number) => ({ size, root: store.rootAt(size) });
  const pairs = fc
    .tuple(fc.integer({ min: 1, max: 63 }), fc.nat(), fc.nat(), fc.nat({ max: 255 }))
    .map(([older, step, place, bit]) => ({ older, newer: older + 1 + (step % (64 - older)), place, bit }));

  it('is refused with one bit changed, a hash missing or added', () =>
    fc.assert(
      fc.property(pairs, ({ older, newer, place, bit }) => {
        const proof = store.consistency(older, newer);
        const changed = proof.map((hash) => Uint8Array.from(hash));
        changed[place % proof.length]![bit >> 3]! ^= 1 << (bit & 7);
        expect(isConsistent(at(older), at(newer), changed)).toBe(false);
        expect(isConsistent(at(older), at(newer), proof.toSpliced(place % proof.length, 1))).toBe(false);
        expect(isConsistent(at(older), at(newer), [...proof, EMPTY_ROOT])).toBe(false);
        expect(isConsistent(at(older), at(newer), [store.root, ...proof])).toBe(false);
      }),
    ));

  it('is refused between trees that fork, swap or shrink', () =>
    fc.assert(
      fc.property(pairs, ({ older, newer, place }) => {
        const forked = storeOf(all.map((leaf, index) => (index === place % older ? leafHash('fork') : leaf)));
        const proof = forked.consistency(older, newer);
        const there = { size: newer, root: forked.rootAt(newer) };
        expect(isConsistent({ size: older, root: forked.rootAt(older) }, there, proof)).toBe(true);
        expect(isConsistent(at(older), there, proof)).toBe(false);
        expect(isConsistent(at(older), there, store.consistency(older, newer))).toBe(false);
        expect(isConsistent(at(newer), at(older), store.consistency(older, newer))).toBe(false);
      }),
    ));

  it('is empty for the same tree and from no entries, and only then', () => {
    expect(isConsistent(at(7), at(7), [])).toBe(true);
    expect(isConsistent({ size: 0, root: EMPTY_ROOT }, at(7), [])).toBe(true);
    expect(isConsistent({ size: 0, root: at(7).root }, at(7), [])).toBe(false);
    expect(isConsistent(at(7), at(7), [EMPTY_ROOT])).toBe(false);
    expect(isConsistent(at(7), { ...at(7), root: at(6).root }, [])).toBe(false);
    expect(isConsistent(at(6), at(7), [])).toBe(false);
    expect(isConsistent(at(4), at(7), [])).toBe(false);
  });
});

describe('the hash of a leaf', () => {
  it('is the same for text and for its UTF-8 bytes', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(toHex(leafHash(text))).toBe(toHex(leafHash(new TextEncoder().encode(text))));
      }),
    ));
});

describe('appending to tiles', () => {
  it('refuses to continue from a border that is missing or too short', () => {
    const store = storeOf(leavesOf(300));
    const border = store.read(borderTiles(300));
    expect(border.map(({ level, index }) => [level, index])).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(() => tileAppender(300, border.slice(1))).toThrow('Tile 1 of level 0 is missing or too short.');
    expect(() => tileAppender(301, border)).toThrow('too short');
  });

  it('changes only the tiles at the border', () => {
    const store = storeOf(leavesOf(1_000));
    const appender = tileAppender(1_000, store.read(borderTiles(1_000)));
    appender.append(leafHash('one more'));
    expect(appender.changed().map(({ level, index, hashes }) => [level, index, hashes.length / 32])).toEqual([
      [0, 3, 233],
    ]);
  });
});
