import { useState } from 'react';
import { texts } from '../texts.ts';
import { Checkbox, Field } from './fields';

const words = texts({ show: 'Show what I type' }, { fr: { show: 'Afficher ce que je saisis' } });

/**
 * Whose password a form is about: password managers look for it in the form, before the first password. The address is empty where
 * the page does not know it.
 */
export const Username = ({ email }: { readonly email: string | undefined }) => (
  <input hidden readOnly name="username" autoComplete="username" value={email ?? ''} />
);

/** The new password of an account. `Username` comes before it. */
export function NewPassword({ name, label }: { readonly name: string; readonly label: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <>
      <Field
        name={name}
        type={isShown ? 'text' : 'password'}
        label={label}
        isRequired
        minLength={12}
        autoComplete="new-password"
        // Some browsers send what is typed to a service that corrects it.
        spellCheck="false"
      />
      <Checkbox name="isShown" label={words.show} checked={isShown} onChange={setShown} />
    </>
  );
}
