import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { errorOf, type GatewayError } from '../graphql/gateway-error';
import { useKeptRefusal } from '../graphql/kept-refusal';
import type { ReadPages } from '../graphql/pages.ts';
import { counted, texts } from '../texts.ts';
import { Button } from './button';
import { Heading } from './heading';

const words = texts(
  {
    loading: 'Loading…',
    again: 'Try again',
    request: (id: string) => `Request ${id}`,
    wait: (seconds: number) => `Too many attempts. Try again in ${counted(seconds, 'second', 'seconds')}.`,
    waited: 'You can try again now.',
    offline: 'No connection',
    offlineText: 'The gateway does not answer. This is tried again when it does.',
    forbidden: 'No permission',
    forbiddenText: 'Ask an owner: people with members:manage grant permissions.',
    gone: 'Nothing here',
    goneText: 'There is nothing here, or you may not see it. The gateway gives the same answer for both.',
    unavailable: 'Not available now',
    failed: 'This did not work',
    page: 'This page failed',
    pageText: 'The gateway was upgraded, or this page has a fault. Load the page again.',
    reload: 'Load the page again',
    more: 'Show more',
    reading: 'Reading…',
  },
  {
    fr: {
      loading: 'Chargement…',
      again: 'Réessayer',
      request: (id: string) => `Requête ${id}`,
      wait: (seconds: number) =>
        `Trop de tentatives. Réessayez dans ${counted(seconds, 'seconde', 'secondes')}.`,
      waited: 'Vous pouvez réessayer.',
      offline: 'Pas de connexion',
      offlineText: 'La passerelle ne répond pas. Un nouvel essai suit dès qu’elle répond.',
      forbidden: 'Pas d’autorisation',
      forbiddenText:
        'Demandez à un propriétaire : les personnes qui ont members:manage accordent les autorisations.',
      gone: 'Rien ici',
      goneText: 'Il n’y a rien ici, ou cela ne vous est pas ouvert. La réponse est la même.',
      unavailable: 'Indisponible pour le moment',
      failed: 'Échec',
      page: 'Cette page a échoué',
      pageText: 'La passerelle a été mise à jour, ou cette page a un défaut. Rechargez la page.',
      reload: 'Recharger la page',
      more: 'Afficher plus',
      reading: 'Lecture…',
    },
  },
);

const SHOWN_AFTER_MS = 200;

/** Nothing for 200 ms, then lines of the final height. */
export function Loading({ lines = 4 }: { readonly lines?: number }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="loading" aria-busy="true">
      <p className="visually-hidden" role="status">
        {isShown ? words.loading : ''}
      </p>
      {isShown && Array.from({ length: lines }, (_, line) => <div key={line} className="skeleton" />)}
    </div>
  );
}

/** Why there is nothing, and what the next step is. */
function Empty({ children }: { readonly children: ReactNode }) {
  return <div className="card empty">{children}</div>;
}

export function Card({
  title,
  children,
  aside,
  label,
}: {
  readonly title?: ReactNode;
  readonly children: ReactNode;
  readonly aside?: ReactNode;
  readonly label?: string;
}) {
  return (
    <section className="card stack" aria-label={label}>
      {(title !== undefined || aside !== undefined) && (
        <div className="row between">
          {title !== undefined && <h2>{title}</h2>}
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}

function Remaining({ seconds }: { readonly seconds: number }) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    if (left <= 0) return undefined;
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left]);
  return <>{left > 0 ? words.wait(left) : words.waited}</>;
}

/** What the gateway refused, in the reader's language; where that is general, the gateway's own sentence follows. */
export const Sentence = ({ error: { message, detail } }: { readonly error: GatewayError }) => (
  <>
    {message}
    {detail !== undefined && (
      <>
        {' '}
        <span lang="en">{detail}</span>
      </>
    )}
  </>
);

/** An error next to the action that failed. Takes the focus, and is announced. */
export function Problem({
  problem,
  children,
}: {
  readonly problem: GatewayError;
  readonly children?: ReactNode;
}) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => alert.current?.focus(), [problem]);
  const seconds = problem.code === 'TOO_MANY_REQUESTS' ? (problem.retryAfterSeconds ?? 60) : undefined;
  return (
    <div
      ref={alert}
      role="alert"
      tabIndex={-1}
      className={`notice ${problem.reason === 'second_person_required' ? 'warn' : 'bad'}`}
    >
      <p>
        {children ??
          (seconds === undefined ? (
            <Sentence error={problem} />
          ) : (
            <Remaining key={problem.requestId} seconds={seconds} />
          ))}
      </p>
      {problem.code === 'INTERNAL_SERVER_ERROR' && problem.requestId !== undefined && (
        <p className="soft">{words.request(problem.requestId)}</p>
      )}
    </div>
  );
}

