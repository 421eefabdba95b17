import { useState } from 'react';
import { Button } from '../../design/button';
import { Problem } from '../../design/states';
import { useAction } from '../../graphql/hooks';
import { request } from '../../graphql/request';
import { graphql } from '../../graphql/document';
import { begin } from '../../app/session';
import { texts } from '../../texts.ts';
import { DemoFilling } from './demo-filling';

const words = texts(
  {
    title: (organization: string) => `Try the demo: ${organization}`,
    text: 'This gateway holds demo data on your machine. One click signs you in. The passwords are in demo.json, in its data directory (.lucarne).',
    another: (organization: string) => `Another organization: ${organization}`,
    anotherText: 'It cannot see the first one.',
    owner: 'Owner: people, keys, assets, policies, relays and the whole log',
    administrator: 'Administrator: decides on the requests of auditors',
    auditor: 'Auditor: requests cases, reads them and creates reports',
    as: (name: string) => `Sign in as ${name}`,
    busy: 'Signing in…',
    changed:
      'This demo user has another password by now, or a second factor. Sign in with the form, by what you chose.',
  },
  {
    fr: {
      title: (organization: string) => `Essayer la démonstration : ${organization}`,
      text: 'Cette passerelle a des données de démonstration sur votre machine. Un clic vous connecte. Les mots de passe sont dans demo.json, dans son répertoire de données (.lucarne).',
      another: (organization: string) => `Une autre organisation : ${organization}`,
      anotherText: 'Elle ne voit rien de la première.',
      owner: 'Propriétaire : personnes, clés, actifs, règles, relais et le journal entier',
      administrator: 'Administrateur : statue sur les demandes des auditeurs',
      auditor: 'Auditeur : demande des dossiers, les lit et crée des rapports',
      as: (name: string) => `Se connecter : ${name}`,
      busy: 'Connexion…',
      changed:
        'Cet utilisateur de démonstration a maintenant un autre mot de passe, ou un second facteur. Connectez-vous par le formulaire, avec ce que vous avez choisi.',
    },
  },
);

const SIGN_IN_AS = graphql(`
  mutation SignInAsDemoUser($id: ID!) {
    signInAsDemoUser(id: $id) {
      user {
        id
      }
    }
  }
`);

export interface WayProps {
  /** Whether the last attempt to sign in was this one: only then it says what is wrong. */
  readonly isLast: boolean;
  readonly onTry: () => void;
  readonly onDone: () => void;
}

interface DemoUser {
  readonly id: string;
  readonly name: string;
  readonly role: 'owner' | 'administrator' | 'auditor';
  readonly organization: string;
}

/** The people of the embedded demo. The gateway names them there and nowhere else. */
export function DemoUsers({
  users,
  isFilling,
  isLast,
  onTry,
  onDone,
}: WayProps & { readonly users: readonly DemoUser[]; readonly isFilling: boolean }) {
  const action = useAction(async (id: string) => {
    await request(SIGN_IN_AS, { id });
    await begin();
  });
  const [wasFilling] = useState(isFilling);
  const groups = [...Map.groupBy(users, ({ organization }) => organization)].map(
    ([organization, members], index) => ({
      title: index === 0 ? words.title(organization) : words.another(organization),
      text: index === 0 ? words.text : words.anotherText,
      members,
      // The same name can be in both organizations.
      labelOf: (name: string) => (index === 0 ? words.as(name) : `${words.as(name)}, ${organization}`),
    }),
  );
  return (
    <div className="demo-users">
      {wasFilling && <DemoFilling />}
      {action.problem && isLast && (
        <Problem problem={action.problem}>
          {action.problem.code === 'UNAUTHENTICATED' ? words.changed : undefined}
        </Problem>
      )}
      {groups.map(({ title, text, members, labelOf }) => (
        <section key={title} className="card stack">
          <h2>{title}</h2>
          <p className="soft">{text}</p>
          <ul className="plain-list">
            {members.map(({ id, name, role }) => (
              <li key={id}>
                <Button
                  label={labelOf(name)}
                  busy={action.isRunning && words.busy}
                  onPress={() => {
                    onTry();
                    void action.run(id, onDone);
                  }}
                >
                  {words.as(name)}
                </Button>
                <span className="soft">{words[role]}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
