import { useState } from 'react';
import { holdsOwner, PLACE_NAMES, readsSomeLog, seesProposals } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { Confirm } from '../../design/dialog';
import { Card } from '../../design/states';
import { Badge } from '../../design/values';
import { useAction } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { UPDATE_ORGANIZATION } from './documents';
import { PageHead } from './page';
import { PendingGrants, ProposedOperations } from './second-person';
import { SigningKeys } from './keys/signing-keys';

const words = texts(
  {
    requireSecondPerson: 'A second person decides',
    requireSecondPersonText:
      'If this is on, no one can approve their own request for a case, and serious changes need two people: of permissions, keys, policies, addresses, assets and retention, for example. Each dialog says so.',
    requireSecondPersonOn:
      'Once this is on, someone other than the requester must decide, including on requests that already wait.',
    requireSecondPersonOff: 'Once this is off, one person can both request and approve.',
    requireSecondFactor: 'A second factor is required',
    requireSecondFactorText:
      'If this is on, members need a second factor to do anything here. To decide, they must have used it in the last 5 minutes.',
    requireSecondFactorOn:
      'Once this is on, members without a second factor can do nothing but add one, you too. Sign-ins by an identity provider count as the provider states them.',
    requireSecondFactorOff:
      'Once this is off, a password alone is enough for members without a second factor.',
    second:
      'Another owner must make the same request within 72 hours. If you are the only one with policies:manage, grant it to someone else first.',
    on: 'on',
    off: 'off',
    turnOn: 'Turn on…',
    turnOff: 'Turn off…',
    title: 'This changes a rule for everyone.',
    action: 'Change the rule',
    busy: 'Changing…',
  },
  {
    fr: {
      requireSecondPerson: 'Une seconde personne décide',
      requireSecondPersonText:
        'Ainsi, personne n’approuve une demande de dossier qu’il a déposée, et les changements graves demandent deux personnes : des autorisations, clés, règles, adresses, actifs et durées de conservation, par exemple. Chaque dialogue le dit.',
      requireSecondPersonOn:
        'Dès que la règle est active, une autre personne que celle qui a déposé une demande doit la décider, même si la demande attend déjà.',
      requireSecondPersonOff:
        'Dès que la règle n’est plus active, une seule personne peut demander et approuver.',
      requireSecondFactor: 'Un second facteur est exigé',
      requireSecondFactorText:
        'Ainsi, les membres ont besoin d’un second facteur pour agir ici. Pour décider, ils doivent l’avoir utilisé dans les 5 dernières minutes.',
      requireSecondFactorOn:
        'Dès que la règle est active, les membres sans second facteur ne peuvent qu’en ajouter un, vous aussi. Les connexions par un fournisseur d’identité valent ce que le fournisseur déclare.',
      requireSecondFactorOff:
        'Dès que la règle n’est plus active, un mot de passe seul suffit aux membres sans second facteur.',
      second:
        'Un autre propriétaire doit demander la même chose sous 72 heures. Si vous êtes la seule personne à avoir policies:manage, accordez-la d’abord à quelqu’un d’autre.',
      on: 'activé',
      off: 'désactivé',
      turnOn: 'Activer…',
      turnOff: 'Désactiver…',
      title: 'Ceci change une règle pour tous.',
      action: 'Changer la règle',
      busy: 'Changement…',
    },
  },
);

const RULES = ['requireSecondPerson', 'requireSecondFactor'] as const;
type Rule = (typeof RULES)[number];

export function Settings() {
  const { permissions } = useViewer();
  return (
    <>
      <PageHead title={PLACE_NAMES.settings} />
      {RULES.map((rule) => (
        <RuleCard key={rule} rule={rule} />
      ))}
      {readsSomeLog(permissions) && <SigningKeys />}
      {holdsOwner(permissions, 'members:manage') && <PendingGrants />}
      {seesProposals(permissions) && <ProposedOperations />}
    </>
  );
}

function RuleCard({ rule }: { readonly rule: Rule }) {
  const { organization, permissions } = useViewer();
  const isOn = organization[rule];
  // To what the person changes it, whatever others change it to meanwhile.
  const [chosen, setChosen] = useState<boolean>();
  const takesTwo =
    rule === 'requireSecondPerson' ||
    (rule === 'requireSecondFactor' && chosen === false && organization.requireSecondPerson);
  const action = useAction(
    (toOn: boolean) => run(UPDATE_ORGANIZATION, { input: { [rule]: toOn } }),
    [['viewer'], ['proposedOperations'], ['secondFactor']],
  );
  const close = () => {
    setChosen(undefined);
    action.reset();
  };
  return (
    <Card
      title={words[rule]}
      aside={<Badge tone={isOn ? 'good' : 'plain'}>{isOn ? words.on : words.off}</Badge>}
    >
      <p>{words[`${rule}Text`]}</p>
      {holdsOwner(permissions, 'policies:manage') && (
        <div>
          <Button
            label={`${words[rule]}: ${isOn ? words.turnOff : words.turnOn}`}
            onPress={() => setChosen(!isOn)}
          >
            {isOn ? words.turnOff : words.turnOn}
          </Button>
        </div>
      )}
      {chosen !== undefined && (
        <Confirm
          title={words.title}
          action={words.action}
          busy={words.busy}
          state={action}
          onClose={close}
          onConfirm={() => void action.run(chosen, close)}
        >
          <p>{words[`${rule}${chosen ? 'On' : 'Off'}`]}</p>
          {takesTwo && <p>{words.second}</p>}
        </Confirm>
      )}
    </Card>
  );
}
