import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { WakeUp } from '../../../src/platform/jobs/wake-up.js';

const FOR_EVER = 2 ** 31 - 1;

describe('an interruptible pause', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('ends when it is woken', async () => {
    const pause = new WakeUp();
    const over = pause.wait(FOR_EVER);
    pause.wake();
    await over;
  });

  it('ends immediately if it was woken before it began, and only once for many wake-ups', async () => {
    jest.useFakeTimers();
    const pause = new WakeUp();
    pause.wake();
    pause.wake();
    await pause.wait(FOR_EVER);
    const second = pause.wait(1000);
    expect(jest.getTimerCount()).toBe(1);
    await jest.advanceTimersByTimeAsync(1000);
    await second;
  });

  it('ends on time, and is not ended by an earlier wake-up', async () => {
    jest.useFakeTimers();
    const pause = new WakeUp();
    let over = false;
    const waiting = pause.wait(1000).then(() => (over = true));
    await jest.advanceTimersByTimeAsync(999);
    expect(over).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await waiting;
  });

  it('leaves no timer when it is woken', async () => {
    jest.useFakeTimers();
    const pause = new WakeUp();
    const over = pause.wait(FOR_EVER);
    pause.wake();
    await over;
    expect(jest.getTimerCount()).toBe(0);
  });
});
