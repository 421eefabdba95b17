import { useState } from 'react';
import { texts } from '../texts.ts';
import { Checkbox, Field } from './fields';

const words = texts({ show: 'Show what I type' }, { fr: { show: 'Afficher ce que je saisis' } });

/** The new password of an account: `username` is its e-mail address, where the page knows it. */
export function NewPassword({
  name,
  label,
  username = '',
}: {
  readonly name: string;
  readonly label: string;
  readonly username?: string;
}) {
  const [isShown, setShown] = useState(false);
  return (
    <>
      {/* Password managers look for the name that the password belongs to. */}
      <input hidden readOnly name="username" autoComplete="username" value={username} />
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
