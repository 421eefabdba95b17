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
    });
    return ok;
  } catch {
    return false;
  }
}

let since: number | undefined;
let probes: ReturnType<typeof setInterval> | undefined;
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

function back(): void {
  clearInterval(probes);
  setSince(undefined);
}

/** The gateway is asked again and again, and what could not be read is read once it is back. */
function lost(): void {
  if (since !== undefined) return;
  setSince(Date.now());
  probes = setInterval(() => {
    void answers().then((isBack) => {
      if (!isBack || since === undefined) return;
      back();
      gateway.dispatchEvent(new Event('back'));
    });
  }, PROBE_MS);
}

gateway.addEventListener('offline', lost);
addEventListener('offline', lost);
gateway.addEventListener('online', () => {
  // An answer that was on its way when the connection was lost says nothing of now.
  if (since !== undefined && navigator.onLine) back();
});
