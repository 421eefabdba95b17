import { onlineManager } from '@tanstack/react-query';
import { BASE_PATH } from '../app/go';
import { gateway } from './request';

const PROBE_MS = 3_000;

/** Whether the gateway answers, without a session: a page that waits does not keep one alive. */
export async function answers(): Promise<boolean> {
  try {
    const { ok } = await fetch(`${BASE_PATH}/icon.svg`, {
      method: 'HEAD',
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(PROBE_MS),
    });
    return ok;
  } catch {
    return false;
  }
}

/** Waits so long, and then until the browser has a network: a page without one asks nothing by itself. */
export async function pause(durationMs: number): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, durationMs));
  while (!onlineManager.isOnline());
}

let since: number | undefined;
const changes = new EventTarget();
const setSince = (value: number | undefined) => {
  since = value;
  changes.dispatchEvent(new Event('changed'));
};

/** Since when the gateway does not answer, as a store that React can follow. */
export const absence = {
  subscribe(changed: () => void): () => void {
    changes.addEventListener('changed', changed);
    return () => changes.removeEventListener('changed', changed);
  },
  read: () => since,
};

/** What could not be read is read now. */
function back(): void {
  setSince(undefined);
  gateway.dispatchEvent(new Event('back'));
}

function lost(): void {
  if (since !== undefined) return;
  const lostAt = Date.now();
  setSince(lostAt);
  void wait(lostAt);
}

/** Asks again and again, one question at a time, until the gateway answers this or anything else. */
async function wait(lostAt: number): Promise<void> {
  do await pause(PROBE_MS);
  while (since === lostAt && !(await answers()));
  if (since === lostAt) back();
}

gateway.addEventListener('offline', lost);
addEventListener('offline', lost);
gateway.addEventListener('online', () => {
  // An answer that was on its way when the connection was lost says nothing of now.
  if (since !== undefined && onlineManager.isOnline()) back();
});
