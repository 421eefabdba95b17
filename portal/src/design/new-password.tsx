import { Field } from './fields';

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
  return (
    <>
      {/* Password managers look for the name that the password belongs to. */}
      <input hidden readOnly name="username" autoComplete="username" value={username} />
      <Field
        name={name}
        type="password"
        label={label}
        isRequired
        minLength={12}
        autoComplete="new-password"
      />
    </>
  );
}
