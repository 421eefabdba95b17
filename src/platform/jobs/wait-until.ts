import { type BackOff, backOffCeilingMs } from './back-off.js';
import { pause } from './pause.js';

export interface Looks {
  /** The pause after each look. It can grow. */
  readonly pauseMs: number | BackOff;
  readonly maxPauses?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Looks until it is so. Returns false if it is not so after the last pause or when the signal aborts. */
export async function waitUntil(isSo: () => Promise<boolean>, looks: Looks): Promise<boolean> {
  const { pauseMs, maxPauses = Infinity, signal } = looks;
  for (let pauses = 0; !(await isSo()); pauses += 1) {
    if (pauses >= maxPauses || signal?.aborted) return false;
    await pause(typeof pauseMs === 'number' ? pauseMs : backOffCeilingMs(pauseMs, pauses + 1), signal);
  }
  return true;
}
