import { useSyncExternalStore } from 'react';
import { Button } from '../design/button';
import { texts } from '../texts.ts';
import { saveFile } from './save-file';

const words = texts(
  {
    title: 'The activity log does not hold.',
    tell: 'Do not close this page. Save both checkpoints and give them to the person who answers for your organization’s security.',
    save: 'Save both checkpoints',
  },
  {
    fr: {
      title: 'Le journal d’activité ne se vérifie pas.',
      tell: 'Ne fermez pas cette page. Enregistrez les deux points de contrôle et remettez-les à la personne responsable de la sécurité.',
      save: 'Enregistrer les deux points de contrôle',
    },
  },
);

export interface RaisedAlarm {
  readonly because: string;
  readonly before: unknown;
  readonly now: unknown;
}

let raised: RaisedAlarm | undefined;
const listeners = new Set<() => void>();

/** Shows the banner on every screen, for as long as the page is open. The first alarm stays. */
export function raiseAlarm(alarm: RaisedAlarm): void {
  if (raised) return;
  raised = alarm;
  for (const tell of listeners) tell();
}

export function Alarm() {
  const alarm = useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => raised,
  );
  if (!alarm) return null;
  return (
    <div role="alert" className="banner bad">
      <p>
        <strong>{words.title}</strong> {alarm.because}
      </p>
      <p>{words.tell}</p>
      <Button onPress={() => saveFile('lucarne-checkpoints.json', JSON.stringify(alarm, null, 2))}>
        {words.save}
      </Button>
    </div>
  );
}
