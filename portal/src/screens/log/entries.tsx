import { useState } from 'react';
import { Button } from '../../design/button';
import { Checkbox } from '../../design/fields';
import { LiveRows } from '../../design/lists/live-rows';
import { Listing } from '../../design/states';
import { utcDayText } from '../../format.ts';
import type { Pages } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { Fact, Facts } from '../../design/table';
import { Moment } from '../../design/values';
import { Completeness } from './completeness';
import type { EntryNode } from './documents';
import { EntryMark } from './entry-mark';
import { isSession, saidBy } from './event-words.ts';
import { EntryObject } from './entry-object';
import { reasonGiven, spokenValues } from './spoken-values';

const words = texts(
  {
    empty: 'No entry matches the filters.',
    erased: 'erased',
    gateway: 'Gateway',
    operator: 'Operator',
    raw: 'Entry',
    fold: 'Show sign-ins and sign-outs',
    on: (day: string) => `Entries of ${day}`,
    onlyBy: (name: string) => `Show only what ${name} did`,
    onlyOf: 'Show only what was done to the same',
    allFolded: 'There are only sign-ins and sign-outs here, which are hidden.',
  },
  {
    fr: {
      empty: 'Aucune entrée ne correspond aux filtres.',
      erased: 'effacé',
      gateway: 'La passerelle',
      operator: 'Un opérateur',
      raw: 'Entrée',
      fold: 'Montrer les connexions et déconnexions',
      on: (day: string) => `Entrées du ${day}`,
      onlyBy: (name: string) => `N’afficher que ce qu’a fait ${name}`,
      onlyOf: 'N’afficher que ce qui a été fait à la même chose',
      allFolded: 'Il n’y a ici que des connexions et des déconnexions. Elles sont repliées.',
    },
  },
);

/** Who acted. The gateway and its operator are named in each language. */
export const actorOf = ({ user, userId }: Pick<EntryNode, 'user' | 'userId'>): string =>
  userId === 'gateway' ? words.gateway : userId === 'operator' ? words.operator : (user ?? words.erased);

/** The id of the object, as `activityLog(objectId)` takes it. Addresses are kept out of the page's URL. */
const objectIdOf = ({ object }: EntryNode): string | undefined => {
  const members = object as Readonly<Record<string, unknown>>;
  return ['id', 'session_id', 'user_id', 'report_id', 'invitation_id', 'api_key_id']
    .map((member) => members[member])
    .find((id) => typeof id === 'string');
};

/** Entries by day, newest first. Sign-ins are folded until they are asked for. */
export function Entries({
  pages,
  isOfCase = false,
  isWhole = false,
  isOne = false,
  onActor,
  onObject,
}: {
  readonly pages: Pages<EntryNode>;
  /** Entries of one case: they contain no sign-ins, and a link to the case would lead to the same page. */
  readonly isOfCase?: boolean;
  /** They are all entries of the log, without a filter. */
  readonly isWhole?: boolean;
  /** They are one entry, which is shown with its details, whatever it is. */
  readonly isOne?: boolean;
  /** Narrows the log to what one actor did, where that is possible. */
  readonly onActor?: (userId: string) => void;
  /** The same for the object. */
  readonly onObject?: (objectId: string) => void;
}) {
  const [showsSessions, setShowsSessions] = useState(isOne);
  return (
    <>
      {!isOfCase && !isOne && (
        <Checkbox name="sessions" label={words.fold} checked={showsSessions} onChange={setShowsSessions} />
      )}
      <Completeness pages={pages} isWhole={isWhole} />
      <Listing pages={pages} empty={words.empty}>
        {(nodes) => {
          const unfolded = nodes.filter(({ eventType }) => showsSessions || !isSession(eventType));
          if (unfolded.length === 0) return <p className="card">{words.allFolded}</p>;
          return (
            <LiveRows nodes={unfolded} keyOf={({ id }) => id}>
              {(shown) =>
                [...Map.groupBy(shown, ({ createdAt }) => createdAt.slice(0, 10))].map(([day, entries]) => (
                  <section key={day} className="stack">
                    <h2>{utcDayText(day)}</h2>
                    <ul className="list dense" aria-label={words.on(utcDayText(day))}>
                      {entries.map((entry) => (
                        <Entry
                          key={entry.id}
                          entry={entry}
                          isOfCase={isOfCase}
                          isOpen={isOne}
                          onActor={onActor}
                          onObject={onObject}
                        />
                      ))}
                    </ul>
                  </section>
                ))
              }
            </LiveRows>
          );
        }}
      </Listing>
    </>
  );
}

function Entry({
  entry,
  isOfCase,
  isOpen,
  onActor,
  onObject,
}: {
  readonly entry: EntryNode;
  readonly isOfCase: boolean;
  readonly isOpen: boolean;
  readonly onActor: ((userId: string) => void) | undefined;
  readonly onObject: ((objectId: string) => void) | undefined;
}) {
  const objectId = objectIdOf(entry);
  const details = entry.details as Readonly<Record<string, unknown>>;
  const reason = reasonGiven(details);
  const values = spokenValues(details, entry.foreignId ?? undefined);
  return (
    <li className="item">
      <div>
        <p>
          <strong>{actorOf(entry)}</strong> {saidBy(entry.eventType, details)}
          <EntryObject entry={entry} isOfCase={isOfCase} />
        </p>
        {reason !== undefined && <p className="soft">{reason}</p>}
        <details open={isOpen}>
          <summary>
            {words.raw}
            {entry.index !== null && ` #${entry.index}`}
          </summary>
          {values.length > 0 && (
            <Facts>
              {values.map(({ member, name, text }) => (
                <Fact key={member} name={name}>
                  {text}
                </Fact>
              ))}
            </Facts>
          )}
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
          {onObject && objectId !== undefined && (
            <Button variant="quiet" onPress={() => onObject(objectId)}>
              {words.onlyOf}
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
