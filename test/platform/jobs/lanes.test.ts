import { describe, expect, it } from '@jest/globals';
import { Lanes } from '../../../src/platform/jobs/index.js';

/** Waits for all work that can continue. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Work that ends when the test decides, and whether it must be repeated. */
function heldWork() {
  const rounds: PromiseWithResolvers<boolean>[] = [];
  return {
    rounds,
    work: (): Promise<boolean> => {
      const round = Promise.withResolvers<boolean>();
      rounds.push(round);
      return round.promise;
    },
    async end(again = false): Promise<void> {
      rounds.at(-1)!.resolve(again);
      await settle();
    },
  };
}

describe('lanes', () => {
  it('run as many tasks as they have places, and do not block each other', async () => {
    const lanes = new Lanes((lane) => (lane === 'wide' ? 2 : 1));
    const [first, second, third, other] = [heldWork(), heldWork(), heldWork(), heldWork()];
    lanes.begin('wide', 'first', first.work);
    lanes.begin('wide', 'second', second.work);
    lanes.begin('wide', 'third', third.work);
    lanes.begin('narrow', 'other', other.work);
    await settle();
    const rounds = () => [first, second, third, other].map((held) => held.rounds.length);
    expect(rounds()).toEqual([1, 1, 0, 1]);
    await second.end();
    expect(rounds()).toEqual([1, 1, 1, 1]);
    for (const held of [first, third, other]) await held.end();
    await lanes.ended();
  });

  it('repeat a task as long as it asks, each time after the other tasks of its lane', async () => {
    const lanes = new Lanes(() => 1);
    const order: string[] = [];
    const often = (name: string, times: number) => {
      let left = times;
      return () => {
        order.push(name);
        left -= 1;
        return Promise.resolve(left > 0);
      };
    };
    lanes.begin('lane', 'long', often('long', 3));
    lanes.begin('lane', 'short', often('short', 2));
    await lanes.ended();
    expect(order).toEqual(['long', 'short', 'long', 'short', 'long']);
  });

  it('never run the same task twice at a time, even in two lanes', async () => {
    const lanes = new Lanes(() => 1);
    const [held, twin] = [heldWork(), heldWork()];
    lanes.begin('lane', 'name', held.work);
    lanes.begin('lane', 'name', twin.work);
    lanes.begin('other', 'name', twin.work);
    await settle();
    await held.end(true);
    lanes.begin('lane', 'name', twin.work);
    await settle();
    expect([held.rounds.length, twin.rounds.length]).toEqual([2, 0]);
    await held.end();
    lanes.begin('lane', 'name', twin.work);
    await settle();
    expect([held.rounds.length, twin.rounds.length]).toEqual([2, 1]);
    await twin.end();
    await lanes.ended();
  });

  it('end only after tasks that began in the meantime have ended', async () => {
    const lanes = new Lanes(() => 1);
    const [first, second] = [heldWork(), heldWork()];
    lanes.begin('lane', 'first', first.work);
    let ended = false;
    const waiting = lanes.ended().then(() => (ended = true));
    await settle();
    lanes.begin('other', 'second', second.work);
    await first.end();
    expect(ended).toBe(false);
    await second.end();
    await waiting;
  });

  it('exist as long as they are used, and are then removed', async () => {
    const opened: string[] = [];
    const lanes = new Lanes((lane) => {
      opened.push(lane);
      return 1;
    });
    const [first, second, third] = [heldWork(), heldWork(), heldWork()];
    lanes.begin('lane', 'first', first.work);
    lanes.begin('lane', 'second', second.work);
    await settle();
    await first.end();
    lanes.begin('lane', 'third', third.work);
    await settle();
    expect([second.rounds.length, third.rounds.length]).toEqual([1, 0]);
    await second.end();
    expect(third.rounds.length).toBe(1);
    expect(opened).toEqual(['lane']);
    await third.end();
    lanes.begin('lane', 'first', first.work);
    await settle();
    expect(opened).toEqual(['lane', 'lane']);
    await first.end();
    await lanes.ended();
  });
});
