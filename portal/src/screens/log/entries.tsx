import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../design/button';
import { Checkbox } from '../../design/fields';
import { Listing } from '../../design/states';
import { dayText } from '../../format.ts';
import type { Pages } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { Moment } from '../../design/values';
import type { EntryNode } from './documents';
import { EntryMark } from './entry-mark';
import { eventWords, isSession } from './event-words.ts';

const words = texts(
  {
    empty: 'There is no entry for what is chosen here.',
    erased: 'erased',
    gateway: 'The gateway',
    operator: 'An operator',
    raw: 'Entry',
    fold: 'Show sign-ins and sign-outs',
    toCase: 'the case',
    on: (day: string) => `Entries of ${day}`,
    onlyBy: (name: string) => `Show only what ${name} did`,
    allFolded: 'Only sign-ins and sign-outs are here. They are folded.',
  },
  {
    fr: {
      empty: 'Aucune entrée pour ce qui est choisi ici.',
      erased: 'effacé',
      gateway: 'La passerelle',
      operator: 'Un opérateur',
      raw: 'Entrée',
      fold: 'Montrer les connexions et déconnexions',
      toCase: 'le dossier',
      on: (day: string) => `Entrées du ${day}`,
      onlyBy: (name: string) => `N’afficher que ce qu’a fait ${name}`,
      allFolded: 'Il n’y a ici que des connexions et des déconnexions. Elles sont repliées.',
    },
  },
);

const actorOf = ({ user, userId }: EntryNode): string =>
  user ?? (userId === 'gateway' ? words.gateway : userId === 'operator' ? words.operator : words.erased);

/** Entries by day, newest first. Sign-ins are folded until they are asked for. */
export function Entries({
  pages,
  onActor,
}: {
  readonly pages: Pages<EntryNode>;
  /** Narrows the log to what one actor did, where that is possible. */
  readonly onActor?: (userId: string) => void;
}) {
  const [showsSessions, setShowsSessions] = useState(false);
  return (
    <>
      <Checkbox name="sessions" label={words.fold} checked={showsSessions} onChange={setShowsSessions} />
      <Listing pages={pages} empty={words.empty}>
        {(nodes) => {
          const shown = nodes.filter(({ eventType }) => showsSessions || !isSession(eventType));
          if (shown.length === 0) return <p className="card">{words.allFolded}</p>;
          const days = Map.groupBy(shown, ({ createdAt }) => createdAt.slice(0, 10));
          return [...days].map(([day, entries]) => (
            <section key={day} className="stack">
              <h2>{dayText(day)}</h2>
              <ul className="list dense" aria-label={words.on(dayText(day))}>
                {entries.map((entry) => (
                  <Entry key={entry.id} entry={entry} onActor={onActor} />
                ))}
              </ul>
            </section>
          ));
        }}
      </Listing>
    </>
  );
}

function Entry({
  entry,
  onActor,
}: {
  readonly entry: EntryNode;
  readonly onActor: ((userId: string) => void) | undefined;
}) {
  return (
    <li className="item">
      <div>
        <p>
          <strong>{actorOf(entry)}</strong> {eventWords(entry.eventType)}
          {entry.caseId !== null && entry.foreignId !== null && (
            <>
              {' · '}
              <Link to="/a/$app/cases/$id" params={{ app: entry.foreignId, id: entry.caseId }}>
                {words.toCase}
              </Link>
            </>
          )}
        </p>
        <details>
          <summary>
            {words.raw}
            {entry.index !== null && ` #${entry.index}`}
          </summary>
          <pre className="raw" tabIndex={0}>
            {JSON.stringify(
              {
                id: entry.id,
                user_id: entry.userId,
                event_type: entry.eventType,
                object: entry.object,
                details: entry.details,
              },
              null,
              2,
            )}
          </pre>
          {onActor && (
            <Button variant="quiet" onPress={() => onActor(entry.userId)}>
              {words.onlyBy(actorOf(entry))}
            </Button>
          )}
        </details>
      </div>
      <div className="item-end">
        <EntryMark entry={entry} />
        <span className="entry-time">
          <Moment at={entry.createdAt} />
        </span>
      </div>
    </li>
  );
}
