import { useState } from 'react';
import { useViewer } from '../../../app/session';
import { Button } from '../../../design/button';
import { Confirm } from '../../../design/dialog';
import { Field } from '../../../design/fields';
import { Code, Time } from '../../../design/values';
import { useAction } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { IMPORT_AUDITOR_KEY, PREPARE_IMPORT, type ImportRecipient } from './auditor-key-documents';

const words = texts(
  {
    open: 'Import an auditor key…',
    preparing: 'Preparing…',
    title: 'This imports an auditor key that was made elsewhere.',
    text: 'It opens what was encrypted to it. No asset shows it. A mint that has it is indexed once it is bound with “index it also”.',
    encrypt: 'Encrypt the keypair to this recipient, with age, where the keypair is:',
    recipient: 'the recipient',
    until: 'The recipient is of this import alone, and ends at',
    file: 'Encrypted file',
    fileHint: 'The whole text of the .age file, from “BEGIN” to “END”.',
    reason: 'Reason',
    reasonHint: 'It stands in the activity log.',
    second: 'In your organization another owner must import the same key within 72 hours.',
    action: 'Import the key',
    importing: 'Importing…',
  },
  {
    fr: {
      open: 'Importer une clé d’auditeur…',
      preparing: 'Préparation…',
      title: 'Ceci importe une clé d’auditeur créée ailleurs.',
      text: 'Elle ouvre ce qui lui a été chiffré. Aucun actif ne la montre. Un mint qui l’a est indexé une fois lié avec « l’indexer aussi ».',
      encrypt: 'Chiffrez la paire de clés pour ce destinataire, avec age, là où elle se trouve :',
      recipient: 'le destinataire',
      until: 'Le destinataire ne sert qu’à cette importation, et expire à',
      file: 'Fichier chiffré',
      fileHint: 'Tout le texte du fichier .age, de « BEGIN » à « END ».',
      reason: 'Motif',
      reasonHint: 'Il figure dans le journal d’activité.',
      second: 'Dans votre organisation, un autre propriétaire doit importer la même clé sous 72 heures.',
      action: 'Importer la clé',
      importing: 'Importation…',
    },
  },
);

/** Imports a keypair that was made elsewhere. It comes encrypted: in the clear it is never in a page. */
export function ImportAuditorKey() {
  const [isOpen, setOpen] = useState(false);
  const [prepared, setPrepared] = useState<ImportRecipient>();
  const { organization } = useViewer();
  const prepare = useAction(() => run(PREPARE_IMPORT, {}));
  const bring = useAction(
    (input: { token: string; ageFile: string; reason: string }) => run(IMPORT_AUDITOR_KEY, { input }),
    [['auditorKeys'], ['auditorKeyCoverage'], ['proposedOperations']],
  );
  const open = () => {
    setPrepared(undefined);
    setOpen(true);
    void prepare.run(undefined, ({ prepareAuditorKeyImport }) => setPrepared(prepareAuditorKeyImport));
  };
  const close = () => {
    setOpen(false);
    prepare.reset();
    bring.reset();
  };
  return (
    <>
      <Button onPress={open}>{words.open}</Button>
      {isOpen && (
        <Confirm
          title={words.title}
          action={words.action}
          busy={words.importing}
          isRunning={bring.isRunning}
          problem={prepare.problem ?? bring.problem}
          onClose={close}
          onConfirm={({ text }) => {
            if (!prepared) return;
            void bring.run(
              { token: prepared.token, ageFile: text('ageFile'), reason: text('reason') },
              close,
            );
          }}
        >
          <p>{words.text}</p>
          {organization.requireSecondPerson && <p>{words.second}</p>}
          {prepared ? (
            <>
              <p>{words.encrypt}</p>
              <p className="wrap">
                <code>age --armor --recipient {prepared.recipient} elgamal.json</code>
              </p>
              <p className="soft">
                <Code value={prepared.recipient} ends={10} what={words.recipient} /> · {words.until}{' '}
                <Time at={prepared.expiresAt} />
              </p>
            </>
          ) : (
            <p role="status">{prepare.isRunning && words.preparing}</p>
          )}
          <Field
            name="ageFile"
            label={words.file}
            hint={words.fileHint}
            lines={6}
            isRequired
            maxLength={8192}
          />
          <Field
            name="reason"
            label={words.reason}
            hint={words.reasonHint}
            lines={2}
            isRequired
            maxLength={2000}
          />
        </Confirm>
      )}
    </>
  );
}
