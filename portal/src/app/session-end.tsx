import { useEffect, useState } from 'react';
import { elapsedSeconds, receivedNow, type Received } from '../design/time-left.ts';
import { Button } from '../design/button';
import { Layer } from '../design/dialog';
import { spanText } from '../format.ts';
import { graphql } from '../graphql/document';
import { useRead } from '../graphql/hooks';
import { gateway } from '../graphql/request';
import { texts } from '../texts.ts';

const words = texts(
  {
    title: (span: string) => `Your session ends in ${span}`,
    idle: 'You have not used the portal for a while. Data is removed from the screen when the session ends.',
    whole:
      'A session lasts 12 hours at most. Sign in again to continue. Data is removed from the screen when the session ends.',
    stay: 'Stay signed in',
    staying: 'Asking…',
    close: 'Close',
  },
  {
    fr: {
      title: (span: string) => `Votre session se termine dans ${span}`,
      idle: 'Vous n’avez pas utilisé le portail depuis un moment. Ce qui est affiché disparaît à la fin de la session.',
      whole:
        'Une session dure 12 heures au plus. Reconnectez-vous pour continuer ; ce qui est affiché disparaît à la fin.',
      stay: 'Rester connecté',
      staying: 'Demande…',
      close: 'Fermer',
    },
  },
);

const SESSION = graphql(`
  query SessionEnd {
    me {
      session {
        secondsLeft
        idleSecondsLeft
      }
    }
  }
`);

const WARNED_SECONDS = 120;
const TOLD_EVERY_MS = 10_000;

/** When anything was last asked under this session, in this tab or another: each answer puts the idle end off. */
function useLastUse(): Received {
  const [last, setLast] = useState(receivedNow);
  useEffect(() => {
    const tabs = new BroadcastChannel('lucarne.use');
    let toldAt = 0;
    const used = () => {
      setLast(receivedNow());
      if (Date.now() - toldAt < TOLD_EVERY_MS) return;
      toldAt = Date.now();
      tabs.postMessage('used');
    };
    const usedElsewhere = () => setLast(receivedNow());
    gateway.addEventListener('answered', used);
    tabs.addEventListener('message', usedElsewhere);
    return () => {
      gateway.removeEventListener('answered', used);
      tabs.close();
    };
  }, []);
  return last;
}

/** Two minutes before the session ends for want of use, offers to stay. At its end everything is removed. */
export function SessionEnd() {
  const reading = useRead(['session'], SESSION, {});
  const last = useLastUse();
  const [left, setLeft] = useState<number>();
  const [isSeen, setSeen] = useState(false);
  const session = reading.data?.data.me?.session;
  const received = reading.data?.received;
  const wholeLeft = () => (session && received ? session.secondsLeft - elapsedSeconds(received) : Infinity);
  const idleLeft = () => (session ? session.idleSecondsLeft - elapsedSeconds(last) : Infinity);
  useEffect(() => {
    const look = () => {
      const seconds = Math.ceil(Math.min(wholeLeft(), idleLeft()));
      setLeft(seconds > WARNED_SECONDS ? undefined : Math.max(0, seconds));
      if (seconds > WARNED_SECONDS) setSeen(false);
      // It is not asked whether this is so: asking would put the end off.
      if (seconds <= 0) gateway.dispatchEvent(new Event('signed-out'));
    };
    const timer = setInterval(look, 1_000);
    return () => clearInterval(timer);
  });
  if (left === undefined || isSeen) return null;
  const canStay = wholeLeft() > WARNED_SECONDS;
  return (
    <Layer title={words.title(spanText(left))} isAlert onClose={() => setSeen(true)}>
      <p>{canStay ? words.idle : words.whole}</p>
      <div className="row end">
        {canStay ? (
          <Button
            autoFocus
            variant="primary"
            busy={reading.isFetching && words.staying}
            onPress={() => void reading.refetch()}
          >
            {words.stay}
          </Button>
        ) : (
          <Button autoFocus onPress={() => setSeen(true)}>
            {words.close}
          </Button>
        )}
      </div>
    </Layer>
  );
}
