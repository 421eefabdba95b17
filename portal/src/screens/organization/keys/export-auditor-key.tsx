import { useState } from 'react';
import { Button } from '../../../design/button';
import { Confirm } from '../../../design/dialog';
import { Field } from '../../../design/fields';
import { useAction } from '../../../graphql/hooks';
import { GatewayError } from '../../../graphql/gateway-error';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { ReasonField } from '../../reason-field';
import { saveFile } from '../../../verification/save-file';
import { AGE_FILE } from './age-file.ts';
import { EXPORT_AUDITOR_KEY } from './auditor-key-documents';

const words = texts(
  {
    open: 'Export…',
    openOf: (epoch: number) => `Export…: key ${epoch}`,
    title: (epoch: number) => `This exports auditor key ${epoch}.`,
    text: 'Anyone who can decrypt the file can read every amount that is encrypted to the key, forever, and no log shows when.',
    second:
      'Two owners must request the same key and recipients within 72 hours, regardless of your organization’s rule. The second one receives the file.',
    recipients: 'Recipients',
    recipientsHint:
      '1 to 8 age recipients (age1…), one a line, as age-keygen prints them. The key leaves the gateway encrypted to them alone.',
    notRecipients:
      'Not every line is an age recipient (age1…), and nothing was sent. A line that begins with AGE-SECRET-KEY is a secret: keep it to yourself.',
    notEncrypted:
      'The gateway’s answer is not an armored age file. It was not saved. The activity log has the export.',
    action: 'Export the key',
    exporting: 'Exporting…',
    done: (epoch: number) => `Auditor key ${epoch}, encrypted`,
    doneText:
      'Only this page has the file, until you close it. “age --decrypt --identity key.txt” decrypts the keypair with the identity of a recipient.',
    save: 'Save the file',
  },
  {
    fr: {
      open: 'Exporter…',
      openOf: (epoch: number) => `Exporter… : clé ${epoch}`,
      title: (epoch: number) => `Ceci exporte la clé d’auditeur ${epoch}.`,
      text: 'Qui peut déchiffrer le fichier lit tous les montants chiffrés pour la clé, pour toujours, et aucun journal ne dit quand.',
      second:
        'Deux propriétaires doivent demander la même clé et les mêmes destinataires sous 72 heures, quelle que soit la règle de votre organisation. Le second reçoit le fichier.',
      recipients: 'Destinataires',
      recipientsHint:
        '1 à 8 destinataires age (age1…), un par ligne, comme age-keygen les imprime. La clé quitte la passerelle chiffrée pour eux seuls.',
      notRecipients:
        'Toutes les lignes ne sont pas des destinataires age (age1…), et rien n’a été envoyé. Une ligne qui commence par AGE-SECRET-KEY est un secret : gardez-la pour vous.',
      notEncrypted:
        'La réponse de la passerelle n’est pas un fichier age « armored ». Elle n’a pas été enregistrée. Le journal d’activité contient l’exportation.',
      action: 'Exporter la clé',
      exporting: 'Exportation…',
      done: (epoch: number) => `Clé d’auditeur ${epoch}, chiffrée`,
      doneText:
        'Seule cette page a le fichier, jusqu’à ce que vous la fermiez. « age --decrypt --identity key.txt » donne la paire de clés à qui a l’identité d’un destinataire.',
      save: 'Enregistrer le fichier',
    },
  },
);

const refused = (message: string, member?: string) =>
  new GatewayError('PAGE', message, member === undefined ? {} : { members: [{ member, message }] });

/** Sorted without duplicates, so that two owners make the same request for any order of recipients. */
const recipientsOf = (lines: string) =>
  [...new Set(lines.split(/\s+/).filter((line) => line !== ''))].toSorted();

async function exportKey(input: { epoch: number; recipients: string[]; reason: string }): Promise<string> {
  // A secret that was pasted by mistake leaves no page.
  if (!input.recipients.every((recipient) => /^age1[0-9a-z]+$/.test(recipient)))
    throw refused(words.notRecipients, 'recipients');
  const { ageFile } = (await run(EXPORT_AUDITOR_KEY, { input })).exportAuditorKey;
  if (!AGE_FILE.test(ageFile.trim())) throw refused(words.notEncrypted);
  return ageFile;
}

/** Exports an auditor key, encrypted to who receives it: in the clear it is never in a page. */
export function ExportAuditorKey({ epoch }: { readonly epoch: number }) {
  const [isOpen, setOpen] = useState(false);
  const [file, setFile] = useState<string>();
  const action = useAction(exportKey, [['proposedOperations'], ['activityLog']]);
  const close = () => {
    setOpen(false);
    setFile(undefined);
    action.reset();
  };
  return (
    <>
      <Button label={words.openOf(epoch)} onPress={() => setOpen(true)}>
        {words.open}
      </Button>
      {isOpen && (
        <Confirm
          title={file === undefined ? words.title(epoch) : words.done(epoch)}
          action={file === undefined ? words.action : words.save}
          busy={words.exporting}
          isDanger={file === undefined}
          isDone={file !== undefined}
          state={action}
          onClose={close}
          onConfirm={({ text }) => {
            if (file !== undefined) saveFile(`auditor-key-${epoch}.age`, file, 'application/octet-stream');
            else
              void action.run(
                { epoch, recipients: recipientsOf(text('recipients')), reason: text('reason') },
                setFile,
              );
          }}
        >
          {file === undefined ? (
            <>
              <p>{words.text}</p>
              <p>{words.second}</p>
              <Field
                name="recipients"
                label={words.recipients}
                hint={words.recipientsHint}
                lines={3}
                spellCheck="false"
                isRequired
              />
              <ReasonField />
            </>
          ) : (
            <p role="status">{words.doneText}</p>
          )}
        </Confirm>
      )}
    </>
  );
}
