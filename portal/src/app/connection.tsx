import { useSyncExternalStore } from 'react';
import { AWAY_ID, Button } from '../design/button';
import { Clock, Timed } from '../design/values';
import { absence } from '../graphql/connection';
import { liveness } from '../graphql/live';
import { texts } from '../texts.ts';
import { outdated, update } from '../graphql/outdated';

const words = texts(
  {
    offline: (since: string) =>
      `Not connected since ${since}. The data may be outdated, and nothing can be sent.`,
    outdated: (since: string) => `Not updated since ${since}: the data could not be read again.`,
    update: 'Update now',
    notLive: 'Not live: changes appear after the connection is restored.',
    gone: 'Not live: a part of the page did not load. Load the page again to see changes.',
  },
  {
    fr: {
      offline: (since: string) =>
        `Pas de connexion depuis ${since}. Ce que vous voyez est peut-être ancien, et rien ne peut être envoyé.`,
      outdated: (since: string) => `Pas à jour depuis ${since} : les données n’ont pas pu être relues.`,
      update: 'Actualiser',
      notLive: 'Pas en direct : les changements apparaîtront au retour de la connexion.',
      gone: 'Pas en direct : une partie de la page n’a pas été chargée. Rechargez la page pour voir les changements.',
    },
  },
);

/** Whether the gateway answers, whether the subscription socket is connected, and whether the data on screen is up to date. */
export function Connection() {
  const live = useSyncExternalStore(liveness.subscribe, liveness.read);
  const since = useSyncExternalStore(absence.subscribe, absence.read);
  const updatedAt = useSyncExternalStore(outdated.subscribe, outdated.read);
  return (
    <div role="status">
      {since === undefined ? (
        live !== 'live' &&
        live !== 'opening' && <p className="banner">{live === 'gone' ? words.gone : words.notLive}</p>
      ) : (
        <p className="banner warn" id={AWAY_ID}>
          <Timed at={[since]} as={Clock} in={words.offline} />
        </p>
      )}
      {since === undefined && updatedAt !== undefined && (
        <div className="banner warn">
          <p>
            <Timed at={[updatedAt]} as={Clock} in={words.outdated} />
          </p>
          <Button onPress={update}>{words.update}</Button>
        </div>
      )}
    </div>
  );
}
