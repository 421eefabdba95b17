import { useEffect, useId, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Form as AriaForm } from 'react-aria-components/Form';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField } from 'react-aria-components/TextField';
import type { GatewayError } from '../graphql/gateway-error';
import { problemOf } from './field-problem.ts';
import { valuesOf, type FormValues } from './form-values.ts';
import { Problem } from './states';

/** A form with native validation. Errors from the gateway are shown at the fields that they name, or above all fields. */
export function Form({
  id,
  children,
  problem,
  onSubmit,
  isConfirmation = false,
  className = 'form',
}: {
  readonly id?: string;
  readonly children: ReactNode;
  readonly problem: GatewayError | undefined;
  readonly onSubmit: (values: FormValues, form: HTMLFormElement) => void;
  /** Whether the action cannot be undone: then only its button submits it, and Enter in a field does not. */
  readonly isConfirmation?: boolean;
  readonly className?: string;
}) {
  const form = useRef<HTMLFormElement>(null);
  const members = problem?.members ?? [];
  // The text fields of the sent form: problems with anything else are shown above them.
  const [sent, setSent] = useState<readonly string[]>([]);
  const [corrected, setCorrected] = useState<readonly string[]>([]);
  // The heading above the boxes of each name.
  const [legends, setLegends] = useState<ReadonlyMap<string, string>>(new Map());
  // `input.reason` and `reason` are one field; so are `auditorIds` and `auditorIds[0]`.
  const nameOf = (member: string) => member.replace(/^input\./, '').replace(/\[\d+\].*$/, '');
  const errors = Object.fromEntries(
    members
      // A sentence begins with the name, in whose place the field puts its label.
      .map(({ member, message }) => [nameOf(member), message.replace(member, '')] as const)
      .filter(([name]) => !corrected.includes(name)),
  );
  useEffect(() => {
    if (!isConfirmation) return undefined;
    const within = form.current!;
    const kept = (event: KeyboardEvent) => {
      const { target, key } = event;
      if (key === 'Enter' && target instanceof HTMLInputElement && target.type !== 'file')
        event.preventDefault();
    };
    within.addEventListener('keydown', kept);
    return () => within.removeEventListener('keydown', kept);
  }, [isConfirmation]);
  useEffect(() => {
    if (!problem) return undefined;
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    // The error of a field is removed while typing. If it were removed on blur, the button would move away from the
    // pointer. The listener is on the document, after React has handled the input.
    const typed = ({ target }: Event) =>
      setCorrected((before) => [...before, (target as HTMLInputElement).name]);
    document.addEventListener('input', typed);
    return () => document.removeEventListener('input', typed);
  }, [problem]);
  const explanation = members.reduce(
    (text, { member }) => text.replace(member, legends.get(nameOf(member)) ?? member),
    problem?.detail ?? problem?.message ?? '',
  );
  const isAtFields = members.length > 0 && members.every(({ member }) => sent.includes(nameOf(member)));
  return (
    <AriaForm
      id={id}
      ref={form}
      className={className}
      validationBehavior="native"
      validationErrors={errors}
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        setSent(
          [...event.currentTarget.querySelectorAll<HTMLInputElement>('[name][data-rac]')].map(
            ({ name }) => name,
          ),
        );
        setLegends(
          new Map(
            [...event.currentTarget.querySelectorAll<HTMLInputElement>('fieldset [name]')].map((box) => [
              box.name,
              box.closest('fieldset')?.querySelector('legend')?.textContent ?? box.name,
            ]),
          ),
        );
        setCorrected([]);
        onSubmit(valuesOf(new FormData(event.currentTarget)), event.currentTarget);
      }}
    >
      {problem && !isAtFields && (
        <Problem problem={problem}>
          {members.length === 0 ? undefined : problem.detail === undefined ? (
            explanation
          ) : (
            <>
              {problem.message} <span lang="en">{explanation}</span>
            </>
          )}
        </Problem>
      )}
      {children}
    </AriaForm>
  );
}

export interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly isRequired?: boolean;
  readonly defaultValue?: string;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly type?: 'text' | 'email' | 'password' | 'date' | 'number' | 'search';
  readonly autoComplete?: string;
  readonly inputMode?: 'numeric' | 'text';
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: string;
  readonly max?: string;
  readonly isMono?: boolean;
  readonly lines?: number;
  readonly autoFocus?: boolean;
  readonly spellCheck?: 'true' | 'false';
}

export function Field({ label, hint, lines, isMono, min, max, ...rest }: FieldProps) {
  const look = isMono ? 'input mono' : 'input';
  // In a sentence, without “(optional)”.
  const subject = label.replace(/ \([^()]*\)$/, '');
  return (
    <TextField {...rest} className="field" autoComplete={rest.autoComplete ?? 'off'}>
      <Label>{label}</Label>
      {lines === undefined ? (
        <Input className={look} min={min} max={max} />
      ) : (
        <TextArea className={look} rows={lines} />
      )}
      {hint !== undefined && (
        <Text slot="description" className="soft">
          {hint}
        </Text>
      )}
      <FieldError className="field-error">
        {({ validationErrors: [error], validationDetails }) =>
          // Of the gateway, and not of the browser: a sentence in English without its first word.
          error?.startsWith(' ') ? (
            <>
              {subject}
              <span lang="en">{error}</span>
            </>
          ) : (
            (problemOf(validationDetails, { ...rest, min, max }) ?? error)
          )
        }
      </FieldError>
    </TextField>
  );
}

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly hint?: ReactNode;
}

/** A choice of one among a few, as the browser draws it: it works everywhere and weighs nothing. */
export function Select({
  name,
  label,
  hint,
  options,
  isRequired = false,
  defaultValue,
  value,
  onChange,
}: {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly options: readonly Option[];
  /** An option with an empty value is no choice then. */
  readonly isRequired?: boolean;
  readonly defaultValue?: string;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        name={name}
        className="input"
        required={isRequired}
        {...(value === undefined ? { defaultValue } : { value })}
        onChange={({ target }) => onChange?.(target.value)}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <span id={`${id}-hint`} className="soft">
          {hint}
        </span>
      )}
    </div>
  );
}

/** The boxes of one question. A problem with the choice stands below them, as that of a field does. */
export function Choices({
  legend,
  problem,
  children,
}: {
  readonly legend: string;
  readonly problem?: string | undefined;
  readonly children: ReactNode;
}) {
  const id = useId();
  const group = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    // The browser then does not send the form, and takes the focus to the box.
    const first = group.current?.querySelector('input');
    first?.setCustomValidity(problem ?? '');
    return () => first?.setCustomValidity('');
  }, [problem]);
  return (
    <fieldset ref={group} className="fieldset" aria-describedby={problem === undefined ? undefined : id}>
      <legend>{legend}</legend>
      {children}
      <div role="alert">
        {problem !== undefined && (
          <p id={id} className="field-error">
            {problem}
          </p>
        )}
      </div>
    </fieldset>
  );
}

export function Checkbox({
  name,
  label,
  hint,
  value = 'on',
  defaultChecked,
  checked,
  onChange,
}: {
  readonly name: string;
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly value?: string;
  readonly defaultChecked?: boolean;
  readonly checked?: boolean;
  readonly onChange?: (isOn: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="check">
      <input
        id={id}
        type="checkbox"
        name={name}
        value={value}
        {...(checked === undefined ? { defaultChecked } : { checked })}
        onChange={({ target }) => onChange?.(target.checked)}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      <span>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <span id={`${id}-hint`} className="soft block">
            {hint}
          </span>
        )}
      </span>
    </div>
  );
}
