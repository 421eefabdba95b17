import { describe, expect, it } from '@jest/globals';
import { LedgerError, ProviderLane, type LedgerNode } from '../../../../src/platform/ledger/index.js';

const NEVER = new Promise<never>(() => undefined);
const signed = (lane: ProviderLane) => lane.node.send(new Uint8Array(1), '' as never);
const searched = (lane: ProviderLane) => lane.node.creatorOf('' as never, '' as never);

/** A lane whose provider answers, and whose patience ends, when the test decides. */
function openLane() {
  const underWay = { finalizedHeight: 0, send: 0, creatorOf: 0 };
  const answers: (() => void)[] = [];
  const timers = new Set<() => void>();
  const height = { slot: 1, blockHeight: 1 };
  const waits = (method: keyof typeof underWay) => () => {
    underWay[method] += 1;
    return NEVER;
  };
  const finalizedHeight = () => {
    underWay.finalizedHeight += 1;
    return new Promise<typeof height>((resolve) => answers.push(() => resolve(height)));
  };
  const node = { label: 'one', finalizedHeight, send: waits('send'), creatorOf: waits('creatorOf') };
  const lane = new ProviderLane(node as unknown as LedgerNode, {
    patienceMs: 1,
    startTimer(_, callback) {
      timers.add(callback);
      return () => timers.delete(callback);
    },
    isDispensable: () => false,
  });
  const endPatience = () => [...timers].forEach((end) => end());
  return { lane, underWay, answers, height, timers, endPatience };
}

const outcomeOf = (asked: Promise<unknown>) =>
  Promise.race([asked.then(String, (thrown: unknown) => thrown), new Promise((done) => setImmediate(done))]);
const times = (count: number) => Array.from({ length: count });

describe('the lane of a provider', () => {
  it('delays no answer while transactions and searches wait', async () => {
    const { lane, underWay, answers, height } = openLane();
    times(40).forEach(() => void signed(lane).catch(() => undefined));
    times(40).forEach(() => void searched(lane));
    expect(underWay).toEqual({ finalizedHeight: 0, send: 16, creatorOf: 4 });
    const asked = lane.node.finalizedHeight();
    answers[0]!();
    expect(await asked).toEqual(height);
  });

  it('abandons a transaction that waited until patience ended, but no question', async () => {
    const { lane, underWay, answers, endPatience } = openLane();
    const sends = times(20).map(() => signed(lane));
    const questions = times(20).map(() => lane.node.finalizedHeight());
    endPatience();
    const refused = (await Promise.all(sends.map(outcomeOf))).filter((one) => one instanceof LedgerError);
    expect(refused.map(({ kind }) => kind)).toEqual(Array(4).fill('timeout'));
    expect(underWay).toMatchObject({ send: 16, finalizedHeight: 16 });
    for (let at = 0; at < 20; at += 1) {
      answers[at]!();
      await questions[at];
      await new Promise((done) => setImmediate(done));
    }
    expect(underWay).toMatchObject({ send: 16, finalizedHeight: 20 });
  });

  it('considers a provider slow because of late answers, not because of waits for a place or of searches', () => {
    const { lane, timers, endPatience } = openLane();
    times(10).forEach(() => void searched(lane));
    endPatience();
    expect(lane.isSlow).toBe(false);
    times(20).forEach(() => void lane.node.finalizedHeight());
    expect(timers.size).toBe(16);
    endPatience();
    expect(lane.isSlow).toBe(true);
  });

  it('refuses a call while 2,000 of its kind wait, even if the provider is needed', async () => {
    const { lane, underWay } = openLane();
    times(2_000).forEach(() => void lane.node.finalizedHeight());
    expect(await outcomeOf(lane.node.finalizedHeight())).toBeInstanceOf(LedgerError);
    void searched(lane);
    expect(underWay).toMatchObject({ finalizedHeight: 16, creatorOf: 1 });
  });
});
