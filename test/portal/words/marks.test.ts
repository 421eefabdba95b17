import { beforeAll, describe, expect, it } from '@jest/globals';
import { provenAmount } from '../../domain/disclosures/proven-amount.js';

interface Verdict {
  readonly holds: boolean;
  readonly unverified: readonly string[];
}

let ask: (question: object) => Promise<Verdict>;

/** Runs the checking thread in this one. */
beforeAll(async () => {
  const thread = new EventTarget();
  let answered: (verdict: Verdict) => void;
  Object.assign(globalThis, {
    addEventListener: thread.addEventListener.bind(thread),
    postMessage: ([{ verdict }]: [{ verdict: Verdict }]) => answered(verdict),
  });
  const worker = '../../../portal/src/verification/worker.ts';
  await import(worker);
  ask = (question) =>
    new Promise((resolve) => {
      answered = resolve;
      thread.dispatchEvent(Object.assign(new Event('message'), { data: [{ id: 1, question }] }));
    });
});

describe('what a green mark does not prove', () => {
  it('is stated for base units: decimals and symbol are the gateway’s claim', async () => {
    const { holds, unverified } = await ask({ ask: 'amount', file: provenAmount(1_250n) });
    expect(holds).toBe(true);
    expect(unverified.join(' ')).toMatch(/decimals .* symbol .* 1250 base units/);
  });

  it('is stated for a receipt whose log this browser has never seen: its key is new to it', async () => {
    for (const question of [
      { ask: 'disclosure', file: {} },
      { ask: 'relay receipt', receipt: {} },
    ]) {
      const { unverified } = await ask(question);
      expect(unverified.join(' ')).toContain('This browser sees that key for the first time');
    }
  });
});
