import { describe, expect, it } from '@jest/globals';
import { gather, type Gathering, type Lanes } from '../../../../src/domain/relays/evidence/gather.js';
import { sendAttempt } from '../../../../src/domain/relays/execution/send-attempt.js';
import type { RelayContext } from '../../../../src/domain/relays/execution/relay-step.js';
import type { RelayAttempt } from '../../../../src/domain/relays/relay.js';

/**
 * A round of questions. The test decides the answers, the patience and the slow providers. `failed` does not count as an
 * answer.
 */
function round(slow: readonly boolean[], terms: Partial<Gathering<string>> = {}) {
  const lanes = slow.map((isSlow) => ({ isSlow }));
  const asked = lanes.map(() => Promise.withResolvers<string>());
  const timers = new Set<() => void>();
  const startTimer: Lanes['startTimer'] = (_, callback) => {
    timers.add(callback);
    return () => timers.delete(callback);
  };
  const outcome: { values?: readonly (string | undefined)[]; thrown?: unknown } = {};
  void gather(
    { all: lanes as unknown as Lanes['all'], patienceMs: 1_000, startTimer },
    asked.map(({ promise }) => promise),
    { isAnswer: (value) => value !== 'failed', needs: 'majority', ...terms },
  ).then(
    (values) => (outcome.values = values),
    (thrown: unknown) => (outcome.thrown = thrown),
  );
  const turn = async () => {
    await new Promise(setImmediate);
    return outcome.values ?? 'waits';
  };
  return {
    outcome,
    timers,
    answer: (at: number, value = 'yes') => {
      asked[at]!.resolve(value);
      return turn();
    },
    fail: (at: number, thrown: Error) => {
      asked[at]!.reject(thrown);
      return turn();
    },
    /** Ends patience. */
    pass: () => {
      for (const callback of [...timers]) {
        timers.delete(callback);
        callback();
      }
      return turn();
    },
    becomeSlow: (at: number) => void (lanes[at]!.isSlow = true),
  };
}

describe('a round of questions to every provider', () => {
  it('waits for quick providers while patience lasts, and then for a majority of answers', async () => {
    const { answer, pass } = round([false, false, false]);
    expect(await answer(0)).toBe('waits');
    expect(await pass()).toBe('waits');
    expect(await answer(2)).toEqual(['yes', undefined, 'yes']);

    const another = round([false, false, false]);
    await another.answer(0);
    expect(await another.answer(1)).toBe('waits');
    expect(await another.pass()).toEqual(['yes', 'yes', undefined]);
  });

  it('does not wait for a slow provider if the others are a majority', async () => {
    const { answer } = round([false, true, false]);
    expect(await answer(0)).toBe('waits');
    expect(await answer(2)).toEqual(['yes', undefined, 'yes']);
  });

  it('waits for slow providers if the others are no majority, however long it takes', async () => {
    const { answer, pass } = round([false, true, true]);
    expect(await answer(0)).toBe('waits');
    expect(await pass()).toBe('waits');
    expect(await answer(1)).toEqual(['yes', 'yes', undefined]);
  });

  it('ends when all providers have responded, even without an answer', async () => {
    const { answer, pass } = round([false, false, false]);
    await answer(0, 'failed');
    await pass();
    expect(await answer(1, 'failed')).toBe('waits');
    expect(await answer(2)).toEqual(['failed', 'failed', 'yes']);
  });

  it('does not count a failure towards the majority', async () => {
    const { answer, pass } = round([false, false, true]);
    await answer(0);
    await answer(1, 'failed');
    expect(await pass()).toBe('waits');
    expect(await answer(2)).toEqual(['yes', 'failed', 'yes']);
  });

  it('waits, if it needs one answer, for slow providers only while patience lasts, and for quick ones until a majority', async () => {
    const { answer, pass } = round([false, true, true], { needs: 'one' });
    expect(await pass()).toBe('waits');
    expect(await answer(0)).toEqual(['yes', undefined, undefined]);

    const patient = round([false, true, true], { needs: 'one' });
    expect(await patient.answer(0)).toBe('waits');
    expect(await patient.pass()).toEqual(['yes', undefined, undefined]);

    const quick = round([false, false, true], { needs: 'one' });
    await quick.answer(0);
    expect(await quick.pass()).toBe('waits');
    expect(await quick.answer(1)).toEqual(['yes', 'yes', undefined]);
  });

  it('stops waiting, if its calls are repeated and it has the answer that it needs, for a provider that answers only other calls', async () => {
    const { answer, pass } = round([false, false], { needs: 'one', areRepeated: true });
    await answer(0);
    expect(await pass()).toBe('waits');
    expect(await pass()).toEqual(['yes', undefined]);

    for (const terms of [{ needs: 'one' }, { needs: 'majority', areRepeated: true }] as const) {
      const patient = round([false, false], terms);
      await patient.answer(0);
      for (let times = 0; times < 3; times += 1) expect(await patient.pass()).toBe('waits');
      expect(await patient.answer(1)).toEqual(['yes', 'yes']);
    }
  });

  it('stops waiting for a provider that becomes slow meanwhile', async () => {
    const { answer, pass, becomeSlow } = round([false, false, false], { needs: 'one' });
    await answer(0);
    await pass();
    becomeSlow(1);
    becomeSlow(2);
    expect(await pass()).toEqual(['yes', undefined, undefined]);
  });

  it('counts earlier answers, out of all configured providers', async () => {
    const { answer, pass } = round([false, false], { counted: 1, configured: 3 });
    await answer(0);
    expect(await pass()).toEqual(['yes', undefined]);
    const five = round([false, false], { counted: 1, configured: 5 });
    await five.answer(0);
    expect(await five.pass()).toBe('waits');
  });

  it('throws an error that is not a failure of a provider, and always stops its timer', async () => {
    const { fail, outcome, timers } = round([false, false]);
    const defect = new TypeError('a defect');
    await fail(0, defect);
    expect(outcome.thrown).toBe(defect);
    expect(timers.size).toBe(0);
    const good = round([false]);
    await good.answer(0);
    expect(good.timers.size).toBe(0);
  });
});

describe('a transaction that is sent to two providers', () => {
  it('is sent although one never answers, and answers everything else quickly', async () => {
    const timers: (() => void)[] = [];
    const startTimer: Lanes['startTimer'] = (_, callback) => {
      timers.push(callback);
      return () => undefined;
    };
    const sends = [() => Promise.resolve(), () => new Promise<never>(() => undefined)];
    const all = sends.map((send, at) => ({ isSlow: false, node: { label: `provider ${at}`, send } }));
    const lanes = { all, patienceMs: 1_000, startTimer } as unknown as Lanes;
    const sending = sendAttempt({ lanes } as RelayContext, {} as RelayAttempt);
    for (let times = 0; times < 2; times += 1) {
      await new Promise(setImmediate);
      timers.shift()!();
    }
    expect(await sending).toMatchObject({ isTaken: true, isAnswered: true });
  });
});
