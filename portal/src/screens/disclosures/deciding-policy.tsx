import { Fact } from '../../design/table';
import { Code } from '../../design/values';
import type { GrantedOf } from '../../graphql/document';
import { texts } from '../../texts.ts';
import type { DISCLOSURE_ABOUT } from './documents';

const words = texts(
  {
    policy: 'Policy',
    none: 'none judged it',
    decided: 'decided it',
    leftIt: 'left it to a person',
    thePolicy: 'the key of the policy',
  },
  {
    fr: {
      policy: 'Règle',
      none: 'aucune ne l’a examinée',
      decided: 'a tranché',
      leftIt: 'l’a laissée à une personne',
      thePolicy: 'la clé de la règle',
    },
  },
);

/** Which policy decided a disclosure, or left it to a person. */
export function DecidingPolicy({
  policy,
  hasDecided,
}: {
  readonly policy: GrantedOf<typeof DISCLOSURE_ABOUT>['disclosure']['policy'];
  readonly hasDecided: boolean;
}) {
  return (
    <Fact name={words.policy}>
      {policy === null ? (
        <span className="soft">{words.none}</span>
      ) : (
        <>
          {policy.name} <Code value={policy.key} what={words.thePolicy} /> ·{' '}
          {hasDecided ? words.decided : words.leftIt}
        </>
      )}
    </Fact>
  );
}
