import { useId, type ReactNode } from 'react';
import { Badge, Time } from '../../design/values';
import { durationText } from '../../format.ts';
import { texts } from '../../texts.ts';
import { STATUS_NAMES, STATUS_TONES } from './status-words.ts';
import type { RelayStatus } from '../../../../src/domain/relays/relay-state.ts';

const words = texts(
  {
    title: 'Timeline',
    later: (span: string) => `${span} later`,
    whole: (span: string) => `${span} from the first change to the last`,
  },
  {
    fr: {
      title: 'Chronologie',
      later: (span: string) => `${span} plus tard`,
      whole: (span: string) => `${span} du premier changement au dernier`,
    },
  },
);

export interface TimelineEvent {
  readonly sequence: number;
  readonly status: RelayStatus;
  readonly at: string;
  readonly about: ReactNode;
}

const WIDTH = 640;
const EDGE = 12;
const MIN_GAP = 18;

/** Where each event stands on the line: by its time, and never on top of the one before. */
function placesOf(times: readonly number[]): number[] {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const room = WIDTH - 2 * EDGE - MIN_GAP * Math.max(0, times.length - 1);
  return times.map(
    (time, index) => EDGE + index * MIN_GAP + (last > first ? ((time - first) / (last - first)) * room : 0),
  );
}

/** The changes of a relay as a line of time, and as the list that says the same. */
export function Timeline({ events }: { readonly events: readonly TimelineEvent[] }) {
  const id = useId();
  const times = events.map(({ at }) => Date.parse(at));
  const places = placesOf(times);
  const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}>{events.length > 1 ? words.whole(durationText(seconds)) : words.title}</figcaption>
      <svg className="time-line" viewBox={`0 0 ${WIDTH} 28`} aria-hidden="true" focusable="false">
        <line x1={EDGE} x2={WIDTH - EDGE} y1={14} y2={14} />
        {events.map(({ sequence, status }, index) => (
          <circle key={sequence} cx={places[index]} cy={14} r={7} className={STATUS_TONES[status]}>
            <title>{STATUS_NAMES[status]}</title>
          </circle>
        ))}
      </svg>
      <ol className="timeline">
        {events.map(({ sequence, status, at, about }, index) => (
          <li key={sequence} className={STATUS_TONES[status]}>
            <p>
              <Badge tone={STATUS_TONES[status]}>{STATUS_NAMES[status]}</Badge>{' '}
              <span className="soft">
                <Time at={at} isExact />
                {index > 0 && ` · ${words.later(durationText((times[index]! - times[index - 1]!) / 1_000))}`}
              </span>
            </p>
            {about}
          </li>
        ))}
      </ol>
    </figure>
  );
}
