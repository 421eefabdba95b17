import { Link } from '@tanstack/react-router';
import { BASE_PATH } from '../app/go';
import { signInWithPasskey } from '../app/passkey-sign-in';
import { Button } from '../design/button';
import { Problem } from '../design/states';
import { graphql } from '../graphql/document';
import { useAction, useRead } from '../graphql/hooks';
import { later, Part } from '../later';
import { texts } from '../texts.ts';
import type { WayProps } from './demo/demo-users';

const words = texts(
  {
    passkey: 'Sign in with a passkey',
    busy: 'Signing in…',
    oidc: 'Sign in with your identity provider',
    forgotten: 'Forgot your password?',
  },
  {
    fr: {
      passkey: 'Se connecter avec une clé d’accès',
      busy: 'Connexion…',
      oidc: 'Se connecter par votre fournisseur d’identité',
      forgotten: 'Mot de passe oublié ?',
    },
  },
);

const SIGN_IN_OPTIONS = graphql(`
  query SignInOptions {
    signInOptions {
      oidc
      demoUsers {
        id
        name
        role
        organization
      }
      demoFilling
    }
  }
`);

// Needed on the embedded demo only.
const DemoUsers = later(() => import('./demo/demo-users'), 'DemoUsers');

/** What the gateway seals in a cookie has at most so many characters: a longer search is left out. */
const MAX_RETURN_TO = 512;
const returnTo = (next: string) =>
  BASE_PATH + (next.length + BASE_PATH.length > MAX_RETURN_TO ? next.replace(/\?.*/s, '') : next);

function useOptions() {
  const { data } = useRead(['signInOptions'], SIGN_IN_OPTIONS, {});
  return data?.data.signInOptions ?? { oidc: false, demoUsers: [], demoFilling: false };
}

/** How a person signs in who does not type a password, or has lost it. `next` is where they wanted to go. */
export function OtherWays({ next, isLast, onTry, onDone }: WayProps & { readonly next: string }) {
  const passkey = useAction(signInWithPasskey);
  const { oidc } = useOptions();
  return (
    <>
      {passkey.problem && isLast && <Problem problem={passkey.problem} />}
      <div className="row">
        <Button
          busy={passkey.isRunning && words.busy}
          onPress={() => {
            onTry();
            void passkey.run(undefined, onDone);
          }}
        >
          {words.passkey}
        </Button>
        {oidc && (
          <a
            className="button plain"
            href={`/auth/oidc/start?return_to=${encodeURIComponent(returnTo(next))}`}
          >
            {words.oidc}
          </a>
        )}
      </div>
      <p>
        <Link to="/password-reset">{words.forgotten}</Link>
      </p>
    </>
  );
}

/** On the embedded demo only: its users, by role. */
export function DemoPeople(props: WayProps) {
  const { demoUsers, demoFilling } = useOptions();
  return (
    demoUsers.length > 0 && (
      <Part>
        <DemoUsers users={demoUsers} isFilling={demoFilling} {...props} />
      </Part>
    )
  );
}
