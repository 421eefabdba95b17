import { Confirm } from '../../design/dialog';
import { Await } from '../../design/states';
import { Fact, Facts } from '../../design/table';
import { SECRET, useAction } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { ReasonField } from '../reason-field';
import { fieldsText } from '../scope.ts';
import { recordsText } from './disclosure-list';
import { DECIDE, type AboutReading, type DisclosureFile } from './documents';
import { PreviewFacts } from './selected-records';

const words = texts(
  {
    to: 'To',
    what: 'What they receive',
    ofAsset: (records: string, asset: string) => `${records} of ${asset}`,
    fields: 'Fields',
    format: 'Format',
    authorizeTitle: 'This discloses the values.',
    authorizeText:
      'The result is created immediately and cannot be withdrawn. Anyone who may read the disclosure sees the values in plaintext.',
    authorizeAction: 'Disclose the values',
    authorizing: 'Disclosing…',
    rejectTitle: 'This rejects the disclosure.',
    rejectText: 'Nothing is disclosed. The requester sees your reason.',
    rejectAction: 'Reject the disclosure',
    rejecting: 'Rejecting…',
  },
  {
    fr: {
      to: 'À',
      what: 'Ce qui est reçu',
      ofAsset: (records: string, asset: string) => `${records} de ${asset}`,
      fields: 'Champs',
      format: 'Format',
      authorizeTitle: 'Ceci divulgue les valeurs.',
      authorizeText:
        'Le résultat est produit aussitôt et ne peut être repris. Qui peut lire la divulgation lit les valeurs en clair.',
      authorizeAction: 'Divulguer les valeurs',
      authorizing: 'Divulgation…',
      rejectTitle: 'Ceci rejette la divulgation.',
      rejectText: 'Rien n’est divulgué. Le demandeur voit votre motif.',
      rejectAction: 'Rejeter la divulgation',
      rejecting: 'Rejet…',
    },
  },
);

export type Decision = 'authorize' | 'reject';

/** Asks for confirmation before a disclosure is authorized or rejected: what is disclosed, and to whom. */
export function Decide({
  disclosure: { id, scope, format },
  about,
  decision,
  onClose,
}: {
  readonly disclosure: DisclosureFile;
  readonly about: AboutReading;
  readonly decision: Decision;
  readonly onClose: () => void;
}) {
  const action = useAction(
    (reason: string) => run(DECIDE, { input: { id, decision, ...(reason === '' ? {} : { reason }) } }),
    [[SECRET, 'disclosure', id], ['disclosureAbout', id], ['disclosures']],
  );
  return (
    <Confirm
      title={words[`${decision}Title`]}
      action={words[`${decision}Action`]}
      busy={decision === 'authorize' ? words.authorizing : words.rejecting}
      state={action}
      isReady={decision === 'reject' || about.data !== undefined}
      onClose={onClose}
      onConfirm={(values) => void action.run(values.text('reason'), onClose)}
    >
      {decision === 'authorize' && (
        <Await reading={about} lines={3}>
          {({ data: { disclosure } }) => (
            <Facts>
              <Fact name={words.to}>
                {disclosure.requester.name} <span className="soft">{disclosure.requester.email}</span>
              </Fact>
              <Fact name={words.what}>
                {words.ofAsset(recordsText(disclosure.preview.records), disclosure.asset.name)}
              </Fact>
              <PreviewFacts preview={disclosure.preview} />
              <Fact name={words.fields}>{fieldsText(scope.fields)}</Fact>
              <Fact name={words.format}>{format.toUpperCase()}</Fact>
            </Facts>
          )}
        </Await>
      )}
      <p>{words[`${decision}Text`]}</p>
      <ReasonField isRequired={decision === 'reject'} />
    </Confirm>
  );
}
