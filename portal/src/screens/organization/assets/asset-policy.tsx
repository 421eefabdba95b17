import { holdsOwner } from '../../../app/places.ts';
import { useViewer } from '../../../app/session';
import { Select } from '../../../design/fields';
import { Await } from '../../../design/states';
import { Code } from '../../../design/values';
import { useEvery } from '../../../graphql/hooks';
import { texts } from '../../../texts.ts';
import { POLICIES, type PolicyNode } from '../documents';

const words = texts(
  {
    policy: 'Disclosure policy',
    hint: 'It decides the disclosures of this asset. It cannot be changed later.',
    none: 'None: every disclosure waits for a person',
    thePolicy: 'the policy',
  },
  {
    fr: {
      policy: 'Règle de divulgation',
      hint: 'Elle tranche les divulgations de cet actif. Elle ne peut être changée plus tard.',
      none: 'Aucune : chaque divulgation attend une personne',
      thePolicy: 'la règle',
    },
  },
);

export const { policy: POLICY } = words;

function usePolicyReading() {
  const { permissions } = useViewer();
  const mayRead = holdsOwner(permissions, 'policies:manage');
  const reading = useEvery(
    ['policies', 'every'],
    POLICIES,
    {},
    ({ disclosurePolicies }) => disclosurePolicies,
    { enabled: mayRead },
  );
  return { mayRead, reading };
}

/** Every policy of the organization; empty for readers without the permission. */
const usePolicies = (): readonly PolicyNode[] => usePolicyReading().reading.data ?? [];

/** Whether the policy selection is shown, to those who may use it. */
export function usePoliciesAreRead(): boolean {
  const { mayRead, reading } = usePolicyReading();
  return !mayRead || reading.data !== undefined;
}

export function PolicyChoice({ name }: { readonly name: string }) {
  const { mayRead, reading } = usePolicyReading();
  if (!mayRead) return null;
  return (
    <Await reading={reading} lines={1}>
      {(policies) =>
        policies.length > 0 && (
          <Select
            name={name}
            label={words.policy}
            hint={words.hint}
            options={[
              { value: '', label: words.none },
              ...policies.map((policy) => ({ value: policy.key, label: `${policy.name} (${policy.key})` })),
            ]}
          />
        )
      }
    </Await>
  );
}

/** What an asset calls its policy, after the policy's name where that may be read. */
export function PolicyName({ named }: { readonly named: string | null }) {
  const policy = usePolicies().find(({ id, key }) => id === named || key === named);
  if (named === null) return words.none;
  return (
    <>
      {policy?.name} <Code value={named} what={words.thePolicy} />
    </>
  );
}
