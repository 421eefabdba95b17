import { Fragment, useEffect, useState, type ComponentType } from 'react';
import { clockText, localText, minuteText, momentText, shortText, timeText } from '../format.ts';
import { settings } from '../settings';
import { texts } from '../texts.ts';
import { Button } from './button';

const words = texts(
  {
    copy: 'Copy',
    copied: 'Copied',
    refused: 'Not copied',
    copyOf: (what: string) => `Copy ${what}`,
    none: 'none',
  },
  {
    fr: {
      copy: 'Copier',
      copied: 'Copié',
      refused: 'Non copié',
      copyOf: (what: string) => `Copier ${what}`,
      none: 'aucun',
    },
  },
);

/** How an id is labeled everywhere. */
export const ID_WORDS = texts(
  { id: 'Id', theId: 'the id' },
  { fr: { id: 'Identifiant', theId: 'l’identifiant' } },
);

/** Copies a complete text. `what` names it for screen readers. */
export function Copy({ value, what }: { readonly value: string; readonly what: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <Button
      variant="quiet"
      label={outcome ? words[outcome] : words.copyOf(what)}
      onPress={() =>
        // A browser lets a page copy only while it has the focus, and the person may have forbidden it.
        void navigator.clipboard.writeText(value).then(
          () => setOutcome('copied'),
          () => setOutcome('refused'),
        )
      }
    >
      {words[outcome ?? 'copy']}
    </Button>
  );
}

/** An id, hash or key: its middle is left out for the eyes only. */
export function Code({
  value,
  ends,
  what,
}: {
  readonly value: string;
  readonly ends?: number;
  readonly what?: string;
}) {
  const short = shortText(value, ends);
  return (
    <span className="code">
      <code title={value} aria-hidden={short !== value || undefined}>
        {short}
      </code>
      {short !== value && <span className="visually-hidden">{value}</span>}
      {what !== undefined && <Copy value={value} what={what} />}
    </span>
  );
}

/** An account of the ledger, where there is one. */
export const Account = ({ address }: { readonly address: string | null }) =>
  address === null ? <None /> : <Code value={address} ends={5} />;

function Instant({ at, textOf }: { readonly at: string | number; readonly textOf: (date: Date) => string }) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={localText(date)}>
      {(settings.isLocalTime ? localText : textOf)(date)}
    </time>
  );
}

/** An instant in UTC, because periods are; the local time is beside it for who chose so, and in the tooltip. */
export const Time = ({
  at,
  isExact = false,
}: {
  readonly at: string | number;
  readonly isExact?: boolean;
}) => <Instant at={at} textOf={isExact ? timeText : minuteText} />;

export const ExactTime = ({ at }: { readonly at: string | number }) => <Time at={at} isExact />;

/** The time of day, below a heading that says the day. */
export const Moment = ({ at }: { readonly at: string }) => <Instant at={at} textOf={momentText} />;

/** The time of day, of something that happened while the page was open. */
export const Clock = ({ at }: { readonly at: number }) => <Instant at={at} textOf={clockText} />;

/** Stands for an instant in a sentence. No text of the database can contain it. */
const PLACE = '\u0000';

/** A sentence with instants in it, in the order of its parameters. */
export function Timed<At extends string | number>({
  at,
  as: Shown = Time,
  in: sentence,
}: {
  readonly at: readonly At[];
  readonly as?: ComponentType<{ readonly at: At }>;
  readonly in: (...when: string[]) => string;
}) {
  return sentence(...at.map(() => PLACE))
    .split(PLACE)
    .map((piece, index) => {
      const instant = at[index];
      return (
        <Fragment key={index}>
          {piece}
          {instant !== undefined && <Shown at={instant} />}
        </Fragment>
      );
    });
}

export const None = () => <span className="soft">{words.none}</span>;

/** A state in words, with its color beside them. */
export function Badge({
  tone = 'plain',
  children,
}: {
  readonly tone?: 'plain' | 'good' | 'warn' | 'bad';
  readonly children: string;
}) {
  return <span className={`badge ${tone}`}>{children}</span>;
}
