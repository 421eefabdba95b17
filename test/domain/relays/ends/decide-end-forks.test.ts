import { describe, expect, it } from '@jest/globals';
import { expiryOf, isPastDoubt, knownSlot } from '../../../../src/domain/relays/evidence/believed-heights.js';
import { honestBound } from '../../../../src/domain/relays/evidence/majority.js';
import { decideEnd, type Decision } from '../../../../src/domain/relays/evidence/decide-end.js';
import { earlierHeights, keptHeights } from '../../../../src/domain/relays/evidence/kept-heights.js';
import { fc } from '../../../kit/properties.js';
import {
  type Chain,
  chanceOf,
  from,
  honest,
  lying,
  makeChain,
  SIGNED_SLOT,
  slotAfter,
} from './forking-chain.js';
import { liarsOf, signed, SLOT_MS, TIMING } from './signed-attempt.js';

/** Looks at the transaction until a look ends the request. */
function endOf(
  seed: number,
  providers: number,
  liars: number,
): { chain: Chain; decision: Decision; look: unknown } {
  const chance = chanceOf(seed);
  const chain = makeChain(chance);
  const first = from(chance, 0, providers - 1);
  const isLiar = liarsOf(providers, liars, first);
  const attempt = signed(chance, chain, isLiar);
  let lastLook = null;
  let look: unknown;
  if (!attempt) return { chain, decision: { kind: 'wait', for: 'majority' }, look };
  const [begin, end] = [SIGNED_SLOT + from(chance, 1, 50), SIGNED_SLOT + 2_200];
  for (let passed = begin; passed < end; passed += from(chance, 5, 100)) {
    const now = slotAfter(chain, passed);
    const since = (passed - SIGNED_SLOT) * SLOT_MS;
    const earlier = earlierHeights(lastLook, since);
    const time = { sinceSignedMs: [since], ...TIMING };
    const isPast = expiryOf([attempt], earlier, isPastDoubt(time));
    const testimonies = Array.from({ length: providers }, (_, at) => {
      const asked = { node: `node#${at}`, now, isPast };
      return isLiar[at] ? lying(chance, chain, asked) : honest(chance, chain, asked);
    });
    const judgement = decideEnd(testimonies, time, { attempts: [attempt], earlier });
    const { decision, failed } = judgement;
    look = { now, attempt, testimonies, earlier };
    for (const { slot, failure } of failed) expect({ slot, failure }).toEqual(chain.landed);
    if (decision.kind !== 'wait') return { chain, decision, look };
    const interviews = testimonies.map((testimony) => ({ testimony, agoMs: 0 }));
    lastLook = { heights: keptHeights(interviews, judgement, earlier, since, [attempt]) };
  }
  return { chain, decision: { kind: 'wait', for: 'landing' }, look };
}

/** Whether the end is what the finalized chain holds. */
function isTrue({ landed, spentAt }: Chain, decision: Decision): boolean {
  switch (decision.kind) {
    case 'wait':
      return true;
    case 'succeeded':
      return landed?.failure === null && (decision.slot === null || decision.slot === landed.slot);
    case 'landed_failed':
      return landed !== undefined && landed.failure !== null && decision.slot === landed.slot;
    case 'spent':
      return landed?.failure !== null && spentAt !== undefined;
    case 'dead':
      return landed === undefined;
  }
}

describe('the bound of what one provider returns', () => {
  it.each([
    [1, 0],
    [2, 1],
    [3, 1],
    [4, 2],
    [5, 2],
    [6, 3],
  ])('is not below the number of an honest one of %i providers, of which %i lie', (providers, liars) => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { minLength: providers - liars, maxLength: providers - liars }),
        fc.array(fc.nat(), { minLength: liars, maxLength: liars }),
        fc.nat({ max: providers - 1 }),
        (honestNumbers, lies, silent) => {
          const answers = [...lies, ...honestNumbers.slice(silent)];
          const bound = honestBound(answers, providers);
          if (2 * answers.length <= providers) expect(bound).toBeUndefined();
          else expect(bound).toBeGreaterThanOrEqual(Math.min(...honestNumbers.slice(silent)));
          // If nobody is silent, a minority of liars cannot push it beyond every honest number.
          if (silent === 0 && 2 * liars < providers)
            expect(bound).toBeLessThanOrEqual(Math.max(...honestNumbers));
        },
      ),
    );
  });
});

describe('the known slot', () => {
  const heights = [300, 100, 200].map((slot) => ({ slot, blockHeight: slot - 50 }));

  it('is the middle of those of more than half of the providers', () => {
    expect(knownSlot(heights, 3)).toBe(200);
    expect(knownSlot(heights.slice(0, 2), 3)).toBe(100);
  });

  it('is not that of half of them or fewer, which may all lie, but may be that of one of two', () => {
    expect(knownSlot(heights.slice(0, 1), 3)).toBeUndefined();
    expect(knownSlot(heights.slice(0, 2), 4)).toBeUndefined();
    expect(knownSlot([], 2)).toBeUndefined();
    expect(knownSlot(heights.slice(0, 1), 2)).toBe(300);
  });
});

const CONFIGURATIONS = [
  [1, 0],
  [2, 0],
  [2, 1],
  [3, 0],
  [3, 1],
  [4, 1],
  [5, 2],
] as const;

describe('the expiry that is stored at signing', () => {
  it.each(CONFIGURATIONS)(
    'is not before the true one with %i providers, of which %i lie',
    (providers, liars) => {
      fc.assert(
        fc.property(fc.integer(), (seed) => {
          const chance = chanceOf(seed);
          const chain = makeChain(chance);
          const first = from(chance, 0, providers - 1);
          const attempt = signed(chance, chain, liarsOf(providers, liars, first));
          if (!attempt) return;
          const { heights, blockhashSlot } = chain;
          expect(attempt.contextSlot).toBeGreaterThanOrEqual(blockhashSlot);
          expect(attempt.lastValidBlockHeight).toBeGreaterThanOrEqual(heights[blockhashSlot]! + 150);
        }),
        { numRuns: 2_000 },
      );
    },
  );
});

describe('an end on a chain with forks, slow providers and failing questions', () => {
  it.each(CONFIGURATIONS)('is true with %i providers, of which %i lie', (providers, liars) => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { chain, decision, look } = endOf(seed, providers, liars);
        const { landed, spentAt, blockhashSlot } = chain;
        expect({
          ...{ landed, spentAt, blockhashSlot, decision, look },
          isTrue: isTrue(chain, decision),
        }).toMatchObject({ isTrue: true });
      }),
      { numRuns: 2_000 },
    );
  });
});
