import { beforeAll, describe, expect, it } from '@jest/globals';
import { provenAmount } from '../domain/disclosures/proven-amount.js';

interface Verdict {
  readonly holds: boolean;
  readonly unverified: readonly string[];
}

let ask: (question: object) => Promise<Verdict>;

/** The checking thread, in this one. */
beforeAll(async () => {
  const thread = new EventTarget();
  let answered: (verdict: Verdict) => void;
  Object.assign(globalThis, {
    addEventListener: thread.addEventListener.bind(thread),
    postMessage: ([{ verdict }]: [{ verdict: Verdict }]) => answered(verdict),
  });
  const worker = '../../portal/src/verification/worker.ts';
  await import(worker);
  ask = (question) =>
    new Promise((resolve) => {
      answered = resolve;
      thread.dispatchEvent(Object.assign(new Event('message'), { data: [{ id: 1, question }] }));
    });
});

describe('What a green mark says that it does not show', () => {
  it('names the base units that were checked: decimals and symbol are the gateway’s word', async () => {
    const { holds, unverified } = await ask({ ask: 'amount', file: provenAmount(1_250n) });
    expect(holds).toBe(true);
    expect(unverified.join(' ')).toMatch(/decimals .* symbol .* 1250 base units/);
  });

  it('says of a receipt whose log this browser never saw that its key is seen for the first time', async () => {
    for (const question of [
      { ask: 'disclosure', file: {} },
      { ask: 'relay receipt', receipt: {} },
    ]) {
      const { unverified } = await ask(question);
      expect(unverified.join(' ')).toContain('this browser sees that key for the first time');
    }
  });
});
