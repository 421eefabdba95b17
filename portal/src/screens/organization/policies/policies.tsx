import { PLACE_NAMES } from '../../../app/places.ts';
import { Listing } from '../../../design/states';
import { Code } from '../../../design/values';
import { eitherText, spanText } from '../../../format.ts';
import { usePages } from '../../../graphql/hooks';
import { counted, texts } from '../../../texts.ts';
import { fieldsText } from '../../scope.ts';
import { POLICIES, type PolicyNode } from '../documents';
import { MakePolicy } from './make-policy';
import { PageHead } from '../page';
import { OUTCOME_NAMES } from './policy-words.ts';
import { TryPolicy } from './try-policy';

const words = texts(
  {
    label: 'Disclosure policies',
    empty: 'There is no policy. Without one, every disclosure waits for a person.',
    key: 'Key',
    formats: (names: string) => `as ${names}`,
    records: (count: number) => `at most ${counted(count, 'record', 'records')}`,
    span: (span: string) => `within ${span}`,
    accounts: (count: number) => `of ${counted(count, 'named account', 'named accounts')}`,
    theAccount: 'the account',
    sentence: (bounds: string, outcome: string) => `A request within the bounds (${bounds}) ${outcome}.`,
    other: (outcome: string) => `Any other request ${outcome}.`,
  },
  {
    fr: {
      label: 'Règles de divulgation',
      empty: 'Il n’y a pas de règle. Sans règle, chaque divulgation attend une personne.',
      key: 'Clé',
      formats: (names: string) => `au format ${names}`,
      records: (count: number) => `au plus ${counted(count, 'enregistrement', 'enregistrements')}`,
      span: (span: string) => `en ${span}`,
      accounts: (count: number) => `de ${counted(count, 'compte nommé', 'comptes nommés')}`,
      theAccount: 'le compte',
      sentence: (bounds: string, outcome: string) => `Une demande dans les limites (${bounds}) ${outcome}.`,
      other: (outcome: string) => `Toute autre demande ${outcome}.`,
    },
  },
);

/** The policy read back as a sentence. */
function boundsText({ rules }: PolicyNode): string {
  return [
    fieldsText(rules.allowedFields),
    words.formats(eitherText(rules.allowedFormats.map((format) => format.toUpperCase()))),
    ...(rules.maximumRecords === null ? [] : [words.records(rules.maximumRecords)]),
    ...(rules.maximumSpanSeconds === null ? [] : [words.span(spanText(rules.maximumSpanSeconds))]),
    ...(rules.allowedAccounts === null ? [] : [words.accounts(rules.allowedAccounts.length)]),
  ].join(', ');
}

export function Policies() {
  const pages = usePages(['policies'], POLICIES, {}, ({ disclosurePolicies }) => disclosurePolicies);
  return (
    <>
      <PageHead title={PLACE_NAMES.policies} action={<MakePolicy />} />
      <Listing pages={pages} empty={words.empty}>
        {(nodes) => (
          <ul className="list" aria-label={words.label}>
            {nodes.map((policy) => (
              <li key={policy.id} className="item stack">
                <p>
                  <strong>{policy.name}</strong> <Code value={policy.key} what={words.key} />
                </p>
                <p>{words.sentence(boundsText(policy), OUTCOME_NAMES[policy.rules.inside])}</p>
                {policy.rules.allowedAccounts !== null && (
                  <ul aria-label={words.accounts(policy.rules.allowedAccounts.length)}>
                    {policy.rules.allowedAccounts.map((account) => (
                      <li key={account}>
                        <Code value={account} ends={10} what={words.theAccount} />
                      </li>
                    ))}
                  </ul>
                )}
                <p>{words.other(OUTCOME_NAMES[policy.rules.outside])}</p>
                <TryPolicy policy={policy} />
              </li>
            ))}
          </ul>
        )}
      </Listing>
    </>
  );
}
