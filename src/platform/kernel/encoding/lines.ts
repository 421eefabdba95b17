/**
 * Rows as lines of text that a statement produces: one row per line, with tabs between fields. A page of rows arrives as one
 * value, and its fields are copied into JSON without parsing and escaping them.
 */

/** A line has an unknown form. The caller can read rows instead. */
export class UnknownForm extends Error {
  override readonly name = 'UnknownForm';
}

/** The JSON of a field: the field in quotes, or what a function writes, which throws {@link UnknownForm}. */
export type FieldForm = 'quoted' | ((field: string) => string);

/** One column: its SQL expression in the line, and its JSON form. */
export interface LineField {
  readonly sql: string;
  readonly form: FieldForm;
}

/** A member that a line contains: its position, and how it is written. Without a form, the field is JSON. */
export interface LineMember {
  readonly at: number;
  /** The position is that of a field which all lines of the page share. */
  readonly isShared?: true;
  readonly form?: FieldForm;
}

/** A page of rows as lines. */
export interface LinePage {
  readonly lines: readonly (readonly string[])[];
  readonly shared: readonly string[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** A column of text that is never null. */
export const textField = (column: string): LineField => ({ sql: column, form: 'quoted' });

export const optionalTextField = (column: string): LineField => ({
  // The first character distinguishes an empty text from null.
  sql: `coalesce('+' || ${column}, '-')`,
  form: (field) => (field === '-' ? 'null' : `"${field.slice(1)}"`),
});

/** A column of text with one of these values. */
export function oneOfField(column: string, values: readonly string[]): LineField {
  const written = new Map(values.map((value) => [value, JSON.stringify(value)]));
  return { sql: column, form: (field) => written.get(field) ?? unknown() };
}

/** A column of integers, written if JSON can hold them exactly. */
export const integerField = (column: string): LineField => ({ sql: column, form: writeInteger });

export const optionalIntegerField = (column: string): LineField => ({
  sql: `coalesce(${column}::text, '')`,
  form: (field) => (field === '' ? 'null' : writeInteger(field)),
});

/** A column of times, written in UTC and milliseconds. Consecutive rows with the same time share its text. */
export function timeField(column: string): LineField {
  let last = { field: '', text: '' };
  return {
    sql: column,
    form(field) {
      if (field !== last.field) {
        const time = new Date(field);
        // JavaScript has no date for PostgreSQL's infinity, nor for years before Christ.
        if (Number.isNaN(time.getTime())) unknown();
        last = { field, text: `"${time.toISOString()}"` };
      }
      return last.text;
    },
  };
}

/** The columns that a statement selects as one line. `concat_ws` omits null texts, so fields must not be null. */
export const lineOf = (fields: readonly LineField[]) =>
  `concat_ws(E'\\t', ${fields.map(({ sql }) => sql).join(', ')})`;

/**
 * Characters that JSON escapes, and control characters other than the separators of fields and lines. In two classes, because V8
 * compares many characters at a time with a class of at most 16.
 */
// eslint-disable-next-line no-control-regex
const ESCAPED = [/[\0-\x08\x0b-\x11]/, /[\x12-\x1f"\\]/];

/**
 * Splits lines of `fields` fields. No field may contain a character that JSON escapes.
 * @throws {UnknownForm}
 */
export function parseLines(text: string, count: number, fields: number): string[][] {
  if (ESCAPED.some((characters) => characters.test(text))) unknown();
  return splitLines(text, count, fields);
}

/** The same for lines whose fields are JSON, which contains neither tabs nor line ends. @throws {UnknownForm} */
export function splitLines(text: string, count: number, fields: number): string[][] {
  const lines = text.split('\n').map((line) => line.split('\t'));
  if (lines.length !== count || lines.some((line) => line.length !== fields)) unknown();
  return lines;
}

function writeInteger(field: string): string {
  if (!Number.isSafeInteger(Number(field))) unknown();
  return field;
}

function unknown(): never {
  throw new UnknownForm('A line of a page has an unknown form.');
}
