import { useState } from 'react';
import {
  judge,
  type DisclosureRules,
} from '../../../../../src/domain/disclosures/policies/disclosure-rules.js';
import { Button } from '../../../design/button';
import { Layer } from '../../../design/dialog';
import { Checkbox, Field, Select } from '../../../design/fields';
import { listText } from '../../../format.ts';
import { texts } from '../../../texts.ts';
import { FIELD_NAMES } from '../../scope.ts';
import type { PolicyNode } from '../documents';

const words = texts(
  {
    open: 'Try a request…',
    title: 'What the policy decides',
    text: 'The gateway’s own rules, run in this browser. Nothing is requested.',
    fields: 'Fields',
    format: 'Format',
    records: 'Records',
    days: 'Days from the first to the last',
    account: 'Of an account that the policy names',
    authorize: 'This request is authorized at once.',
    review: 'This request waits for a person.',
    reject: 'This request is rejected at once.',
    exceeds: (bounds: string) => `It exceeds the bounds: ${bounds}.`,
    within: 'It is within every bound.',
    boundFields: 'fields',
    boundFormat: 'format',
    boundSpan: 'time',
    boundRecords: 'records',
    boundAccounts: 'accounts',
  },
  {
    fr: {
      open: 'Essayer une demande…',
      title: 'Ce que la règle décide',
      text: 'Les règles mêmes de la passerelle, appliquées dans ce navigateur. Rien n’est demandé.',
      fields: 'Champs',
      format: 'Format',
      records: 'Enregistrements',
      days: 'Jours du premier au dernier',
      account: 'D’un compte que la règle nomme',
      authorize: 'Cette demande est autorisée aussitôt.',
      review: 'Cette demande attend une personne.',
      reject: 'Cette demande est rejetée aussitôt.',
      exceeds: (bounds: string) => `Elle dépasse des limites : ${bounds}.`,
      within: 'Elle est dans toutes les limites.',
      boundFields: 'champs',
      boundFormat: 'format',
      boundSpan: 'durée',
      boundRecords: 'enregistrements',
      boundAccounts: 'comptes',
    },
  },
);

const BOUND_NAMES = {
  fields: words.boundFields,
  format: words.boundFormat,
  span: words.boundSpan,
  records: words.boundRecords,
  accounts: words.boundAccounts,
} as const;
const FIELDS = ['amount', 'fee'] as const;
const FORMATS = ['json', 'csv'] as const;
const DAY_SECONDS = 24 * 60 * 60;

/** Shows what a policy decides about a request, before an asset names it. */
export function TryPolicy({ policy }: { readonly policy: PolicyNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Button label={`${words.open} ${policy.name}`} onPress={() => setOpen(true)}>
        {words.open}
      </Button>
      {isOpen && (
        <Layer title={words.title} onClose={() => setOpen(false)}>
          <p className="soft">{words.text}</p>
          <Trial rules={policy.rules as DisclosureRules} />
        </Layer>
      )}
    </div>
  );
}

function Trial({ rules }: { readonly rules: DisclosureRules }) {
  const [fields, setFields] = useState<readonly (typeof FIELDS)[number][]>(['amount']);
  const [format, setFormat] = useState<(typeof FORMATS)[number]>('json');
  const [records, setRecords] = useState('1');
  const [days, setDays] = useState('1');
  const [isNamed, setNamed] = useState(true);
  const { outcome, exceeded } = judge(rules, {
    fields,
    format,
    recordCount: Number(records) || 0,
    spanSeconds: (Number(days) || 0) * DAY_SECONDS,
    accountSets: [isNamed ? (rules.allowedAccounts ?? []) : []],
  });
  return (
    <div className="form">
      <fieldset className="fieldset">
        <legend>{words.fields}</legend>
        {FIELDS.map((field) => (
          <Checkbox
            key={field}
            name="fields"
            value={field}
            label={FIELD_NAMES[field]}
            checked={fields.includes(field)}
            onChange={(isOn) =>
              setFields(FIELDS.filter((known) => (known === field ? isOn : fields.includes(known))))
            }
          />
        ))}
      </fieldset>
      <Select
        name="format"
        label={words.format}
        value={format}
        onChange={(chosen) => setFormat(FORMATS.find((known) => known === chosen) ?? 'json')}
        options={FORMATS.map((value) => ({ value, label: value.toUpperCase() }))}
      />
      <Field
        name="records"
        type="number"
        label={words.records}
        value={records}
        onChange={setRecords}
        min="0"
      />
      <Field name="days" type="number" label={words.days} value={days} onChange={setDays} min="0" />
      {rules.allowedAccounts !== null && (
        <Checkbox name="account" label={words.account} checked={isNamed} onChange={setNamed} />
      )}
      <p role="status">
        <strong>{words[outcome]}</strong>{' '}
        {exceeded.length === 0
          ? words.within
          : words.exceeds(listText(exceeded.map((bound) => BOUND_NAMES[bound])))}
      </p>
    </div>
  );
}
