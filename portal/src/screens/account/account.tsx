import { useState } from 'react';
import { PLACE_NAMES } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { Confirm } from '../../design/dialog';
import { Checkbox, Field, Form, Select } from '../../design/fields';
import { NewPassword, Username } from '../../design/new-password';
import { Heading } from '../../design/heading';
import { LanguageChoice } from '../../design/language-choice';
import { Card, Listing } from '../../design/states';
import { Badge, Time } from '../../design/values';
import { graphql, type GrantedOf } from '../../graphql/document';
import { useAction, usePages } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { changeSettings } from '../../change-settings.ts';
import { settings, type Settings } from '../../settings.ts';
import { texts } from '../../texts.ts';
import { browserName } from './browser-names.ts';
import { useSignInAgain } from './sign-in-again';
import { SignInMethods } from './sign-in-methods';

const SESSIONS = graphql(`
  query Sessions($after: String) {
    sessions(first: 100, after: $after) {
      nodes {
        id
        current
        createdAt
        lastSeenAt
        expiresAt
        clientAddress
        userAgent
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
const REVOKE = graphql(`
  mutation RevokeSession($id: ID!) {
    revokeSession(id: $id)
  }
`);
const REVOKE_OTHERS = graphql(`
  mutation RevokeOtherSessions {
    revokeOtherSessions
  }
`);
type Session = GrantedOf<typeof SESSIONS>['sessions']['nodes'][number];
const CHANGE_PASSWORD = graphql(`
  mutation ChangePassword($input: ChangePasswordInput!) {
    changePassword(input: $input)
  }
`);

const words = texts(
  {
    sessions: 'Your sessions',
    label: 'Sessions',
    current: 'this one',
    seen: 'last seen',
    begun: 'begun',
    end: 'End it…',
    endOne: 'This ends a session.',
    endOneText: (browser: string) => `The person who uses it in ${browser} is signed out at once.`,
    endOneAction: 'End the session',
    endOthers: 'End all others…',
    endAll: 'This ends all your other sessions.',
    endAllText: 'You are signed out at once everywhere but here.',
    endAllAction: 'End all others',
    ending: 'Ending…',
    empty: 'There is no session.',
    password: 'Password',
    passwordText: 'Changing it ends all your sessions, including this one.',
    now: 'Current password',
    next: 'New password, at least 12 characters',
    change: 'Change the password',
    changing: 'Changing…',
    look: 'This browser',
    scheme: 'Colors',
    system: 'As the system',
    light: 'Light',
    dark: 'Dark',
    compact: 'Compact rows',
    local: 'Show times where I am (periods stay in UTC)',
  },
  {
    fr: {
      sessions: 'Vos sessions',
      label: 'Sessions',
      current: 'celle-ci',
      seen: 'dernière activité',
      begun: 'ouverte',
      end: 'La terminer…',
      endOne: 'Ceci termine une session.',
      endOneText: (browser: string) => `La personne qui l’utilise dans ${browser} est déconnectée aussitôt.`,
      endOneAction: 'Terminer la session',
      endOthers: 'Terminer toutes les autres…',
      endAll: 'Ceci termine toutes vos autres sessions.',
      endAllText: 'Vous êtes déconnecté aussitôt partout, sauf ici.',
      endAllAction: 'Terminer toutes les autres',
      ending: 'Fin…',
      empty: 'Il n’y a pas de session.',
      password: 'Mot de passe',
      passwordText: 'Le changer termine toutes vos sessions, celle-ci aussi.',
      now: 'Mot de passe actuel',
      next: 'Nouveau mot de passe, au moins 12 caractères',
      change: 'Changer le mot de passe',
      changing: 'Changement…',
      look: 'Ce navigateur',
      scheme: 'Couleurs',
      system: 'Comme le système',
      light: 'Claires',
      dark: 'Sombres',
      compact: 'Lignes serrées',
      local: 'Afficher l’heure locale (les périodes restent en UTC)',
    },
  },
);

export function Account() {
  const viewer = useViewer();
  const pages = usePages(['sessions'], SESSIONS, {}, ({ sessions }) => sessions);
  const [ending, setEnding] = useState<Session | 'others'>();
  const change = useAction((input: { currentPassword: string; newPassword: string }) =>
    run(CHANGE_PASSWORD, { input }),
  );
  const signInAgain = useSignInAgain();
  return (
    <>
      <header>
        <p className="soft">{viewer.user?.email}</p>
        <Heading title={PLACE_NAMES.account}>{viewer.user?.name}</Heading>
      </header>
      {/* First: where a second factor is required and missing, nothing else works yet. */}
      <SignInMethods />
      <Card
        title={words.sessions}
        aside={
          pages.nodes.length > 1 && <Button onPress={() => setEnding('others')}>{words.endOthers}</Button>
        }
      >
        <Listing pages={pages} empty={words.empty}>
          {(nodes) => (
            <ul className="list" aria-label={words.label}>
              {nodes.map((session) => (
                <li key={session.id} className="item">
                  <div>
                    <p>
                      {browserName(session.userAgent)}{' '}
                      {session.current && <Badge tone="good">{words.current}</Badge>}
                    </p>
                    <p className="soft">
                      {session.clientAddress !== null && <>{session.clientAddress} · </>}
                      {words.begun} <Time at={session.createdAt} />, {words.seen}{' '}
                      <Time at={session.lastSeenAt} />
                    </p>
                  </div>
                  {!session.current && (
                    <Button
                      label={`${words.end} ${browserName(session.userAgent)}`}
                      onPress={() => setEnding(session)}
                    >
                      {words.end}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )}
        </Listing>
      </Card>
      {ending && <End which={ending} onClose={() => setEnding(undefined)} />}
      {viewer.hasPassword === true && (
        <Card title={words.password}>
          <Form
            problem={change.problem}
            onSubmit={(values) =>
              void change.run(
                {
                  currentPassword: values.password('currentPassword'),
                  newPassword: values.password('newPassword'),
                },
                signInAgain,
              )
            }
          >
            <p>{words.passwordText}</p>
            <Username email={viewer.user?.email} />
            <Field
              name="currentPassword"
              type="password"
              label={words.now}
              isRequired
              autoComplete="current-password"
            />
            <NewPassword name="newPassword" label={words.next} />
            <div>
              <Button type="submit" busy={change.isRunning && words.changing}>
                {words.change}
              </Button>
            </div>
          </Form>
        </Card>
      )}
      <LookSettings />
    </>
  );
}

function End({ which, onClose }: { readonly which: Session | 'others'; readonly onClose: () => void }) {
  const end = useAction(
    () => (which === 'others' ? run(REVOKE_OTHERS, {}) : run(REVOKE, { id: which.id })).then(() => undefined),
    [['sessions']],
  );
  const isAll = which === 'others';
  return (
    <Confirm
      title={isAll ? words.endAll : words.endOne}
      action={isAll ? words.endAllAction : words.endOneAction}
      busy={words.ending}
      isDanger
      state={end}
      onClose={onClose}
      onConfirm={() => void end.run(undefined, onClose)}
    >
      <p>{isAll ? words.endAllText : words.endOneText(browserName(which.userAgent))}</p>
    </Confirm>
  );
}

function LookSettings() {
  const [now, setNow] = useState<Settings>(settings);
  const set = (changes: Partial<Settings>) => {
    changeSettings(changes);
    setNow({ ...now, ...changes });
  };
  return (
    <Card title={words.look}>
      <LanguageChoice />
      <Select
        name="scheme"
        label={words.scheme}
        value={now.scheme}
        onChange={(scheme) => set({ scheme: scheme as Settings['scheme'] })}
        options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: words[value] }))}
      />
      <Checkbox
        name="compact"
        label={words.compact}
        checked={now.isCompact}
        onChange={(isCompact) => set({ isCompact })}
      />
      <Checkbox
        name="local"
        label={words.local}
        checked={now.isLocalTime}
        onChange={(isLocalTime) => set({ isLocalTime })}
      />
    </Card>
  );
}
