import { systemTimer, type Clock, type StartTimer } from '../../../platform/kernel/clock.js';
import { type BalanceTold, contradictedBalances } from '../evidence/contradictions.js';
import { isMajority } from '../evidence/majority.js';
import { lowMedian } from '../medians.js';
import type { Address, LedgerNode } from '../../../platform/ledger/index.js';

/** Nodes are asked at most once in this time. */
const FRESH_MS = 3_000;
/** A balance is used this long while no node answers. */
const MAX_AGE_MS = 60_000;
/** How long a majority that agrees waits for the others. */
const PATIENCE_MS = 1_000;

/** The balance of a payer in lamports; `undefined` when no node answered for too long. */
export type PayerBalance = () => Promise<number | undefined>;

/** The providers that are asked. */
export interface BalanceNodes {
  readonly nodes: readonly Pick<LedgerNode, 'label' | 'balance'>[];
}

export interface BalanceOptions {
  /** Whether the balance reaches it is what a majority must agree on before the others are not waited for. */
  readonly reserveLamports: number;
  /** Called with each reading. */
  readonly told?: ((lamports: number) => void) | undefined;
  /** With the label of a provider that a majority contradicts. */
  readonly lied?: ((provider: string) => void) | undefined;
}

/**
 * The balance, read once for all requests. A request waits for a reading only when no recent balance is known. Of
 * several answers the low median counts, so that one provider alone cannot stop the relayer. A slow one is not waited for
 * when more than half agree whether the reserve is met: while they differ, its answer decides which of them counts.
 */
export function createPayerBalance(
  { nodes }: BalanceNodes,
  address: Address,
  clock: Clock,
  { reserveLamports, told, lied }: BalanceOptions,
  startTimer: StartTimer = systemTimer,
): PayerBalance {
  let known: { readonly lamports: number; readonly at: number } | undefined;
  let askedAt = -Infinity;
  let reading: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    const answers: BalanceTold[] = [];
    const asked = nodes.map(
      async (node) => void answers.push({ node: node.label, ...(await node.balance(address)) }),
    );
    await new Promise<void>((resolve) => {
      let isPatient = true;
      const settled = Promise.allSettled(asked);
      const stopTimer = startTimer(PATIENCE_MS, () => {
        isPatient = false;
        look();
      });
      const end = () => {
        stopTimer();
        resolve();
      };
      const look = () => {
        const enough = answers.filter(({ lamports }) => lamports >= reserveLamports).length;
        const most = Math.max(enough, answers.length - enough);
        if (!isPatient && isMajority(most, nodes.length)) end();
      };
      for (const one of asked) one.then(look, () => undefined);
      void settled.then(end);
    });
    if (lied) for (const node of contradictedBalances(answers, nodes.length)) lied(node);
    const lamports = lowMedian(answers.map((answer) => answer.lamports));
    if (lamports !== undefined) {
      known = { lamports, at: clock.now().getTime() };
      told?.(lamports);
    }
    reading = undefined;
  };
  // After the clock was set back, no earlier balance is known to be recent.
  const isWithin = (periodMs: number, since: number) => {
    const passed = clock.now().getTime() - since;
    return passed >= 0 && passed < periodMs;
  };
  const believed = () => known !== undefined && isWithin(MAX_AGE_MS, known.at);

  return async () => {
    if (!reading && !isWithin(FRESH_MS, askedAt)) {
      askedAt = clock.now().getTime();
      reading = read();
    }
    if (!believed()) await reading;
    return believed() ? known?.lamports : undefined;
  };
}
