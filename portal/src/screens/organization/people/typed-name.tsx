import { Field } from '../../../design/fields';
import { texts } from '../../../texts.ts';

const words = texts(
  {
    typeName: (name: string) => `Type “${name}” to confirm`,
    wrongName: 'This is another name.',
  },
  {
    fr: {
      typeName: (name: string) => `Tapez « ${name} » pour confirmer`,
      wrongName: 'C’est un autre nom.',
    },
  },
);

/** The name of a person, typed before something that cannot be undone. The form has it as `typed`. */
export function TypedName({ name, isWrong }: { readonly name: string; readonly isWrong: boolean }) {
  return (
    <>
      <Field name="typed" label={words.typeName(name)} isRequired />
      <div role="status">{isWrong && <p className="field-error">{words.wrongName}</p>}</div>
    </>
  );
}
