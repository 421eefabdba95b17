import { describe, expect, it } from '@jest/globals';
import type { LedgerHeight } from '../../../src/platform/ledger/index.js';
import type { Answer } from '../../../src/domain/relays/evidence/answers.js';
import {
  believeHeights,
  expiringOf,
  expiryOf,
  isPastDoubt,
  knownHeight,
  MAX_FINALITY_LAG_SLOTS,
} from '../../../src/domain/relays/evidence/believed-heights.js';
import { highMedian } from '../../../src/domain/relays/medians.js';
import { honestBound } from '../../../src/domain/relays/evidence/majority.js';
import { decideEnd, type Decision } from '../../../src/domain/relays/evidence/decide-end.js';
import { earlierHeights, keptHeights } from '../../../src/domain/relays/evidence/kept-heights.js';
import { fc } from '../../kit/properties.js';
import {
  type Chain,
  type Chance,
  chanceOf,
  from,
  honest,
  lying,
  makeChain,
  oneOf,
  OURS,
  SIGNED_SLOT,
} from './forking-chain.js';

const SLOT_MS = 400;
const TIMING = { minBlockMs: 300, minSlotMs: 150, maxDoubtMs: 600_000 };

/** What is stored when the transaction is signed, or `undefined` if it is not signed. Any provider may be silent before. */
function signed(chance: Chance, { heights, blockhashSlot, lag }: Chain, isLiar: readonly boolean[]) {
  const configured = isLiar.length;
  const places = isLiar.map(() => SIGNED_SLOT - oneOf(chance, [0, 0, 1, 5, 60, 400]));
  const finalized = isLiar.flatMap((lies, at): Answer<LedgerHeight>[] => {
    if (!lies && chance() < 0.2) return [];
    const slot = places[at]! - lag.atFirst + (lies ? oneOf(chance, [-300, -20, 0, 20, 150, 400]) : 0);
    const wrong = lies ? oneOf(chance, [0, 0, -20, -150, -300, 20]) : 0;
    return [{ node: `node#${at}`, answer: { slot, blockHeight: heights[slot]! + wrong } }];
  });
  const believed = believeHeights(finalized).believed.map(({ answer }) => answer);
  const known = knownHeight(believed, configured);
  if (!known) return undefined;
  const oldest = highMedian(believed.map(({ slot }) => slot))!;
  const claims = [oldest, oldest, blockhashSlot, known.slot + MAX_FINALITY_LAG_SLOTS, from(chance, 0, 2_500)];
  const slot = Math.max(oldest, isLiar.includes(true) ? oneOf(chance, claims) : blockhashSlot);
  const latest = known.slot + MAX_FINALITY_LAG_SLOTS;
  const simulatedAt = isLiar
    .flatMap((lies, at) => {
      if (lies) return [oneOf(chance, [slot, slot, blockhashSlot - 200, blockhashSlot + 300, latest])];
      return places[at]! >= blockhashSlot && chance() >= 0.2 ? [places[at]!] : [];
    })
    .filter((one) => one <= latest);
  if (slot > latest || 2 * simulatedAt.length < configured) return undefined;
  // One of two providers is enough to sign, and is believed.
  const mayLie = configured === 2 && isLiar.includes(true);
  if (mayLie && (believed.length < 2 || simulatedAt.length < 2)) return undefined;
  const expiring = expiringOf({ configured, believed, known, slot, simulatedAt });
  return { number: 1, signature: OURS, ...expiring, isDead: false };
}

/** Looks at the transaction until a look ends the request. */
function endOf(
  seed: number,
  providers: number,
  liars: number,
): { chain: Chain; decision: Decision; look: unknown } {
  const chance = chanceOf(seed);
  const chain = makeChain(chance);
  const first = from(chance, 0, providers - 1);
  const isLiar = Array.from({ length: providers }, (_, at) => (at - first + providers) % providers < liars);
  const attempt = signed(chance, chain, isLiar);
  let lastLook = null;
  let look: unknown;
  if (!attempt) return { chain, decision: { kind: 'wait', for: 'majority' }, look };
  for (let now = SIGNED_SLOT + from(chance, 1, 50); now < SIGNED_SLOT + 2_200; now += from(chance, 5, 100)) {
    const since = (now - SIGNED_SLOT) * SLOT_MS;
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
    const interviews = testimonies.map((testimony) => ({ testimony, errors: {} }));
    lastLook = { heights: keptHeights(interviews, judgement, earlier, since) };
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

describe('the known height', () => {
  const heights = [300, 100, 200].map((slot) => ({ slot, blockHeight: slot - 50 }));

  it('is the middle of those of more than half of the providers', () => {
    expect(knownHeight(heights, 3)).toEqual({ slot: 200, blockHeight: 150 });
    expect(knownHeight(heights.slice(0, 2), 3)).toEqual({ slot: 100, blockHeight: 50 });
  });

  it('is not that of half of them or fewer, which may all lie, but may be that of one of two', () => {
    expect(knownHeight(heights.slice(0, 1), 3)).toBeUndefined();
    expect(knownHeight(heights.slice(0, 2), 4)).toBeUndefined();
    expect(knownHeight([], 2)).toBeUndefined();
    expect(knownHeight(heights.slice(0, 1), 2)).toEqual({ slot: 300, blockHeight: 250 });
  });
});

describe('an end on a chain with forks, slow providers and failing questions', () => {
  it.each([
    [1, 0],
    [2, 0],
    [2, 1],
    [3, 0],
    [3, 1],
    [4, 1],
    [5, 2],
  ])('is true with %i providers, of which %i lie', (providers, liars) => {
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
