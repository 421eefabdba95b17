import { holdsOwner } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Fact } from '../../design/table';
import { Code } from '../../design/values';
import { useRead } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { usePolicies } from '../organization/assets/asset-policy';
import { ASSET_POLICY } from './documents';

const words = texts(
  {
    policy: 'Policy',
    none: 'none',
    decided: 'decided it',
    leftIt: 'left it to a person',
    named: 'named by the asset',
    later: 'named by the asset, and created after the request',
  },
  {
    fr: {
      policy: 'Règle',
      none: 'aucune',
      decided: 'a tranché',
      leftIt: 'l’a laissée à une personne',
      named: 'désignée par l’actif',
      later: 'désignée par l’actif, et créée après la demande',
    },
  },
);

/**
 * Which policy decided a disclosure, or left it to a person. The gateway names a policy that decided; otherwise it is the
 * asset's policy, if it existed at the time of the request. Neither ever changes.
 */
export function DecidingPolicy({
  disclosure: { policyId, assetId, requestedAt },
}: {
  readonly disclosure: {
    readonly policyId: string | null;
    readonly assetId: string;
    readonly requestedAt: string;
  };
}) {
  const { permissions } = useViewer();
  const ofAsset = useRead(
    ['assetPolicy', assetId],
    ASSET_POLICY,
    { id: assetId },
    { enabled: policyId === null && holdsOwner(permissions, 'applications:read') },
  );
  const policies = usePolicies();
  // Without access to the asset, show nothing about the policy, rather than that there is none.
  const named = policyId ?? ofAsset.data?.data.asset.disclosurePolicyId;
  if (named === undefined) return null;
  const policy = policies.find(({ id, key }) => id === named || key === named);
  const didWhat = () => {
    if (policyId !== null) return words.decided;
    if (!policy) return words.named;
    return new Date(policy.createdAt) <= new Date(requestedAt) ? words.leftIt : words.later;
  };
  return (
    <Fact name={words.policy}>
      {named === null ? (
        <span className="soft">{words.none}</span>
      ) : (
        <>
          {policy?.name} <Code value={named} /> · {didWhat()}
        </>
      )}
    </Fact>
  );
}
