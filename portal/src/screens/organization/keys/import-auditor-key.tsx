import { useState } from 'react';
import { Button } from '../../../design/button';
import { Confirm } from '../../../design/dialog';
import { Field } from '../../../design/fields';
import { Code, Time } from '../../../design/values';
import { useAction } from '../../../graphql/hooks';
import { GatewayError } from '../../../graphql/gateway-error';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { ReasonField } from '../../reason-field';
import { SecondPersonNote } from '../../second-person-note';
import { AGE_FILE } from './age-file.ts';
import { IMPORT_AUDITOR_KEY, PREPARE_IMPORT, type ImportRecipient } from './auditor-key-documents';

const words = texts(
  {
    open: 'Import an auditor key…',
    preparing: 'Preparing…',
    again: 'Prepare again',
    title: 'This imports an auditor key that was created elsewhere.',
    text: 'It opens what was encrypted to it. No asset shows it. A mint that has it is indexed once it is bound with “index it also”.',
    encrypt: 'Encrypt the keypair to this recipient, with age, where the keypair is:',
    recipient: 'the recipient',
    until: 'The recipient is for this import only, and expires at',
    file: 'Encrypted file',
    fileHint: 'The whole text of the .age file, from “BEGIN” to “END”.',
    notEncrypted:
      'This is not an armored age file, and was not sent. If it was the key itself, it is in your clipboard: copy something else.',
    second: 'In your organization another owner must import the same key within 72 hours.',
    action: 'Import the key',
    importing: 'Importing…',
  },
  {
    fr: {
      open: 'Importer une clé d’auditeur…',
      preparing: 'Préparation…',
      again: 'Préparer à nouveau',
      title: 'Ceci importe une clé d’auditeur créée ailleurs.',
      text: 'Elle ouvre ce qui lui a été chiffré. Aucun actif ne la montre. Un mint qui l’a est indexé une fois lié avec « l’indexer aussi ».',
      encrypt: 'Chiffrez la paire de clés pour ce destinataire, avec age, là où elle se trouve :',
      recipient: 'le destinataire',
      until: 'Le destinataire ne sert qu’à cette importation, et expire à',
      file: 'Fichier chiffré',
      fileHint: 'Tout le texte du fichier .age, de « BEGIN » à « END ».',
      notEncrypted:
        'Ce n’est pas un fichier age « armored », et rien n’a été envoyé. Si c’était la clé même, elle est dans votre presse-papiers : copiez autre chose.',
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
  const [file, setFile] = useState('');
  const prepare = useAction(() => run(PREPARE_IMPORT, {}));
  const bring = useAction(
    async (input: { token: string; ageFile: string; reason: string }) => {
      if (AGE_FILE.test(input.ageFile)) return run(IMPORT_AUDITOR_KEY, { input });
      setFile('');
      const members = [{ member: 'ageFile', message: words.notEncrypted }];
      throw new GatewayError('PAGE', words.notEncrypted, { members });
    },
    [['auditorKeys'], ['auditorKeyCoverage'], ['proposedOperations']],
  );
  const isRefused = bring.problem?.members.some(({ member }) => member === 'token');
  const prepareOne = () => {
    setPrepared(undefined);
    setFile('');
    bring.reset();
    void prepare.run(undefined, ({ prepareAuditorKeyImport }) => setPrepared(prepareAuditorKeyImport));
  };
  const open = () => {
    setOpen(true);
    prepareOne();
  };
  const close = () => {
    setOpen(false);
    setFile('');
    prepare.reset();
    bring.reset();
  };
  return (
    <>
      <Button busy={!isOpen && prepare.isRunning && words.preparing} onPress={open}>
        {words.open}
      </Button>
      {isOpen && (
        <Confirm
          title={words.title}
          action={words.action}
          busy={words.importing}
          state={{ isRunning: bring.isRunning, problem: prepare.problem ?? bring.problem }}
          isReady={prepared !== undefined}
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
          <SecondPersonNote>{words.second}</SecondPersonNote>
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
          {(isRefused || (!prepared && !prepare.isRunning)) && (
            <div>
              <Button busy={prepare.isRunning && words.preparing} onPress={prepareOne}>
                {words.again}
              </Button>
            </div>
          )}
          <Field
            name="ageFile"
            label={words.file}
            hint={words.fileHint}
            lines={6}
            value={file}
            onChange={setFile}
            spellCheck="false"
            isRequired
            maxLength={8192}
          />
          <ReasonField />
        </Confirm>
      )}
    </>
  );
}
