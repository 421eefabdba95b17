import { type BackOff, backOffCeilingMs } from './back-off.js';
import { pause } from './pause.js';

export interface Looks {
  /** The pause after each look. It can grow. */
  readonly pauseMs: number | BackOff;
  readonly maxPauses?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Looks until it is so. Returns false if it is not so after the last look. For what no signal announces. */
export async function waitUntil(
  isSo: () => Promise<boolean>,
  { pauseMs, maxPauses = Infinity, signal }: Looks,
): Promise<boolean> {
  for (let looks = 1; !(await isSo()); looks += 1) {
    if (looks > maxPauses || signal?.aborted) return false;
    await pause(typeof pauseMs === 'number' ? pauseMs : backOffCeilingMs(pauseMs, looks), signal);
  }
  return true;
}
