import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { Layer } from '../../design/dialog';
import { Notice, Problem } from '../../design/states';
import { countText } from '../../format.ts';
import { errorOf, type GatewayError } from '../../graphql/gateway-error';
import { counted, texts } from '../../texts.ts';
import { Findings } from '../../verification/marks';
import { saveFile } from '../../verification/save-file';
import { readPart, startExport, type Exported, type ExportedFile } from './exported-file';

const words = texts(
  {
    title: 'Export the log',
    text: 'The file holds every entry that the filters select, with its proof and what opens its personal values. The log says that you exported it. Check the file under “Verify a file” or with the command “lucarne log verify”.',
    parts: 'A log of any length is read in parts. This browser checks each part before it asks for the next.',
    action: 'Export the log',
    continue: 'Continue the export',
    busy: 'Exporting…',
    cancel: 'Cancel',
    close: 'Close',
    read: (covered: string, size: string) => `${covered} of ${size} entries of the log read.`,
    inFile: (count: number) => `The file has ${counted(count, 'entry', 'entries')} so far.`,
    saved: (count: number) => `The file is saved. It has ${counted(count, 'entry', 'entries')}.`,
    broken: 'No file is saved: what the gateway sent does not hold.',
  },
  {
    fr: {
      title: 'Exporter le journal',
      text: 'Le fichier contient chaque entrée que les filtres choisissent, avec sa preuve et ce qui ouvre ses valeurs personnelles. Le journal dit que vous l’avez exporté. Vérifiez le fichier sous « Vérifier un fichier » ou avec la commande « lucarne log verify ».',
      parts:
        'Un journal de toute longueur est lu par parties. Ce navigateur vérifie chaque partie avant de demander la suivante.',
      action: 'Exporter le journal',
      continue: 'Continuer l’export',
      busy: 'Export…',
      cancel: 'Annuler',
      close: 'Fermer',
      read: (covered: string, size: string) => `${covered} entrées du journal lues sur ${size}.`,
      inFile: (count: number) => `Le fichier a ${counted(count, 'entrée', 'entrées')} pour l’instant.`,
      saved: (count: number) => `Le fichier est enregistré. Il a ${counted(count, 'entrée', 'entrées')}.`,
      broken: 'Aucun fichier n’est enregistré : ce que la passerelle a envoyé ne tient pas.',
    },
  },
);

/** Reads an export part by part, from where it failed or was stopped. */
function useExport(exported: Exported) {
  const { id } = useViewer().organization;
  const client = useQueryClient();
  const [file, setFile] = useState<ExportedFile>();
  const [problem, setProblem] = useState<GatewayError>();
  const [isRunning, setRunning] = useState(false);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const run = async () => {
    const { signal } = (stop.current = new AbortController());
    setRunning(true);
    setProblem(undefined);
    try {
      let read = file ?? (await startExport(id, exported, signal));
      setFile(read);
      void client.invalidateQueries({ queryKey: ['activityLog'] });
      while (read.cursor !== null) {
        read = await readPart(read, exported, signal);
        signal.throwIfAborted();
        setFile(read);
      }
      if (read.verdict.holds) saveFile('activity-log.json', new Blob([...read.pieces]));
    } catch (thrown) {
      if (!signal.aborted) setProblem(errorOf(thrown));
    } finally {
      setRunning(false);
    }
  };
  return { file, problem, isRunning, run };
}

export function Export({ exported, onClose }: { readonly exported: Exported; readonly onClose: () => void }) {
  const { file, problem, isRunning, run } = useExport(exported);
  const isOver = file !== undefined && file.cursor === null;
  return (
    <Layer title={words.title} isAlert onClose={onClose}>
      <p>{words.text}</p>
      <p className="soft">{words.parts}</p>
      {problem && <Problem problem={problem} />}
      {file && !isOver && (
        <>
          <progress aria-label={words.title} value={file.covered} max={file.checkpoint.size} />
          <p>
            {words.read(countText(file.covered), countText(file.checkpoint.size))}{' '}
            {words.inFile(file.entries)}
          </p>
        </>
      )}
      <div role="status">
        {isOver && (
          <Notice tone={file.verdict.holds ? 'good' : 'bad'}>
            {file.verdict.holds ? words.saved(file.entries) : words.broken}
          </Notice>
        )}
      </div>
      {isOver && <Findings state={{ kind: 'verdict', verdict: file.verdict }} />}
      <div className="row end">
        <Button autoFocus onPress={onClose}>
          {isOver ? words.close : words.cancel}
        </Button>
        {!isOver && (
          <Button variant="primary" busy={isRunning && words.busy} onPress={() => void run()}>
            {file ? words.continue : words.action}
          </Button>
        )}
      </div>
    </Layer>
  );
}
