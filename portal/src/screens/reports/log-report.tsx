import { useState } from 'react';
import { Button } from '../../design/button';
import { FormLayer } from '../../design/dialog';
import { useAction } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { GENERATE_LOG } from './documents';
import { GENERATIONS_KEY } from './progress';
import { FormatChoice, formatOf, type ReportFormat } from './radios';

const words = texts(
  {
    make: 'Create a report of the activity log…',
    title: 'Create a report of the activity log',
    action: 'Create the report',
    busy: 'Starting…',
    ofOrganization: 'It has every entry of the organization’s log until now.',
    ofApplication: 'It has every entry of this application until now.',
    ofCase: 'It has every entry of this case until now.',
    csv: 'For a spreadsheet: each entry on a line, without proofs.',
    json: 'With the proof of each entry. “Verify a file” and the command “lucarne log verify” check it.',
    pdf: 'For reading and printing, without proofs.',
    note: 'The file never changes after it is created. The log records that you created it, and its hash.',
  },
  {
    fr: {
      make: 'Créer un rapport du journal d’activité…',
      title: 'Créer un rapport du journal d’activité',
      action: 'Créer le rapport',
      busy: 'Démarrage…',
      ofOrganization: 'Il contient chaque entrée du journal de l’organisation jusqu’à maintenant.',
      ofApplication: 'Il contient chaque entrée de cette application jusqu’à maintenant.',
      ofCase: 'Il contient chaque entrée de ce dossier jusqu’à maintenant.',
      csv: 'Pour un tableur : chaque entrée sur une ligne, sans preuves.',
      json: 'Avec la preuve de chaque entrée. « Vérifier un fichier » et la commande « lucarne log verify » le vérifient.',
      pdf: 'Pour la lecture et l’impression, sans preuves.',
      note: 'Une fois créé, le fichier ne change plus. Le journal garde la trace de sa création et son empreinte.',
    },
  },
);

/** Makes a report of a log: of the organization, of the application `app`, or of a case in it. */
export function MakeLogReport({
  app,
  caseId,
  onBegun,
}: {
  readonly app?: string;
  readonly caseId?: string;
  /** Called with the id of the started generation. */
  readonly onBegun: (id: string) => void;
}) {
  const [isAsking, setAsking] = useState(false);
  const action = useAction(
    (format: ReportFormat) =>
      run(GENERATE_LOG, {
        input: {
          ...(app === undefined ? {} : { foreignId: app }),
          ...(caseId === undefined ? {} : { caseId }),
          ...{ format, wait: false },
        },
      }),
    [GENERATIONS_KEY, ['reports']],
  );
  const scope = caseId !== undefined ? 'ofCase' : app !== undefined ? 'ofApplication' : 'ofOrganization';
  return (
    <>
      <Button onPress={() => setAsking(true)}>{words.make}</Button>
      {isAsking && (
        <FormLayer
          title={words.title}
          action={words.action}
          busy={words.busy}
          state={action}
          onClose={() => {
            setAsking(false);
            action.reset();
          }}
          onSubmit={(values) =>
            void action.run(formatOf(values.text('format')), ({ generateLogReport }) => {
              setAsking(false);
              onBegun(generateLogReport.id);
            })
          }
        >
          <p>{words[scope]}</p>
          <FormatChoice defaultValue="json" hints={words} />
          <p className="soft">{words.note}</p>
        </FormLayer>
      )}
    </>
  );
}
