import { clientNetwork } from '../../../platform/kernel/client-network.js';
import type { Log } from '../../../platform/kernel/log.js';

const WINDOW_MS = 60_000;
export const MAX_NOTES_PER_NETWORK = 60;
export const MAX_NOTES = 600;

/** Limits the records of a flood of refusals on this instance. The flood itself is logged once a minute. */
export function noteBounds(log: Log) {
  let until = 0;
  let admitted = 0;
  let dropped = 0;
  const perNetwork = new Map<string, number>();
  return {
    admit(clientAddress: string, at: Date): boolean {
      const left = until - at.getTime();
      // A clock that was set back begins a new window, too: otherwise nothing would be recorded until it has caught up.
      if (left <= 0 || left > WINDOW_MS) {
        if (dropped > 0)
          log.warn({ dropped }, 'Too many requests are refused. Only their number is recorded.');
        until = at.getTime() + WINDOW_MS;
        admitted = dropped = 0;
        perNetwork.clear();
      }
      const network = clientNetwork(clientAddress);
      const count = perNetwork.get(network) ?? 0;
      if (admitted >= MAX_NOTES || count >= MAX_NOTES_PER_NETWORK) {
        dropped += 1;
        return false;
      }
      admitted += 1;
      perNetwork.set(network, count + 1);
      return true;
    },
  };
}
