import { useSyncExternalStore } from 'react';
import { Button } from '../design/button';
import { texts } from '../texts.ts';
import { alarms } from './raised-alarms.ts';
import { saveFile } from './save-file';

const words = texts(
  {
    title: 'The activity log does not hold.',
    tell: 'Do not close this page. Save both checkpoints and give them to the person responsible for your organization’s security.',
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

export function Alarm({ organizationId }: { readonly organizationId: string }) {
  const alarm = useSyncExternalStore(alarms.subscribe, () => alarms.of(organizationId));
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
