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
      places.run(work('urgent'), { isUrgent: true }),
      places.run(work('urgent too'), { isUrgent: true }),
    ]);
    expect(done).toEqual(['first', 'urgent', 'urgent too', 'second', 'third']);
  });

  it('lets nobody wait longer than they want to, and gives their place to nobody', async () => {
    const places = new Semaphore(1);
    const first = Promise.withResolvers<undefined>();
    const begun: string[] = [];
    const work = (name: string) => () => {
      begun.push(name);
      return name === 'first' ? first.promise : Promise.resolve();
    };
    const giveUp = new AbortController();
    const running = places.run(work('first'), { signal: giveUp.signal });
    const impatient = places.run(work('second'), { signal: giveUp.signal });
    const patient = places.run(work('third'));
    giveUp.abort(new Error('too long'));
    await expect(impatient).rejects.toThrow('too long');
    await expect(
      places.run(work('fourth'), { signal: AbortSignal.abort(new Error('too late')) }),
    ).rejects.toThrow('too late');
    first.resolve(undefined);
    await Promise.all([running, patient]);
    expect(begun).toEqual(['first', 'third']);
    // The place is free again.
    await places.run(work('fifth'), { signal: AbortSignal.abort() });
    expect(begun.at(-1)).toBe('fifth');
  });

  it('lets work wait as long as it says, and gives its place to nobody', async () => {
    const places = new Semaphore(1);
    const first = Promise.withResolvers<undefined>();
    const patience = { ms: 1, tooLate: () => new Error('too late') };
    const running = places.run(() => first.promise, { patience });
    const late = places.run(() => Promise.reject(new Error('began')), { patience });
    const patient = places.run(() => Promise.resolve('patient'), { patience: { ...patience, ms: 2 ** 30 } });
    await expect(late).rejects.toThrow('too late');
    first.resolve(undefined);
    await running;
    await expect(patient).resolves.toBe('patient');
    await expect(places.run(() => Promise.resolve('free'), { patience })).resolves.toBe('free');
  });
});
