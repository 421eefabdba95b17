import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Connection } from '../app/connection';
import { Button } from '../design/button';
import { Field, Form } from '../design/fields';
import { NewPassword, Username } from '../design/new-password';
import { OutsidePage } from '../design/outside-page';
import { Notice, Problem } from '../design/states';
import { graphql } from '../graphql/document';
import { useAction } from '../graphql/hooks';
import { request } from '../graphql/request';
import { texts } from '../texts.ts';

const REQUEST = graphql(`
  mutation RequestPasswordReset($email: String!) {
    requestPasswordReset(email: $email)
  }
`);
const RESET = graphql(`
  mutation ResetPassword($input: ResetPasswordInput!) {
    resetPassword(input: $input)
  }
`);

const words = texts(
  {
    title: 'A new password',
    email: 'E-mail address',
    ask: 'Mail me a link',
    asking: 'Asking…',
    asked: 'If there is an account with this address, a link is on its way. It works once, within an hour.',
    password: 'New password, at least 12 characters',
    set: 'Set the password',
    setting: 'Setting…',
    isSet: 'Your password is changed, and all your sessions have ended. Your second factor is as it was.',
    gone: 'This link was used or has expired. Request another one.',
    signIn: 'Sign in',
  },
  {
    fr: {
      title: 'Un nouveau mot de passe',
      email: 'Adresse e-mail',
      ask: 'M’envoyer un lien',
      asking: 'Demande…',
      asked:
        'S’il existe un compte avec cette adresse, un lien est en route. Il fonctionne une fois, pendant une heure.',
      password: 'Nouveau mot de passe, au moins 12 caractères',
      set: 'Définir le mot de passe',
      setting: 'Enregistrement…',
      isSet:
        'Votre mot de passe est changé, et toutes vos sessions sont terminées. Votre second facteur reste le même.',
      gone: 'Ce lien a été utilisé ou a expiré. Demandez-en un autre.',
      signIn: 'Se connecter',
    },
  },
);

/** With a token in the fragment: sets the password. Without one: asks for a link. */
export function PasswordReset() {
  const [token] = useState(() => {
    const taken = location.hash.slice(1);
    history.replaceState(history.state, '', location.pathname);
    return taken;
  });
  const [isDone, setDone] = useState(false);
  const ask = useAction((email: string) => request(REQUEST, { email }));
  const set = useAction((newPassword: string) => request(RESET, { input: { token, newPassword } }));
  const done = () => setDone(true);
  return (
    <OutsidePage title={words.title}>
      <Connection />
      <div role="status">
        {isDone && <Notice tone="good">{token === '' ? words.asked : words.isSet}</Notice>}
      </div>
      {!isDone && token === '' && (
        <Form problem={ask.problem} onSubmit={(values) => void ask.run(values.text('email'), done)}>
          <Field name="email" type="email" label={words.email} isRequired autoComplete="username" />
          <div>
            <Button type="submit" variant="primary" busy={ask.isRunning && words.asking}>
              {words.ask}
            </Button>
          </div>
        </Form>
      )}
      {!isDone && token !== '' && (
        <>
          {set.problem?.code === 'NOT_FOUND' && <Problem problem={set.problem}>{words.gone}</Problem>}
          <Form
            problem={set.problem?.code === 'NOT_FOUND' ? undefined : set.problem}
            onSubmit={(values) => void set.run(values.password('newPassword'), done)}
          >
            <Username email={undefined} />
            <NewPassword name="newPassword" label={words.password} />
            <div>
              <Button type="submit" variant="primary" busy={set.isRunning && words.setting}>
                {words.set}
              </Button>
            </div>
          </Form>
        </>
      )}
      <p>
        <Link to="/sign-in">{words.signIn}</Link>
      </p>
    </OutsidePage>
  );
}
