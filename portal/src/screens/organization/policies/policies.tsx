import { holdsOwner, PLACE_NAMES } from '../../../app/places.ts';
import { useViewer } from '../../../app/session';
import { Listing } from '../../../design/states';
import { Code } from '../../../design/values';
import { usePages } from '../../../graphql/hooks';
import { counted, texts } from '../../../texts.ts';
import { POLICIES } from '../documents';
import { MakePolicy } from './make-policy';
import { PageHead } from '../page';
import { policySentences } from './policy-words.ts';
import { TryPolicy } from './try-policy';

const words = texts(
  {
    label: 'Disclosure policies',
    empty: 'There is no policy. Without one, every disclosure waits for a person.',
    key: 'Key',
    accounts: (count: number) => `of ${counted(count, 'named account', 'named accounts')}`,
    theAccount: 'the account',
  },
  {
    fr: {
      label: 'Règles de divulgation',
      empty: 'Il n’y a pas de règle. Sans règle, chaque divulgation attend une personne.',
      key: 'Clé',
      accounts: (count: number) => `de ${counted(count, 'compte nommé', 'comptes nommés')}`,
      theAccount: 'le compte',
    },
  },
);

export function Policies() {
  const { permissions } = useViewer();
  const pages = usePages(['policies'], POLICIES, {}, ({ disclosurePolicies }) => disclosurePolicies);
  return (
    <>
      <PageHead
        title={PLACE_NAMES.policies}
        action={holdsOwner(permissions, 'policies:manage') && <MakePolicy />}
      />
      <Listing pages={pages} empty={words.empty}>
        {(nodes) => (
          <ul className="list" aria-label={words.label}>
            {nodes.map((policy) => (
              <li key={policy.id} className="item stack">
                <p>
                  <strong>{policy.name}</strong> <Code value={policy.key} what={words.key} />
                </p>
                <p>{policySentences(policy.rules).inside}</p>
                {policy.rules.allowedAccounts !== null && (
                  <ul aria-label={words.accounts(policy.rules.allowedAccounts.length)}>
                    {policy.rules.allowedAccounts.map((account) => (
                      <li key={account}>
                        <Code value={account} ends={10} what={words.theAccount} />
                      </li>
                    ))}
                  </ul>
                )}
                <p>{policySentences(policy.rules).outside}</p>
                <TryPolicy policy={policy} />
              </li>
            ))}
          </ul>
        )}
      </Listing>
    </>
  );
}
