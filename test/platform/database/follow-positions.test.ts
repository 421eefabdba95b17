import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { actingFor, followPositions } from '../../../src/platform/database/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { inProcessSignals } from '../../../src/platform/signals/index.js';

describe('a thousand followers of one organization that wake for one change', () => {
  const streams: AsyncGenerator<string, void, undefined>[] = [];
  const readings: PromiseWithResolvers<undefined>[] = [];
  afterEach(async () => {
    for (const reading of readings.splice(0)) reading.resolve(undefined);
    await Promise.all(streams.splice(0).map((stream) => stream.return()));
  });
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  };

  /** Followers of an organization whose reads end when the test decides, with the number of concurrent reads. */
  function followers(count: number) {
    const signals = inProcessSignals();
    const held: PromiseWithResolvers<undefined>[] = [];
    const seen = { most: 0, reading: 0, answered: 0 };
    let reads = 0;
    const organizationId = newId('org');
    for (let one = 0; one < count; one += 1) {
      const stream = actingFor([organizationId], () =>
        followPositions(
          signals,
          {
            topics: ['changes'],
            after: 0,
            batch: 10,
            async read(after: number) {
              if (after > 0) return [];
              seen.reading += 1;
              reads += 1;
              seen.most = Math.max(seen.most, seen.reading);
              const read = Promise.withResolvers<undefined>();
              held.push(read);
              readings.push(read);
              await read.promise;
              seen.reading -= 1;
              return [{ position: 1, event: 'changed' }];
            },
          },
          { pollMs: 2 ** 30 },
        ),
      );
      streams.push(stream);
      void actingFor([organizationId], () => stream.next()).then(() => (seen.answered += 1));
    }
    const letGo = async () => {
      for (let read = held.shift(); read; read = held.shift()) {
        read.resolve(undefined);
        await settle();
      }
    };
    return {
      seen,
      letGo,
      get read() {
        return reads;
      },
    };
  }

  it('read two at a time, all receive the change, and do not delay another organization', async () => {
    const many = followers(1_000);
    await settle();
    expect(many.seen.reading).toBe(2);
    const another = followers(1);
    await settle();
    expect(another.seen.reading).toBe(1);
    await another.letGo();
    expect(another.seen.answered).toBe(1);
    await many.letGo();
    expect(many.seen).toEqual({ most: 2, reading: 0, answered: 1_000 });
  });

  it('can leave before their turn, and then read nothing', async () => {
    const many = followers(5);
    await settle();
    const last = streams.at(-1)!;
    await last.return();
    await many.letGo();
    expect(many.seen).toEqual({ most: 2, reading: 0, answered: 5 });
    expect(many.read).toBe(4);
  });
});

describe('idle followers', () => {
  afterEach(() => void jest.useRealTimers());

  it('look again after five seconds, or 20 times a second together if their organization has many', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    const signals = inProcessSignals();
    const idle = (count: number) => {
      const seen = { reads: 0 };
      const read = () => {
        seen.reads += 1;
        return Promise.resolve([]);
      };
      const organizationId = newId('org');
      const streams = Array.from({ length: count }, () =>
        actingFor([organizationId], () =>
          followPositions(signals, { topics: ['changes'], after: 0, batch: 10, read }),
        ),
      );
      const answers = streams.map((stream) => stream.next());
      const leave = () => Promise.all([...streams.map((stream) => stream.return()), ...answers]);
      return { seen, leave };
    };
    const pass = async (ms: number) => {
      await jest.advanceTimersByTimeAsync(ms);
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    };
    const [many, few] = [idle(1_000), idle(3)];
    await pass(0);
    expect([many.seen.reads, few.seen.reads]).toEqual([1_000, 3]);
    await pass(5_000);
    expect([many.seen.reads, few.seen.reads]).toEqual([1_000, 6]);
    await pass(44_000);
    expect(many.seen.reads).toBe(1_000);
    await pass(1_000);
    expect(many.seen.reads).toBe(2_000);
    signals.publish('changes');
    await pass(0);
    expect(many.seen.reads).toBe(3_000);
    await Promise.all([many.leave(), few.leave()]);
  });
});
