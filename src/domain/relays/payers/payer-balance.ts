import { systemTimer, type Clock, type StartTimer } from '../../../platform/kernel/clock.js';
import { type ReportedBalance, contradictedBalances } from '../evidence/contradictions.js';
import { isMajority } from '../evidence/majority.js';
import { lowMedian } from '../medians.js';
import type { Address, LedgerNode } from '../../../platform/ledger/index.js';

/** Nodes are asked at most once in this time. */
const FRESH_MS = 3_000;
/** If no node answers, a balance is used for this long. */
const MAX_AGE_MS = 60_000;
/** How long a majority that agrees waits for the other nodes. */
const PATIENCE_MS = 1_000;

/** The balance of a payer in lamports; `undefined` if no node has answered for too long. */
export type PayerBalance = () => Promise<number | undefined>;

/** The nodes that are asked. */
export interface BalanceNodes {
  readonly nodes: readonly Pick<LedgerNode, 'label' | 'balance'>[];
}

export interface BalanceOptions {
  /** A majority must agree whether the balance reaches this reserve before the other nodes are no longer waited for. */
  readonly reserveLamports: number;
  /** Called with each balance that is read. */
  readonly balanceRead?: ((lamports: number) => void) | undefined;
  /** Called with the label of a provider that a majority contradicts. */
  readonly lied?: ((provider: string) => void) | undefined;
}

/**
 * Reads the balance once for all requests. A request waits for a reading only if no recent balance is known. The result is the
 * low median of the answers, so that one provider alone cannot stop the relayer. A slow provider is not waited for if more than
 * half agree whether the reserve is met. While they disagree, its answer decides.
 */
export function createPayerBalance(
  { nodes }: BalanceNodes,
  address: Address,
  clock: Clock,
  { reserveLamports, balanceRead, lied }: BalanceOptions,
  startTimer: StartTimer = systemTimer,
): PayerBalance {
  let known: { readonly lamports: number; readonly at: number } | undefined;
  let askedAt = -Infinity;
  let reading: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    const answers: ReportedBalance[] = [];
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
      balanceRead?.(lamports);
    }
    reading = undefined;
  };
  // If the clock was set back, the age of an earlier balance is unknown, so it does not count as recent.
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
