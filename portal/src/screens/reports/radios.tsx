import { useId } from 'react';
import type { EnumOf } from '../../graphql/document';
import type { Option } from '../../design/fields';
import { texts } from '../../texts.ts';

const words = texts(
  { format: 'Format', csv: 'CSV', json: 'JSON', pdf: 'PDF' },
  { fr: { format: 'Format', csv: 'CSV', json: 'JSON', pdf: 'PDF' } },
);

/** A choice among options that need a sentence each. */
export function Radios({
  name,
  legend,
  options,
  defaultValue,
}: {
  readonly name: string;
  readonly legend: string;
  readonly options: readonly Option[];
  readonly defaultValue: string;
}) {
  const id = useId();
  return (
    <fieldset className="fieldset">
      <legend>{legend}</legend>
      {options.map(({ value, label, hint }, index) => (
        <div className="check" key={value}>
          <input
            type="radio"
            id={`${id}-${index}`}
            name={name}
            value={value}
            defaultChecked={value === defaultValue}
            aria-describedby={hint === undefined ? undefined : `${id}-${index}-hint`}
          />
          <span>
            <label htmlFor={`${id}-${index}`}>{label}</label>
            {hint !== undefined && (
              <span id={`${id}-${index}-hint`} className="soft block">
                {hint}
              </span>
            )}
          </span>
        </div>
      ))}
    </fieldset>
  );
}

export type ReportFormat = EnumOf<'ReportFormat'>;

// What the gateway can make: a format that is left out does not compile.
const FORMATS = Object.keys({ csv: true, json: true, pdf: true } satisfies Record<
  ReportFormat,
  true
>) as ReportFormat[];

/** The format of a report, with what each holds where that differs. */
export const FormatChoice = ({
  defaultValue,
  hints,
}: {
  readonly defaultValue: ReportFormat;
  readonly hints?: Readonly<Record<ReportFormat, string>>;
}) => (
  <Radios
    name="format"
    legend={words.format}
    defaultValue={defaultValue}
    options={FORMATS.map((format) => ({
      value: format,
      label: words[format],
      ...(hints ? { hint: hints[format] } : {}),
    }))}
  />
);

/** The chosen format of a form with a `FormatChoice`. */
export const formatOf = (chosen: string): ReportFormat =>
  FORMATS.find((known) => known === chosen) ?? FORMATS[0]!;
