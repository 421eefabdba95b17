import { describe, expect, it } from '@jest/globals';
import { Semaphore } from '../../../src/platform/jobs/index.js';

describe('a semaphore', () => {
  it('prefers urgent work, and otherwise preserves the order', async () => {
    const places = new Semaphore(1);
    const done: string[] = [];
    const work = (name: string) => async () => {
      await Promise.resolve();
      done.push(name);
    };
    await Promise.all([
      places.run(work('first')),
      places.run(work('second')),
      places.run(work('third')),
      places.run(work('urgent'), true),
      places.run(work('urgent too'), true),
    ]);
    expect(done).toEqual(['first', 'urgent', 'urgent too', 'second', 'third']);
  });
});
