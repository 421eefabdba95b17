import { describe, expect, it } from '@jest/globals';
import { expiryOf, isPastDoubt } from '../../../../src/domain/relays/evidence/believed-heights.js';
import { decideEnd, type Testimony } from '../../../../src/domain/relays/evidence/decide-end.js';
import { earlierHeights, keptHeights } from '../../../../src/domain/relays/evidence/kept-heights.js';
import { fc } from '../../../kit/properties.js';
import {
  type Chain,
  type Chance,
  chanceOf,
  from,
  lying,
  makeChain,
  oneOf,
  SIGNED_SLOT,
} from './forking-chain.js';
import { liarsOf, signed, SLOT_MS, TIMING } from './signed-attempt.js';

const MAX_END_MS = 900_000;

/** The proof of death as of a finalized slot, with any height. */
const proof = (node: string, slot: number, blockHeight: number): Testimony => ({
  ...{ node, height: { slot, blockHeight }, statuses: { slot, statuses: [null] } },
  ...{ nullifiers: { slot, spent: [false] }, blockhashes: { slot, valid: [false] } },
});

/** What a provider says that wants to prevent the proof: heights that contradict only some of the others. */
function delaying(chance: Chance, { heights }: Chain, finalized: readonly number[], node: string) {
  const [slower, ahead] = [Math.min(...finalized), Math.max(...finalized)];
  // Contradicts the provider that is ahead, but not the one that lags more.
  if (chance() < 0.9) return proof(node, Math.max(slower, ahead - 1), heights[slower]!);
  const slot = oneOf(chance, finalized) + oneOf(chance, [-100, -1, 0, 1, 100, 400]);
  return proof(node, slot, heights[oneOf(chance, finalized) + oneOf(chance, [-100, -1, 0, 1, 100])]!);
}

/** How long after signing the end of a transaction that never lands is known, or `undefined` if it is not known in time. */
function endOf(seed: number, providers: number, liars: number) {
  const chance = chanceOf(seed);
  const chain: Chain = { ...makeChain(chance), landed: undefined, spentAt: undefined };
  const isLiar = liarsOf(providers, liars, from(chance, 0, providers - 1));
  const attempt = signed(chance, chain, isLiar);
  if (!attempt) return { endedMs: 0 };
  const lags = isLiar.map(() => oneOf(chance, [0, 1, 5, 60]));
  const isSteady = chance() < 0.5;
  const lyingOtherwise = oneOf(chance, [0, 0.2, 1]);
  let lastLook = null;
  let look: unknown;
  for (let now = SIGNED_SLOT + 5; ; now += from(chance, 5, 75)) {
    const since = (now - SIGNED_SLOT) * SLOT_MS;
    if (since > MAX_END_MS) return { endedMs: undefined, attempt, look };
    const earlier = earlierHeights(lastLook, since);
    const time = { sinceSignedMs: [since], ...TIMING };
    const isPast = expiryOf([attempt], earlier, isPastDoubt(time));
    const finalized = lags.map(
      (lag) => now - chain.lag.later - lag - (isSteady ? 0 : oneOf(chance, [0, 1, 2])),
    );
    const honest = finalized.filter((_, at) => !isLiar[at]);
    const testimonies = isLiar.map((lies, at): Testimony => {
      const node = `node#${at}`;
      if (lies && chance() < lyingOtherwise) return lying(chance, chain, { node, now });
      if (lies) return delaying(chance, chain, honest, node);
      const slot = finalized[at]!;
      const whole = proof(node, slot, chain.heights[slot]!);
      const { height, statuses } = whole;
      return isPast(whole) ? whole : { node, height: height!, statuses: statuses! };
    });
    const judgement = decideEnd(testimonies, time, { attempts: [attempt], earlier });
    if (judgement.decision.kind === 'dead') return { endedMs: since };
    look = { now, testimonies, earlier, judgement };
    const interviews = testimonies.map((testimony) => ({ testimony, agoMs: 0 }));
    lastLook = { heights: keptHeights(interviews, judgement, earlier, since, [attempt]) };
  }
}

describe('a transaction that never lands', () => {
  it.each([
    [1, 0],
    [2, 0],
    [3, 0],
    [3, 1],
    [4, 1],
    [5, 2],
  ])('is dead within 15 minutes with %i providers, of which %i want to delay it', (providers, liars) => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const end = endOf(seed, providers, liars);
        expect({ ...end, isInTime: end.endedMs !== undefined }).toMatchObject({ isInTime: true });
      }),
      { numRuns: 2_000 },
    );
  });
});
