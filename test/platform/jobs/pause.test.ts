import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { pause } from '../../../src/platform/jobs/index.js';

describe('a pause', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('ends after its time', async () => {
    jest.useFakeTimers();
    let isOver = false;
    const ending = pause(1_000).then(() => (isOver = true));
    await jest.advanceTimersByTimeAsync(999);
    expect(isOver).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await ending;
  });

  it('ends immediately when it is aborted, before or during it, and leaves no timer', async () => {
    jest.useFakeTimers();
    await pause(3_600_000, AbortSignal.abort());
    const controller = new AbortController();
    const waiting = pause(3_600_000, controller.signal);
    controller.abort();
    await waiting;
    expect(jest.getTimerCount()).toBe(0);
  });
});
