import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { inSlices, ownTurn } from '../../../src/platform/jobs/index.js';
import { countingSteps } from '../../kit/process/event-loop.js';

/** Runs `work`, which is told the turn of the event loop that it is in. */
async function knowingTurns(work: (turnNow: () => number) => Promise<unknown>): Promise<void> {
  let turn = 0;
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  try {
    await work(() => turn);
  } finally {
    clearImmediate(next);
  }
}

const lengthsOfWorks = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 8 });
const stepsOf = (length: number) => Array.from({ length: length + 1 }, (_, step) => step);
// The first steps run at once, and each step uses up a slice.
const note = (turns: number[], turnNow: () => number) => (step: number) => {
  if (step > 0) turns.push(turnNow());
};

describe('long works on the main thread', () => {
  it('never use two slices in one turn of the event loop, however many there are', async () => {
    await fc.assert(
      fc.asyncProperty(lengthsOfWorks, async (lengths) => {
        const turns: number[] = [];
        await knowingTurns((turnNow) =>
          countingSteps(() =>
            Promise.all(lengths.map((length) => inSlices(stepsOf(length), note(turns, turnNow)))),
          ),
        );
        expect(turns).toHaveLength(lengths.reduce((sum, length) => sum + length, 0));
        expect(new Set(turns).size).toBe(turns.length);
      }),
    );
  });

  it('take turns in the order in which they began to wait', async () => {
    const order: string[] = [];
    const work = async (name: string) => {
      for (let time = 0; time < 3; time += 1) {
        await ownTurn();
        order.push(name);
      }
    };
    await Promise.all([work('a'), work('b'), work('c')]);
    expect(order.join('')).toBe('abcabcabc');
  });
});
