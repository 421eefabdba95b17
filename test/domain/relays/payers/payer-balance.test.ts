import { describe, expect, it } from '@jest/globals';
import type { Address } from '../../../../src/platform/ledger/index.js';
import { createPayerBalance } from '../../../../src/domain/relays/payers/payer-balance.js';
import { standingClock } from '../../checks/kit.js';

const PAYER = 'the payer' as Address;
const RESERVE_LAMPORTS = 50;

/** One reading from three providers. The test decides when each answers, and when patience ends. */
function reading() {
  const answers = [0, 1, 2].map(() => Promise.withResolvers<{ slot: number; lamports: number }>());
  let losePatience: () => void = () => undefined;
  const balance = createPayerBalance(
    { nodes: answers.map(({ promise }, at) => ({ label: `provider ${at}`, balance: () => promise })) },
    PAYER,
    standingClock(),
    { reserveLamports: RESERVE_LAMPORTS },
    (_, ended) => {
      losePatience = ended;
      return () => undefined;
    },
  );
  let read: { lamports: number | undefined } | undefined;
  const done = balance().then((lamports) => (read = { lamports }));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    done,
    tells: (at: number, lamports: number) => answers[at]!.resolve({ slot: 1, lamports }),
    fails: (at: number) => answers[at]!.reject(new Error('no answer in time')),
    async patienceEnds() {
      await settle();
      losePatience();
      await settle();
    },
    get read() {
      return read;
    },
  };
}

describe('the balance of a payer, when patience ends before the third of three providers has answered,', () => {
  it('follows from two that agree whether the reserve is met', async () => {
    const slow = reading();
    slow.tells(0, 60);
    slow.tells(1, 70);
    await slow.patienceEnds();
    expect(slow.read).toEqual({ lamports: 60 });
  });

  it('waits for the third while two disagree about it, because one may lie', async () => {
    const slow = reading();
    slow.tells(0, 0);
    slow.tells(1, 70);
    await slow.patienceEnds();
    expect(slow.read).toBeUndefined();
    slow.tells(2, 70);
    expect(await slow.done).toEqual({ lamports: 70 });
  });

  it('is the lower of two that differ when the third has failed', async () => {
    const failing = reading();
    failing.tells(0, 0);
    failing.tells(1, 70);
    await failing.patienceEnds();
    failing.fails(2);
    expect(await failing.done).toEqual({ lamports: 0 });
  });
});
