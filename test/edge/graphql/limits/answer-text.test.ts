import { describe, expect, it } from '@jest/globals';
import { answerText } from '../../../../src/edge/graphql/index.js';
import { countingSteps } from '../../../kit/process/event-loop.js';

const answerOf = (count: number) => {
  const records = Array.from({ length: count }, (_, slot) => ({
    slot,
    amount: '842135',
    proof: 'é'.repeat(400),
  }));
  return { result: { records, content: JSON.stringify(records) } };
};

describe('an answer', () => {
  it('is written at once if it is short', () => {
    expect(answerText(answerOf(3), '\n')).toBe(`${JSON.stringify(answerOf(3))}\n`);
  });

  it('is written in slices if it is a disclosed result, so that other requests do not wait for all of it', async () => {
    const answer = answerOf(3_901);
    const text = JSON.stringify(answer);
    const { result, steps } = await countingSteps(async () => answerText(answer, '\n'));
    expect(String(result)).toBe(`${text}\n`);
    // One chunk of 64 KiB at a time is written, and copied.
    expect(steps).toBeGreaterThan((2 * text.length) / 200_000);
  });
});
