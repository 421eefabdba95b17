import { useState } from 'react';
import { Field, type FieldProps } from '../../design/fields';

/** No year that somebody means, but the first digits of one. */
const FIRST_DAY = '1900-01-01';

/**
 * A day filter. The value is reported once its year is complete: while the year is typed, the browser returns 0002, 0020
 * and 0202 for 2026. The typed value stays even if the parent passes it back only later.
 */
export function DayFilter({
  value,
  onChange,
  ...rest
}: Omit<FieldProps, 'type' | 'value' | 'onChange'> & {
  readonly value: string;
  readonly onChange: (day: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  return (
    <Field
      {...rest}
      type="date"
      value={typed}
      onChange={(day) => {
        setTyped(day);
        if (day === '' || day >= FIRST_DAY) onChange(day);
      }}
    />
  );
}
