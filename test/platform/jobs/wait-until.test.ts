import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '../../../src/platform/jobs/index.js';

describe('a wait for what no signal announces', () => {
  const looking = (answers: readonly boolean[]) => {
    const left = [...answers];
    return { left, look: () => Promise.resolve(left.shift()!) };
  };

  it('looks until it is so', async () => {
    const { left, look } = looking([false, false, true, true]);
    expect(await waitUntil(look, { pauseMs: { firstMs: 1, maxMs: 2 } })).toBe(true);
    expect(left).toEqual([true]);
  });

  it('looks after its last pause too, and at least one time', async () => {
    const { left, look } = looking([false, false, false, true]);
    expect(await waitUntil(look, { pauseMs: 1, maxPauses: 2 })).toBe(false);
    expect(left).toEqual([true]);
    expect(await waitUntil(look, { pauseMs: 1, maxPauses: 0 })).toBe(true);
  });

  it('ends with a last look when its signal aborts', async () => {
    const stopping = new AbortController();
    const { left, look } = looking([false, false, true]);
    const waiting = waitUntil(look, { pauseMs: 3_600_000, signal: stopping.signal });
    await new Promise(setImmediate);
    stopping.abort();
    expect(await waiting).toBe(false);
    expect(left).toEqual([true]);
  });
});
