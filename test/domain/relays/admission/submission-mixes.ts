import { fc } from '../../../kit/properties.js';
import { badProof, freshPackage, rivalOf, type TestPackage } from '../desk-kit.js';

/** One submission of a generated mix. `of`: which of several operations of this kind. */
interface Item {
  readonly kind:
    | 'good'
    | 'known'
    | 'rival'
    | 'bad proof'
    | 'unknown circuit'
    | 'unknown pool'
    | 'no package'
    | 'no circuit of this shape'
    | 'nullifier twice';
  readonly of: number;
  readonly client: number;
  readonly hints: boolean;
}

const OPERATIONS = 4;
const CLIENTS = 2;
const anyItem: fc.Arbitrary<Item> = fc.record({
  kind: fc.constantFrom<Item['kind']>(
    ...(['good', 'good', 'good', 'known', 'rival', 'bad proof', 'unknown circuit'] as const),
    ...(['unknown pool', 'no package', 'no circuit of this shape', 'nullifier twice'] as const),
  ),
  of: fc.nat(OPERATIONS - 1),
  client: fc.nat(CLIENTS - 1),
  hints: fc.boolean(),
});

export interface Story {
  readonly items: readonly Item[];
  readonly perClient: number;
  readonly isQueueFull: boolean;
}

/** Submissions of a few operations by a few clients, with limits that some of them reach. */
export const anyStory: fc.Arbitrary<Story> = fc.record({
  items: fc.array(anyItem, { minLength: 4, maxLength: 24 }),
  perClient: fc.constantFrom(3, 6, 1_000),
  isQueueFull: fc.boolean(),
});

/** The package of each item. Equal for both pools. */
export function packagesOf({ items }: Story, hint: string): Partial<TestPackage>[] {
  const good = Array.from({ length: OPERATIONS }, () => freshPackage());
  const known = Array.from({ length: OPERATIONS }, () => freshPackage());
  return items.map(({ kind, of: index, hints }): Partial<TestPackage> => {
    const applicationIdHints = hints ? [hint, 'unknown'] : [];
    switch (kind) {
      case 'good':
        return good[index]!;
      case 'known':
        return known[index]!;
      case 'rival':
        return { ...rivalOf(good[index]!), applicationIdHints };
      case 'bad proof':
        return { ...badProof(freshPackage()), applicationIdHints };
      case 'unknown circuit':
        return { ...freshPackage(), zkConfigNonce: '9' };
      case 'unknown pool':
        return { ...freshPackage(), poolSelector: 'unknown' };
      case 'no package':
        return { ...freshPackage(), proofBytes: 'zz' };
      case 'no circuit of this shape':
        return { ...freshPackage(), publicSignals: freshPackage().publicSignals.slice(1) };
      case 'nullifier twice':
        return { ...freshPackage(), publicSignals: freshPackage().publicSignals.with(4, 'ab').with(3, 'ab') };
    }
  });
}