/** Replaces data that could not be read. */
export function Failure({ error, onAgain }: { readonly error: GatewayError; readonly onAgain?: () => void }) {
  const sentence = <Sentence error={error} />;
  const [title, text] =
    error.code === 'FORBIDDEN'
      ? [
          words.forbidden,
          <>
            {sentence} {words.forbiddenText}
          </>,
        ]
      : error.code === 'NOT_FOUND'
        ? [words.gone, words.goneText]
        : error.code === 'OFFLINE'
          ? [words.offline, words.offlineText]
          : error.code === 'UNAVAILABLE'
            ? [words.unavailable, sentence]
            : error.code === 'PAGE'
              ? [words.page, words.pageText]
              : [words.failed, sentence];
  // The module in memory does not change: only a reload of the page helps.
  const again = error.code === 'PAGE' ? undefined : onAgain;
  const isFinal = error.code === 'FORBIDDEN' || error.code === 'NOT_FOUND';
  return (
    <section className="card stack" role="alert">
      <h2>{title}</h2>
      <p>
        {error.code === 'TOO_MANY_REQUESTS' ? <Remaining seconds={error.retryAfterSeconds ?? 60} /> : text}
      </p>
      {error.requestId !== undefined && !isFinal && (
        <p className="soft mono">{words.request(error.requestId)}</p>
      )}
      {!isFinal && (
        <div>
          <Button onPress={again ?? (() => location.reload())}>{again ? words.again : words.reload}</Button>
        </div>
      )}
    </section>
  );
}

/** Whether the read returned that the object does not exist, or not for this reader. */
export const isGone = (error: unknown): boolean => error !== null && errorOf(error).code === 'NOT_FOUND';

/**
 * Loading, refused, or loaded. `place` is the heading of a screen that has its own only when data is loaded. Earlier data
 * is removed when it no longer exists, unless the screen itself shows what is left.
 */
export function Await<Data>({
  reading,
  place,
  lines,
  keepsGone = false,
  children,
}: {
  readonly reading: UseQueryResult<Data>;
  readonly place?: string;
  readonly lines?: number;
  readonly keepsGone?: boolean;
  readonly children: (data: Data) => ReactNode;
}) {
  const error = useKeptRefusal(reading);
  if (reading.data !== undefined && (keepsGone || !isGone(reading.error)))
    return <>{children(reading.data)}</>;
  if (error)
    return (
      <>
        {place !== undefined && <Heading title={place} />}
        <Failure error={errorOf(error)} onAgain={() => void reading.refetch()} />
      </>
    );
  return <Loading lines={lines} />;
}

/** For content that is shown only if it exists. If it could not be read, `title` states that. */
export function WhereAny<Data>({
  title,
  reading,
  children,
}: {
  readonly title: string;
  readonly reading: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}) {
  if (reading.data === undefined && !reading.error) return null;
  const shown = <Await reading={reading}>{children}</Await>;
  return reading.data === undefined ? <Card title={title}>{shown}</Card> : shown;
}

/**
 * The same for a listing: loading, refused, empty or there, with the way to more. A live list shows its rows also when it is
 * empty: the last row that has left stays while somebody reads it, and then the list shows what it is given for it.
 */
export function Listing<Node>({
  pages,
  empty,
  isLive = false,
  children,
}: {
  readonly pages: Omit<ReadPages<Node>, 'total' | 'isPrevious'>;
  readonly empty: ReactNode;
  readonly isLive?: boolean;
  readonly children: (nodes: readonly Node[], none: ReactNode) => ReactNode;
}) {
  if (pages.error) return <Failure error={pages.error} onAgain={pages.readAgain} />;
  if (pages.isPending) return <Loading />;
  const none = pages.hasMore ? undefined : <Empty>{empty}</Empty>;
  return (
    <>
      {pages.nodes.length > 0 || isLive ? children(pages.nodes, none) : none}
      {pages.moreError && <Problem problem={pages.moreError} />}
      {pages.hasMore && (
        <div>
          <Button busy={pages.isReadingMore && words.reading} onPress={pages.readMore}>
            {words.more}
          </Button>
        </div>
      )}
    </>
  );
}

export function Notice({
  tone = 'plain',
  isLive = false,
  children,
}: {
  /** It can appear while somebody reads: it is read out then. */
  readonly isLive?: boolean;
  readonly tone?: 'plain' | 'good' | 'warn' | 'bad';
  readonly children: ReactNode;
}) {
  return (
    <div className={`notice ${tone}`} role={isLive ? 'status' : undefined}>
      {children}
    </div>
  );
}
