import { describe, expect, it } from '@jest/globals';
import { atLeast, eventually } from '../../kit/eventually.js';
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
      async turn(mayContinue) {
        begun.resolve(true);
        await release.promise;
        seen.push(mayContinue());
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

  it('stops immediately if it was never started', async () => {
    let turns = 0;
    const turn = () => {
      turns += 1;
      return Promise.resolve();
    };
    await createPollLoop({ pollMs: 1, turn, failed: () => undefined }).stop();
    expect(turns).toBe(0);
  });

  it('has a turn when it is woken, and waits longer after each turn that failed', async () => {
    const waits: number[] = [];
    const wakes: (() => void)[] = [];
    const isListening = { now: false };
    let turns = 0;
    const loop = createPollLoop({
      pollMs: 3_600_000,
      retryMs(failures) {
        waits.push(failures);
        return 1;
      },
      turn() {
        turns += 1;
        return turns <= 3 ? Promise.reject(new Error('away')) : Promise.resolve();
      },
      failed: () => undefined,
      listen(wake) {
        isListening.now = true;
        wakes.push(wake);
        return () => (isListening.now = false);
      },
    });
    loop.start();
    await eventually(() => turns, atLeast(4));
    expect(waits).toEqual([1, 2, 3]);
    wakes[0]!();
    await eventually(() => turns, atLeast(5));
    loop.wake();
    await eventually(() => turns, atLeast(6));
    expect(isListening.now).toBe(true);
    await loop.stop();
    expect(isListening.now).toBe(false);
  });

  it('stops when what its turns began has ended', async () => {
    const begun = Promise.withResolvers<true>();
    const loop = createPollLoop({
      pollMs: 3_600_000,
      turn: () => Promise.resolve(),
      failed: () => undefined,
      ended: () => begun.promise.then(() => undefined),
    });
    loop.start();
    let isStopped = false;
    const stopped = loop.stop().then(() => (isStopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isStopped).toBe(false);
    begun.resolve(true);
    await stopped;
  });
});
