import { describe, expect, it } from '@jest/globals';
import { Failed, grouped } from '../../../src/platform/jobs/index.js';
import { unavailable } from '../../../src/platform/kernel/errors.js';

describe('grouped work', () => {
  const room = () => {
    const groups: (readonly number[])[] = [];
    const gates: PromiseWithResolvers<undefined>[] = [];
    const double = grouped<number, number>(async (group) => {
      groups.push(group);
      const gate = Promise.withResolvers<undefined>();
      gates.push(gate);
      await gate.promise;
      return group.map((one) => 2 * one);
    });
    return { groups, gates, double };
  };
  const settle = () => new Promise(setImmediate);

  it('begins with everything that arrives in one turn, and then takes what has arrived meanwhile, in order', async () => {
    const { groups, gates, double } = room();
    const answers = [double(1), Promise.resolve(2).then(double), double(3)];
    expect(groups).toEqual([]);
    await settle();
    expect(groups).toEqual([[1, 3, 2]]);
    answers.push(double(4), double(5));
    await settle();
    expect(groups).toHaveLength(1);
    gates[0]!.resolve(undefined);
    await settle();
    expect(groups).toEqual([
      [1, 3, 2],
      [4, 5],
    ]);
    gates[1]!.resolve(undefined);
    expect(await Promise.all(answers)).toEqual([2, 4, 6, 8, 10]);
    const next = double(6);
    await settle();
    expect(groups.at(-1)).toEqual([6]);
    gates[2]!.resolve(undefined);
    expect(await next).toBe(12);
  });

  it('has at most 64 items in a group', async () => {
    const { groups, gates, double } = room();
    const answers = Array.from({ length: 100 }, (_, at) => double(at));
    for (const at of [0, 1]) {
      await settle();
      gates[at]!.resolve(undefined);
    }
    expect(await Promise.all(answers)).toEqual(answers.map((_, at) => 2 * at));
    expect(groups.map(({ length }) => length)).toEqual([64, 36]);
  });

  it('fails for a whole group if a dependency is unavailable, but not for later groups', async () => {
    const { groups, gates, double } = room();
    const answers = [double(1), double(2)].map((one) => one.catch((thrown: unknown) => thrown));
    await settle();
    const late = double(3);
    const failure = unavailable('gone');
    gates[0]!.reject(failure);
    expect(await Promise.all(answers)).toEqual([failure, failure]);
    await settle();
    expect(groups.at(-1)).toEqual([3]);
    gates[1]!.resolve(undefined);
    expect(await late).toBe(6);
  });

  it('fails only for items that also fail alone, because a failed group is retried one by one', async () => {
    const groups: [readonly number[], boolean][] = [];
    const odd = (one: number) => new Error(`${one} is odd`);
    const half = grouped<number, number>(async (group, isApart) => {
      groups.push([group, isApart]);
      await settle();
      for (const one of group) if (one % 2 !== 0) throw odd(one);
      return group.map((one) => one / 2);
    });
    const answers = [4, 5, 6, 7].map((one) => half(one).catch((thrown: unknown) => thrown));
    expect(await Promise.all(answers)).toEqual([2, odd(5), 3, odd(7)]);
    expect(groups).toEqual([
      [[4, 5, 6, 7], false],
      ...[4, 5, 6, 7].map((one): [number[], boolean] => [[one], true]),
    ]);
  });

  it('is not retried one by one if a dependency is unavailable, because no item is the cause', async () => {
    const away = unavailable('The database cannot be reached.');
    const ends: (Error | undefined)[] = [new Error('odd'), undefined, away];
    let works = 0;
    const same = grouped<number, number>(async (group) => {
      await settle();
      const end = ends[works] ?? (works >= ends.length ? new Error('never') : undefined);
      works += 1;
      if (end) throw end;
      return group;
    });
    const answers = [1, 2, 3, 4].map((one) => same(one).catch((thrown: unknown) => thrown));
    expect(await Promise.all(answers)).toEqual([1, away, away, away]);
    expect(works).toBe(3);
  });

  it('fails for the whole group if a result is missing, so that no caller waits forever', async () => {
    const none = grouped<number, number>(() => Promise.resolve([]));
    const answers = [1, 2].map((one) => none(one).catch((thrown: unknown) => thrown));
    const failure = new Error('A group was answered in part.');
    expect(await Promise.all(answers)).toEqual([failure, failure]);
  });

  it('can fail for a single item of a group', async () => {
    const failure = new Error('odd');
    const half = grouped<number, number>((group) =>
      Promise.resolve(group.map((one) => (one % 2 === 0 ? one / 2 : new Failed(failure)))),
    );
    const answers = [2, 4, 5, 6].map((one) => half(one).catch((thrown: unknown) => thrown));
    expect(await Promise.all(answers)).toEqual([1, 2, failure, 3]);
  });
});
