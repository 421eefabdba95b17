import { Field, type FieldProps } from '../design/fields';
import { texts } from '../texts.ts';

const words = texts(
  {
    reason: 'Reason',
    optional: 'Reason (optional)',
    hint: 'It is recorded in the activity log.',
  },
  {
    fr: {
      reason: 'Motif',
      optional: 'Motif, si vous voulez en donner un',
      hint: 'Il figure dans le journal d’activité.',
    },
  },
);

/** Why somebody does it. The gateway takes 1 to 2000 characters, and writes every reason into the activity log. */
export function ReasonField({
  label,
  hint = words.hint,
  lines = 2,
  isRequired = true,
}: Partial<Pick<FieldProps, 'label' | 'hint' | 'lines' | 'isRequired'>>) {
  return (
    <Field
      name="reason"
      label={label ?? (isRequired ? words.reason : words.optional)}
      hint={hint}
      lines={lines}
      isRequired={isRequired}
      maxLength={2000}
    />
  );
}
