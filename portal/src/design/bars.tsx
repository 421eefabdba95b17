import { useId } from 'react';
import { countText, dayText, shortDayText } from '../format.ts';
import { texts } from '../texts.ts';
import { Table } from './table';

const words = texts(
  {
    table: 'As a table',
    most: (text: string, day: string) => `Most: ${text} on ${day}`,
  },
  {
    fr: {
      table: 'En tableau',
      most: (text: string, day: string) => `Maximum : ${text} le ${day}`,
    },
  },
);

const DAY_MS = 86_400_000;
/** Fewer days than these leave room to the right: one day is not a wall. */
const MIN_DAYS = 14;
const MAX_DAYS = 400;

export interface DayBar {
  /** `2026-11-22`, UTC. */
  readonly day: string;
  readonly value: number;
  /** What a number does not hold exactly, such as an amount. */
  readonly text?: string;
}

const textOf = ({ value, text }: DayBar) => text ?? countText(value);
const percent = (share: number) => `${(share * 100).toFixed(3)}%`;

/** Every day from the first to the last: a day on which nothing was is part of the picture. */
function everyDay(bars: readonly DayBar[]): readonly DayBar[] {
  const known = new Map(bars.map((bar) => [bar.day, bar]));
  const days = [...known.keys()].sort();
  const [first, last] = [Date.parse(days[0] ?? ''), Date.parse(days.at(-1) ?? '')];
  const length = Math.floor((last - first) / DAY_MS) + 1;
  if (!(length > 0) || length > MAX_DAYS) return days.map((day) => known.get(day)!);
  return Array.from({ length }, (_, index) => {
    const day = new Date(first + index * DAY_MS).toISOString().slice(0, 10);
    return known.get(day) ?? { day, value: 0 };
  });
}

/** Counts or sums by day as bars over time, and a table that says the same. */
export function DayBars({
  title,
  dayColumn,
  valueColumn,
  bars,
  scaleText = countText,
}: {
  readonly title: string;
  readonly dayColumn: string;
  readonly valueColumn: string;
  readonly bars: readonly DayBar[];
  /** The value that the highest bar has, at the edge of the picture: roughly. */
  readonly scaleText?: (value: number) => string;
}) {
  const id = useId();
  const days = everyDay(bars);
  const most = days.reduce<DayBar | undefined>(
    (found, bar) => (found === undefined || bar.value > found.value ? bar : found),
    undefined,
  );
  const largest = Math.max(1, most?.value ?? 0);
  const slots = Math.max(days.length, MIN_DAYS);
  // A label every so many days, so that five fit, and every second one on a narrow screen.
  const every = Math.ceil(slots / 5);
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}>
        {title}
        {most && <span className="soft block">{words.most(textOf(most), dayText(most.day))}</span>}
      </figcaption>
      <div className="plot" aria-hidden="true">
        <svg focusable="false">
          {[0, 0.5, 1].map((share) => (
            <line key={share} x1="0" x2="100%" y1={percent(share)} y2={percent(share)} />
          ))}
          {days.map((bar, index) => {
            const height = bar.value === 0 ? 0 : Math.max(0.015, bar.value / largest);
            return (
              <rect
                key={bar.day}
                x={percent((index + 0.15) / slots)}
                width={percent(0.7 / slots)}
                y={percent(1 - height)}
                height={percent(height)}
              >
                <title>{`${dayText(bar.day)}: ${textOf(bar)}`}</title>
              </rect>
            );
          })}
        </svg>
        <span className="scale">
          <span>{scaleText(largest)}</span>
          <span>0</span>
        </span>
        <svg className="days" focusable="false">
          {days.map(
            ({ day }, index) =>
              index % every === 0 && (
                <text key={day} x={percent((index + 0.15) / slots)} y="1em">
                  {shortDayText(day)}
                </text>
              ),
          )}
        </svg>
      </div>
      <details>
        <summary>{words.table}</summary>
        <Table
          label={title}
          rows={days.filter(({ value }) => value > 0)}
          keyOf={({ day }) => day}
          columns={[
            { name: dayColumn, cell: ({ day }) => dayText(day) },
            { name: valueColumn, isNumber: true, cell: textOf },
          ]}
        />
      </details>
    </figure>
  );
}

export interface Share {
  readonly name: string;
  readonly count: number;
  readonly tone: 'plain' | 'good' | 'warn' | 'bad';
}

/** Counts by kind: a table whose rows have a bar each. */
export function Shares({
  title,
  nameColumn,
  countColumn,
  shares,
}: {
  readonly title: string;
  readonly nameColumn: string;
  readonly countColumn: string;
  readonly shares: readonly Share[];
}) {
  const largest = Math.max(1, ...shares.map(({ count }) => count));
  return (
    <table className="shares">
      <caption>{title}</caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{nameColumn}</th>
          <th scope="col">{countColumn}</th>
        </tr>
      </thead>
      <tbody>
        {shares.map(({ name, count, tone }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <svg aria-hidden="true" focusable="false">
                <rect className={tone} width={percent(count / largest)} height="100%" />
              </svg>
              <span className="number">{countText(count)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export interface Range {
  readonly from: number;
  /** Null: until now. */
  readonly to: number | null;
  readonly text: string;
  readonly isGood: boolean;
}

/** Keeps very short ranges visible. */
const MIN_RANGE_SHARE = 0.02;

/** The periods of each value as segments on one line: better values are higher. The table next to it has the same data. */
export function RangeBars({
  title,
  summary,
  ranges,
  end,
  endText,
}: {
  readonly title: string;
  readonly summary: string;
  /** One after the other, without gaps. */
  readonly ranges: readonly Range[];
  /** As far as the line is known: the last range reaches it. */
  readonly end: number;
  readonly endText: string;
}) {
  const id = useId();
  const start = ranges[0]?.from ?? 0;
  const lengths = ranges.map(({ from, to }) => Math.max(0, (to ?? end) - from));
  const whole = Math.max(
    1,
    lengths.reduce((sum, length) => sum + length, 0),
  );
  const shares = lengths.map((length) => Math.max(MIN_RANGE_SHARE, length / whole));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const startOf = (index: number) => shares.slice(0, index).reduce((sum, share) => sum + share, 0);
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}>
        {title}
        <span className="soft block">{summary}</span>
      </figcaption>
      <div aria-hidden="true">
        <svg className="ranges" focusable="false">
          {ranges.map(({ from, to, text, isGood }, index) => {
            const height = isGood ? 1 : 0.4;
            return (
              <rect
                key={`${index} ${from}`}
                className={isGood ? 'good' : 'bad'}
                x={percent(startOf(index) / total)}
                width={percent(shares[index]! / total)}
                y={percent(1 - height)}
                height={percent(height)}
              >
                <title>{`${countText(from)} – ${to === null ? endText : countText(to)}: ${text}`}</title>
              </rect>
            );
          })}
        </svg>
        <div className="row between soft">
          <span>{countText(start)}</span>
          <span>{endText}</span>
        </div>
      </div>
    </figure>
  );
}
