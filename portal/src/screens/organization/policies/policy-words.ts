import { eitherText, spanText } from '../../../format.ts';
import { counted, texts } from '../../../texts.ts';
import { fieldsText } from '../../scope.ts';

/** What a policy does with a request, as the end of a sentence about it. */
export const OUTCOME_NAMES = texts(
  { authorize: 'is authorized at once', review: 'waits for a person', reject: 'is rejected at once' },
  {
    fr: {
      authorize: 'est autorisée aussitôt',
      review: 'attend une personne',
      reject: 'est rejetée aussitôt',
    },
  },
);
export const OUTCOMES = [
  'authorize',
  'review',
  'reject',
] as const satisfies readonly (keyof typeof OUTCOME_NAMES)[];

const words = texts(
  {
    noField: 'no field',
    formats: (names: string) => `as ${names}`,
    noFormat: 'in no format',
    records: (count: number) => `at most ${counted(count, 'record', 'records')}`,
    within: (span: string) => `within ${span}`,
    days: (days: number) => counted(days, 'day', 'days'),
    accounts: (count: number) => `of ${counted(count, 'named account', 'named accounts')}`,
    inside: (bounds: string, outcome: string) => `A request within the bounds (${bounds}) ${outcome}.`,
    outside: (outcome: string) => `Any other request ${outcome}.`,
  },
  {
    fr: {
      noField: 'aucun champ',
      formats: (names: string) => `au format ${names}`,
      noFormat: 'en aucun format',
      records: (count: number) => `au plus ${counted(count, 'enregistrement', 'enregistrements')}`,
      within: (span: string) => `en ${span}`,
      days: (days: number) => counted(days, 'jour', 'jours'),
      accounts: (count: number) => `de ${counted(count, 'compte nommé', 'comptes nommés')}`,
      inside: (bounds: string, outcome: string) => `Une demande dans les limites (${bounds}) ${outcome}.`,
      outside: (outcome: string) => `Toute autre demande ${outcome}.`,
    },
  },
);

interface Rules {
  readonly allowedFields: readonly ('amount' | 'fee')[];
  readonly allowedFormats: readonly string[];
  readonly maximumRecords?: number | null;
  readonly maximumSpanSeconds?: number | null;
  readonly allowedAccounts?: readonly string[] | null;
  readonly inside: keyof typeof OUTCOME_NAMES;
  readonly outside: keyof typeof OUTCOME_NAMES;
}

const DAY_SECONDS = 24 * 60 * 60;

const spanOf = (seconds: number): string =>
  seconds % DAY_SECONDS === 0 ? words.days(seconds / DAY_SECONDS) : spanText(seconds);

/** What a policy decides, read back as two sentences: within its bounds, and beyond them. */
export function policySentences(rules: Rules): { readonly inside: string; readonly outside: string } {
  const formats = rules.allowedFormats.map((format) => format.toUpperCase());
  const bounds = [
    rules.allowedFields.length === 0 ? words.noField : fieldsText(rules.allowedFields),
    formats.length === 0 ? words.noFormat : words.formats(eitherText(formats)),
    ...(rules.maximumRecords == null ? [] : [words.records(rules.maximumRecords)]),
    ...(rules.maximumSpanSeconds == null ? [] : [words.within(spanOf(rules.maximumSpanSeconds))]),
    ...(rules.allowedAccounts == null ? [] : [words.accounts(rules.allowedAccounts.length)]),
  ];
  return {
    inside: words.inside(bounds.join(', '), OUTCOME_NAMES[rules.inside]),
    outside: words.outside(OUTCOME_NAMES[rules.outside]),
  };
}
