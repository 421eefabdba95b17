import { useEffect, useState, useSyncExternalStore } from 'react';
import { clockText } from '../format.ts';
import { liveness } from '../graphql/live';
import { gateway } from '../graphql/request';
import { texts } from '../texts.ts';
import { client } from './client';
import { BASE_PATH } from './go';

const words = texts(
  {
    offline: (since: string) => `Not connected since ${since}. What you see may be old.`,
    notLive: 'Not live: changes appear when the connection is back.',
  },
  {
    fr: {
      offline: (since: string) => `Pas de connexion depuis ${since}. Ce que vous voyez est peut-être ancien.`,
      notLive: 'Pas en direct : les changements apparaîtront au retour de la connexion.',
    },
  },
);

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

/**
 * Whether the gateway answers, and whether the socket of the subscriptions stands. While it does not answer it is asked
 * again and again, and what could not be read is read once it is back.
 */
export function Connection() {
  const isLive = useSyncExternalStore(liveness.subscribe, liveness.read);
  const [since, setSince] = useState<number>();
  const isLost = since !== undefined;
  useEffect(() => {
    const lost = () => setSince((before) => before ?? Date.now());
    // An answer that was on its way when the connection was lost says nothing of now.
    const back = () => {
      if (navigator.onLine) setSince(undefined);
    };
    gateway.addEventListener('offline', lost);
    addEventListener('offline', lost);
    gateway.addEventListener('online', back);
    return () => {
      gateway.removeEventListener('offline', lost);
      removeEventListener('offline', lost);
      gateway.removeEventListener('online', back);
    };
  }, []);
  useEffect(() => {
    if (!isLost) return undefined;
    const timer = setInterval(() => {
      void answers().then((isBack) => {
        if (!isBack) return;
        setSince(undefined);
        void client.invalidateQueries({
          predicate: ({ queryKey, state }) => queryKey[0] !== 'secret' || state.status === 'error',
        });
      });
    }, PROBE_MS);
    return () => clearInterval(timer);
  }, [isLost]);
  return (
    <div role="status">
      {isLost ? (
        <p className="banner warn">{words.offline(clockText(since))}</p>
      ) : (
        !isLive && <p className="banner">{words.notLive}</p>
      )}
    </div>
  );
}
