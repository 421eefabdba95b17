import type { VariablesOf } from 'gql.tada';
import { useState } from 'react';
import { Button } from '../../../design/button';
import { Confirm } from '../../../design/dialog';
import { Checkbox, Field, Select } from '../../../design/fields';
import { valuesOf, type FormValues } from '../../../design/form-values.ts';
import { useAction } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { FIELD_NAMES } from '../../scope.ts';
import { SecondPersonNote } from '../../second-person-note';
import { CREATE_POLICY } from '../documents';
import { OUTCOME_NAMES, OUTCOMES, policySentences } from './policy-words.ts';

const words = texts(
  {
    create: 'Create a policy…',
    title: 'This creates a policy that never changes.',
    text: 'It decides the disclosures of the assets that are registered with it from now on.',
    action: 'Create the policy',
    second:
      'In your organization a policy that authorizes at once requires another owner, who must make the same request within 72 hours.',
    busy: 'Creating…',
    name: 'Name',
    key: 'Key',
    keyHint: 'The name for the API: letters, digits, dots, colons and hyphens. It is no secret.',
    fields: 'Fields that may be requested',
    formats: 'Formats that may be requested',
    most: 'Most records (optional)',
    span: 'Longest period, in days (optional)',
    accounts: 'Token accounts (optional)',
    accountsHint:
      'One per line. The policy covers only what these accounts sent or received. Without any, it covers every account.',
    inside: 'A request within the bounds',
    outside: 'Any other request',
    readBack: 'What the policy decides',
  },
  {
    fr: {
      create: 'Créer une règle…',
      title: 'Ceci crée une règle qui ne change jamais.',
      text: 'Elle tranche les divulgations des actifs qui seront enregistrés avec elle.',
      action: 'Créer la règle',
      second:
        'Dans votre organisation, une règle qui autorise aussitôt demande un autre propriétaire, qui demande la même chose sous 72 heures.',
      busy: 'Création…',
      name: 'Nom',
      key: 'Clé',
      keyHint:
        'Le nom pour l’API : lettres, chiffres, points, deux-points et traits d’union. Elle n’est pas secrète.',
      fields: 'Champs qui peuvent être demandés',
      formats: 'Formats qui peuvent être demandés',
      most: 'Nombre maximal d’enregistrements (facultatif)',
      span: 'Période la plus longue, en jours (facultatif)',
      accounts: 'Comptes de jetons (facultatif)',
      accountsHint:
        'Un par ligne. Seulement ce que l’un d’eux a envoyé ou reçu. Sans aucun, tous les comptes.',
      inside: 'Une demande dans les limites',
      outside: 'Toute autre demande',
      readBack: 'Ce que la règle décide',
    },
  },
);

const DAY_SECONDS = 24 * 60 * 60;
const FIELDS = ['amount', 'fee'] as const;
const FORMATS = ['json', 'csv'] as const;

type PolicyInput = VariablesOf<typeof CREATE_POLICY>['input'];

/** The policy in the form. An empty bound means no bound. */
function policyOf({ text, all }: FormValues): PolicyInput {
  const [most, days] = [text('maximumRecords'), text('maximumSpanDays')];
  const accounts = text('allowedAccounts').split(/\s+/).filter(Boolean);
  const outcome = (name: string) => OUTCOMES.find((known) => known === text(name)) ?? 'review';
  return {
    name: text('name'),
    key: text('key'),
    allowedFields: FIELDS.filter((field) => all('allowedFields').includes(field)),
    allowedFormats: FORMATS.filter((format) => all('allowedFormats').includes(format)),
    ...(most === '' ? {} : { maximumRecords: Number(most) }),
    ...(days === '' ? {} : { maximumSpanSeconds: Number(days) * DAY_SECONDS }),
    ...(accounts.length === 0 ? {} : { allowedAccounts: accounts }),
    inside: outcome('inside'),
    outside: outcome('outside'),
  };
}

/** As the form begins. */
const UNCHANGED: PolicyInput = {
  name: '',
  key: '',
  allowedFields: ['amount'],
  allowedFormats: [...FORMATS],
  inside: 'review',
  outside: 'review',
};

export function MakePolicy() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" onPress={() => setOpen(true)}>
        {words.create}
      </Button>
      {isOpen && <Make onClose={() => setOpen(false)} />}
    </>
  );
}

function Make({ onClose }: { readonly onClose: () => void }) {
  const [policy, setPolicy] = useState<PolicyInput>(UNCHANGED);
  const { inside, outside } = policySentences(policy);
  const action = useAction((input: PolicyInput) => run(CREATE_POLICY, { input }), [['policies']]);
  return (
    <Confirm
      title={words.title}
      action={words.action}
      busy={words.busy}
      state={action}
      onClose={onClose}
      onConfirm={(values) => void action.run(policyOf(values), onClose)}
    >
      <p>{words.text}</p>
      <SecondPersonNote>{words.second}</SecondPersonNote>
      {/* What is typed and chosen stands below as the sentences that it comes to. */}
      <div
        className="form"
        onChange={({ currentTarget }) =>
          setPolicy(policyOf(valuesOf(new FormData(currentTarget.closest('form')!))))
        }
      >
        <Field name="name" label={words.name} isRequired maxLength={128} />
        <Field name="key" label={words.key} hint={words.keyHint} isRequired maxLength={64} isMono />
        <fieldset className="fieldset">
          <legend>{words.fields}</legend>
          {FIELDS.map((field) => (
            <Checkbox
              key={field}
              name="allowedFields"
              value={field}
              label={FIELD_NAMES[field]}
              defaultChecked={field === 'amount'}
            />
          ))}
        </fieldset>
        <fieldset className="fieldset">
          <legend>{words.formats}</legend>
          {FORMATS.map((format) => (
            <Checkbox
              key={format}
              name="allowedFormats"
              value={format}
              label={format.toUpperCase()}
              defaultChecked
            />
          ))}
        </fieldset>
        <Field name="maximumRecords" type="number" label={words.most} min="1" />
        <Field name="maximumSpanDays" type="number" label={words.span} min="1" />
        <Field
          name="allowedAccounts"
          label={words.accounts}
          hint={words.accountsHint}
          lines={3}
          spellCheck="false"
          isMono
        />
        {(['inside', 'outside'] as const).map((name) => (
          <Select
            key={name}
            name={name}
            label={words[name]}
            defaultValue="review"
            options={OUTCOMES.map((value) => ({ value, label: OUTCOME_NAMES[value] }))}
          />
        ))}
      </div>
      <section className="notice" aria-label={words.readBack}>
        <p>{inside}</p>
        <p>{outside}</p>
      </section>
    </Confirm>
  );
}
