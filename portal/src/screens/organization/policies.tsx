import { useState } from 'react';
import { PLACE_NAMES } from '../../app/places.ts';
import { Button } from '../../design/button';
import { Confirm } from '../../design/dialog';
import { Checkbox, Field, Select } from '../../design/fields';
import { Listing } from '../../design/states';
import { Code } from '../../design/values';
import { spanText } from '../../format.ts';
import { useAction, usePages } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { counted, texts } from '../../texts.ts';
import { FIELD_NAMES, fieldsText } from '../scope.ts';
import { CREATE_POLICY, POLICIES, type PolicyNode } from './documents';
import { PageHead } from './page';
import { TryPolicy } from './try-policy';

const words = texts(
  {
    create: 'Make a policy…',
    label: 'Disclosure policies',
    empty: 'There is no policy. Without one, every disclosure waits for a person.',
    title: 'This makes a policy that never changes.',
    text: 'It decides disclosures of the assets that name it.',
    action: 'Make the policy',
    busy: 'Making…',
    name: 'Name',
    key: 'Key',
    keyHint: 'Assets name the policy by this key.',
    fields: 'Fields that may be requested',
    formats: 'Formats that may be requested',
    most: 'Most records',
    inside: 'A request within the bounds',
    outside: 'Any other request',
    authorize: 'is authorized at once',
    review: 'waits for a person',
    reject: 'is rejected at once',
    records: (count: number) => `at most ${counted(count, 'record', 'records')}`,
    span: (span: string) => `within ${span}`,
    accounts: (count: number) => `of ${counted(count, 'named account', 'named accounts')}`,
    sentence: (bounds: string, outcome: string) => `A request for the ${bounds}, ${outcome}.`,
    other: (outcome: string) => `Any other request ${outcome}.`,
  },
  {
    fr: {
      create: 'Créer une règle…',
      label: 'Règles de divulgation',
      empty: 'Il n’y a pas de règle. Sans règle, chaque divulgation attend une personne.',
      title: 'Ceci crée une règle qui ne change jamais.',
      text: 'Elle tranche les divulgations des actifs qui la désignent.',
      action: 'Créer la règle',
      busy: 'Création…',
      name: 'Nom',
      key: 'Clé',
      keyHint: 'Les actifs désignent la règle par cette clé.',
      fields: 'Champs qui peuvent être demandés',
      formats: 'Formats qui peuvent être demandés',
      most: 'Nombre maximal d’enregistrements',
      inside: 'Une demande dans les limites',
      outside: 'Toute autre demande',
      authorize: 'est autorisée aussitôt',
      review: 'attend une personne',
      reject: 'est rejetée aussitôt',
      records: (count: number) => `au plus ${counted(count, 'enregistrement', 'enregistrements')}`,
      span: (span: string) => `en ${span}`,
      accounts: (count: number) => `de ${counted(count, 'compte nommé', 'comptes nommés')}`,
      sentence: (bounds: string, outcome: string) => `Une demande (${bounds}) ${outcome}.`,
      other: (outcome: string) => `Toute autre demande ${outcome}.`,
    },
  },
);

const OUTCOMES = ['authorize', 'review', 'reject'] as const;

/** The policy read back as a sentence. */
function boundsText({ rules }: PolicyNode): string {
  return [
    fieldsText(rules.allowedFields),
    ...(rules.maximumRecords === null ? [] : [words.records(rules.maximumRecords)]),
    ...(rules.maximumSpanSeconds === null ? [] : [words.span(spanText(rules.maximumSpanSeconds))]),
    ...(rules.allowedAccounts === null ? [] : [words.accounts(rules.allowedAccounts.length)]),
  ].join(', ');
}

export function Policies() {
  const [isOpen, setOpen] = useState(false);
  const pages = usePages(['policies'], POLICIES, {}, ({ disclosurePolicies }) => disclosurePolicies);
  const action = useAction((input: PolicyInput) => run(CREATE_POLICY, { input }), [['policies']]);
  return (
    <>
      <PageHead
        title={PLACE_NAMES.policies}
        action={
          <Button variant="primary" onPress={() => setOpen(true)}>
            {words.create}
          </Button>
        }
      />
      <Listing pages={pages} empty={words.empty}>
        {(nodes) => (
          <ul className="list" aria-label={words.label}>
            {nodes.map((policy) => (
              <li key={policy.id} className="item stack">
                <p>
                  <strong>{policy.name}</strong> <Code value={policy.key} what={words.key} />
                </p>
                <p>{words.sentence(boundsText(policy), words[policy.rules.inside])}</p>
                <p>{words.other(words[policy.rules.outside])}</p>
                <TryPolicy policy={policy} />
              </li>
            ))}
          </ul>
        )}
      </Listing>
      {isOpen && (
        <Confirm
          title={words.title}
          action={words.action}
          busy={words.busy}
          isRunning={action.isRunning}
          problem={action.problem}
          onClose={() => setOpen(false)}
          onConfirm={(values) => {
            const most = values.text('maximumRecords');
            const outcome = (name: string) =>
              OUTCOMES.find((known) => known === values.text(name)) ?? 'review';
            void action.run(
              {
                name: values.text('name'),
                key: values.text('key'),
                allowedFields: (['amount', 'fee'] as const).filter((field) =>
                  values.all('allowedFields').includes(field),
                ),
                allowedFormats: (['json', 'csv'] as const).filter((format) =>
                  values.all('allowedFormats').includes(format),
                ),
                ...(most === '' ? {} : { maximumRecords: Number(most) }),
                inside: outcome('inside'),
                outside: outcome('outside'),
              },
              () => setOpen(false),
            );
          }}
        >
          <p>{words.text}</p>
          <Field name="name" label={words.name} isRequired maxLength={128} />
          <Field name="key" label={words.key} hint={words.keyHint} isRequired maxLength={64} isMono />
          <fieldset className="fieldset">
            <legend>{words.fields}</legend>
            <Checkbox name="allowedFields" value="amount" label={FIELD_NAMES.amount} defaultChecked />
            <Checkbox name="allowedFields" value="fee" label={FIELD_NAMES.fee} />
          </fieldset>
          <fieldset className="fieldset">
            <legend>{words.formats}</legend>
            <Checkbox name="allowedFormats" value="json" label="JSON" defaultChecked />
            <Checkbox name="allowedFormats" value="csv" label="CSV" defaultChecked />
          </fieldset>
          <Field name="maximumRecords" type="number" label={words.most} min="1" />
          {(['inside', 'outside'] as const).map((name) => (
            <Select
              key={name}
              name={name}
              label={words[name]}
              defaultValue="review"
              options={OUTCOMES.map((value) => ({ value, label: words[value] }))}
            />
          ))}
        </Confirm>
      )}
    </>
  );
}

interface PolicyInput {
  readonly name: string;
  readonly key: string;
  readonly allowedFields: ('amount' | 'fee')[];
  readonly allowedFormats: ('json' | 'csv')[];
  readonly maximumRecords?: number;
  readonly inside: (typeof OUTCOMES)[number];
  readonly outside: (typeof OUTCOMES)[number];
}
