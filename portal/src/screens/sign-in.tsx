import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Connection } from '../app/connection';
import { Button } from '../design/button';
import { Field, Form } from '../design/fields';
import { OutsidePage } from '../design/outside-page';
import { LanguageChoice } from '../design/language-choice';
import { Card, Problem } from '../design/states';
import { useAction } from '../graphql/use-action';
import { useGo } from '../app/go';
import { signIn, signOut } from '../app/session';
import { givenCode } from '../app/given-code.ts';
import { later, Part } from '../later';
import { texts } from '../texts.ts';
import type { SignInProblem } from './search.ts';

const words = texts(
  {
    title: 'Sign in',
    ended: 'Your session has ended. Its data has been removed from this browser.',
    changed: 'You changed how you sign in, which ended all your sessions. Sign in again.',
    left: 'The gateway did not confirm that your session has ended: this browser may still use it. Its data has been removed from the screen.',
    signOut: 'Sign out again',
    signingOut: 'Signing out…',
    email: 'E-mail address',
    password: 'Password',
    code: 'One-time code or recovery code',
    codeHint: 'Only if your account asks for one.',
    action: 'Sign in',
    busy: 'Signing in…',
    wrong: 'E-mail address, password or code is wrong.',
    verify: 'Verify a file without an account',
    help: 'Help',
    providerGone: 'Sign-in by an identity provider is not set up here.',
    providerAway: 'The identity provider cannot be reached now.',
    providerFactor:
      'Your account has a second factor, and your identity provider did not require one. Sign in with your password.',
    provider: 'The sign-in by your identity provider failed. Start again here.',
  },
  {
    fr: {
      title: 'Connexion',
      ended: 'Votre session est terminée. Ce qui était affiché a été retiré de ce navigateur.',
      changed:
        'Vous avez changé votre façon de vous connecter, ce qui a terminé toutes vos sessions. Reconnectez-vous.',
      left: 'La passerelle n’a pas confirmé la fin de votre session : ce navigateur peut encore s’en servir. Ce qui était affiché a été retiré.',
      signOut: 'Se déconnecter à nouveau',
      signingOut: 'Déconnexion…',
      email: 'Adresse e-mail',
      password: 'Mot de passe',
      code: 'Code à usage unique ou de secours',
      codeHint: 'Seulement si votre compte le demande.',
      action: 'Se connecter',
      busy: 'Connexion…',
      wrong: 'L’adresse e-mail, le mot de passe ou le code est incorrect.',
      verify: 'Vérifier un fichier sans compte',
      help: 'Aide',
      providerGone: 'La connexion par un fournisseur d’identité n’est pas configurée ici.',
      providerAway: 'Le fournisseur d’identité est injoignable.',
      providerFactor:
        'Votre compte a un second facteur, et votre fournisseur d’identité n’en a pas exigé. Connectez-vous par votre mot de passe.',
      provider: 'La connexion par votre fournisseur d’identité a échoué. Recommencez ici.',
    },
  },
);

// Loaded after the form: the first page weighs less without it.
const OtherWays = later(() => import('./other-ways'), 'OtherWays');
const DemoPeople = later(() => import('./other-ways'), 'DemoPeople');

/** What the gateway gives as the reason, after a failed sign-in at the provider. */
const PROVIDER_PROBLEMS: Readonly<Record<SignInProblem, string>> = {
  not_found: words.providerGone,
  unavailable: words.providerAway,
  second_factor_required: words.providerFactor,
  unauthenticated: words.provider,
};

type Way = 'password' | 'passkey' | 'provider' | 'demo';

export function SignIn() {
  const go = useGo();
  const { next = '/', ended, left, problem } = useSearch({ from: '/sign-in' });
  const action = useAction(signIn);
  /** Only the last attempt may say what is wrong. */
  const [tried, setTried] = useState<Way>(problem === undefined ? 'password' : 'provider');
  const other = (way: Way) => ({ isLast: tried === way, onTry: () => setTried(way), onDone: () => go(next) });
  return (
    <OutsidePage
      title={words.title}
      beside={
        <>
          <Card>
            <Link to="/verify">{words.verify}</Link>
            <Link to="/help">{words.help}</Link>
            <LanguageChoice />
          </Card>
          <Part isSilent>
            <DemoPeople {...other('demo')} />
          </Part>
        </>
      }
    >
      <Connection />
      {ended && tried === 'password' && !action.problem && (
        <p className="notice warn">{ended === 'changed' ? words.changed : words.ended}</p>
      )}
      {left && <Left />}
      {problem !== undefined && tried === 'provider' && (
        <p className="notice bad" role="alert">
          {PROVIDER_PROBLEMS[problem]}
        </p>
      )}
      <Form
        problem={undefined}
        onSubmit={(values) => {
          setTried('password');
          const code = values.text('totp').trim();
          const credentials = { email: values.text('email'), password: values.password('password') };
          void action.run({ ...credentials, ...givenCode(code) }, () => go(next));
        }}
      >
        {action.problem && tried === 'password' && (
          <Problem problem={action.problem}>
            {action.problem.code === 'UNAUTHENTICATED' ? words.wrong : undefined}
          </Problem>
        )}
        <Field name="email" type="email" label={words.email} isRequired autoComplete="username" />
        <Field
          name="password"
          type="password"
          label={words.password}
          isRequired
          autoComplete="current-password"
        />
        <Field name="totp" label={words.code} hint={words.codeHint} autoComplete="one-time-code" />
        <Button type="submit" variant="primary" busy={action.isRunning && words.busy}>
          {words.action}
        </Button>
      </Form>
      <Part>
        <OtherWays next={next} {...other('passkey')} />
      </Part>
    </OutsidePage>
  );
}

/** The gateway did not confirm the end of the session: it is asked again when the person says so. */
function Left() {
  const navigate = useNavigate();
  const again = useAction(signOut);
  return (
    <div className="notice warn stack" role="alert">
      <p>{words.left}</p>
      <div>
        <Button
          busy={again.isRunning && words.signingOut}
          onPress={() =>
            void again.run(
              undefined,
              () => void navigate({ to: '/sign-in', search: { ended: true }, replace: true }),
            )
          }
        >
          {words.signOut}
        </Button>
      </div>
    </div>
  );
}
