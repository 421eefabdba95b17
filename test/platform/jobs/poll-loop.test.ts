import { describe, expect, it } from '@jest/globals';
import { createPollLoop } from '../../../src/platform/jobs/poll-loop.js';

describe('a poll loop', () => {
  it('continues after a failed turn, and logs the failure', async () => {
    const failures: unknown[] = [];
    let turns = 0;
    const third = Promise.withResolvers<true>();
    await using loop = createPollLoop({
      pollMs: 1,
      turn: () => {
        turns += 1;
        if (turns === 3) third.resolve(true);
        return turns === 1 ? Promise.reject(new Error('first')) : Promise.resolve();
      },
      failed: (thrown) => void failures.push(thrown),
    });
    loop.start();
    await third.promise;
    expect(failures).toEqual([new Error('first')]);
  });

  it('stops after the current turn, which is notified, and does not wait for the next', async () => {
    const begun = Promise.withResolvers<true>();
    const release = Promise.withResolvers<true>();
    const seen: boolean[] = [];
    const loop = createPollLoop({
      pollMs: 3_600_000,
      async turn(mayGoOn) {
        begun.resolve(true);
        await release.promise;
        seen.push(mayGoOn());
      },
      failed: () => undefined,
    });
    loop.start();
    loop.start();
    await begun.promise;
    const stopped = loop.stop();
    release.resolve(true);
    await stopped;
    expect(seen).toEqual([false]);
  });

  it('that was never started stops immediately', async () => {
    let turns = 0;
    const turn = () => {
      turns += 1;
      return Promise.resolve();
    };
    await createPollLoop({ pollMs: 1, turn, failed: () => undefined }).stop();
    expect(turns).toBe(0);
  });
});
