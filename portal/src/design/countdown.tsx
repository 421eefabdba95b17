import { useEffect, useRef, useState } from 'react';
import { ageText, localText, spanText } from '../format.ts';
import { gatewayTime } from '../graphql/gateway-time.ts';
import { texts } from '../texts.ts';
import { Time } from './values';
import { elapsedSeconds, isAnnounced, toneOf, type Received } from './time-left.ts';

const words = texts(
  {
    ended: 'Access ended',
    left: (span: string) => `${span} left`,
    waits: (span: string) => `waits for ${span}`,
    soon: (span: string) => `Access to this case ends in ${span}.`,
    now: 'Access to this case has ended.',
  },
  {
    fr: {
      ended: 'Accès terminé',
      left: (span: string) => `encore ${span}`,
      waits: (span: string) => `attend depuis ${span}`,
      soon: (span: string) => `L’accès à ce dossier se termine dans ${span}.`,
      now: 'L’accès à ce dossier est terminé.',
    },
  },
);

/** The rest of a duration that the gateway returned in seconds, never as a time of day. */
export function useSecondsLeft(secondsLeft: number, received: Received): number {
  const leftNow = () => Math.max(0, Math.ceil(secondsLeft - elapsedSeconds(received)));
  const [shown, setShown] = useState({ secondsLeft, received, left: leftNow() });
  // A response of the gateway takes effect immediately, not with the next tick.
  const left = shown.received === received && shown.secondsLeft === secondsLeft ? shown.left : secondsLeft;
  useEffect(() => {
    const look = () => setShown({ secondsLeft, received, left: leftNow() });
    if (shown.received !== received || shown.secondsLeft !== secondsLeft) look();
    if (left === 0) return undefined;
    // Updates every minute while hours are left, every second at the end, and when the page becomes visible.
    const timer = setTimeout(look, left > 3_600 ? 60_000 : 1_000);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  });
  return left;
}

export function Countdown({
  secondsLeft,
  received,
  expiresAt,
}: {
  readonly secondsLeft: number;
  readonly received: Received;
  readonly expiresAt: string;
}) {
  const left = useSecondsLeft(secondsLeft, received);
  if (left === 0) return <span className="badge">{words.ended}</span>;
  return (
    <time dateTime={expiresAt} className={`badge ${toneOf(left)} number`} title={localText(expiresAt)}>
      {words.left(spanText(left))}
    </time>
  );
}

/** At the end of a row: how much time is left, and until when. */
export const RowCountdown = (props: Parameters<typeof Countdown>[0]) => (
  <div className="item-end">
    <Countdown {...props} />
    <span className="soft">
      <Time at={props.expiresAt} />
    </span>
  </div>
);

/** For how long something has waited, by the gateway's clock. The instant must stand beside it. */
export function Waits({ since }: { readonly since: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return <>{words.waits(ageText(Math.max(0, gatewayTime(now) - Date.parse(since)) / 1_000))}</>;
}

/** Says the time left aloud at one hour, ten minutes, one minute and the end. */
export function CountdownVoice({ left }: { readonly left: number }) {
  const before = useRef(left);
  const [announced, setAnnounced] = useState('');
  useEffect(() => {
    const isDue = isAnnounced(before.current, left);
    before.current = left;
    // A machine that slept wakes with less left than the time that is announced.
    if (isDue) setAnnounced(left === 0 ? words.now : words.soon(spanText(left)));
  }, [left]);
  return (
    <p className="visually-hidden" role="status">
      {announced}
    </p>
  );
}
