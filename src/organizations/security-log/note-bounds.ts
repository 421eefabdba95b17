import { clientNetwork } from '../../kernel/client-network.js';
import type { Log } from '../../kernel/log.js';

const WINDOW_MILLISECONDS = 60_000;
export const MOST_OF_AN_ADDRESS = 60;
export const MOST_IN_ALL = 600;

/** Bounds what a flood of refusals can cause on this instance; that there was one is logged, once a minute. */
export function noteBounds(log: Log) {
  let until = 0;
  let admitted = 0;
  let dropped = 0;
  const ofNetwork = new Map<string, number>();
  return {
    admit(clientAddress: string, at: Date): boolean {
      if (at.getTime() >= until) {
        if (dropped > 0) log.warn({ dropped }, 'Refusals came too fast to be noted one by one.');
        until = at.getTime() + WINDOW_MILLISECONDS;
        admitted = dropped = 0;
        ofNetwork.clear();
      }
      const network = clientNetwork(clientAddress);
      const count = ofNetwork.get(network) ?? 0;
      if (admitted >= MOST_IN_ALL || count >= MOST_OF_AN_ADDRESS) {
        dropped += 1;
        return false;
      }
      admitted += 1;
      ofNetwork.set(network, count + 1);
      return true;
    },
  };
}
