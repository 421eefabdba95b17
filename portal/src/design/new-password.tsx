import { Field } from './fields';

/** The new password of an account whose name the page does not know. */
export function NewPassword({ name, label }: { readonly name: string; readonly label: string }) {
  return (
    <>
      {/* Password managers look for the name that the password belongs to. */}
      <input hidden readOnly name="username" autoComplete="username" value="" />
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
