import type { Clock } from '../kernel/clock.js';
import type { Address, LedgerNode } from '../ledger/index.js';

/** No node is asked again within this time, however many requests come. */
const FRESH_MILLISECONDS = 3_000;
/** What was read is believed this long while no node answers. */
const BELIEVED_MILLISECONDS = 60_000;

/** What the relayer has to pay fees with, in lamports; `undefined` when no node has told for too long. */
export type RelayerBalance = () => Promise<number | undefined>;

/** The nodes that are asked. */
export interface BalanceNodes {
  readonly nodes: readonly Pick<LedgerNode, 'balance'>[];
}

/**
 * The balance, read by all requests together. A request waits for a reading only when nothing is believed any more. Of
 * several nodes the one that tells the least is believed: the others may be behind.
 */
export function createRelayerBalance(
  { nodes }: BalanceNodes,
  address: Address,
  clock: Clock,
): RelayerBalance {
  let known: { readonly lamports: number; readonly at: number } | undefined;
  let askedAt = -Infinity;
  let reading: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    const answers = await Promise.allSettled(nodes.map((node) => node.balance(address)));
    const told = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.lamports] : []));
    if (told.length > 0) known = { lamports: Math.min(...told), at: clock.now().getTime() };
    reading = undefined;
  };
  // Of a clock that was set back, nothing that was before is known to be recent.
  const isWithin = (milliseconds: number, since: number) => {
    const passed = clock.now().getTime() - since;
    return passed >= 0 && passed < milliseconds;
  };
  const believed = () => known !== undefined && isWithin(BELIEVED_MILLISECONDS, known.at);

  return async () => {
    if (!reading && !isWithin(FRESH_MILLISECONDS, askedAt)) {
      askedAt = clock.now().getTime();
      reading = read();
    }
    if (!believed()) await reading;
    return believed() ? known?.lamports : undefined;
  };
}
