/**
 * Rows as lines of text that a statement produces: one row per line, with tabs between fields. A page of rows arrives as one
 * value, and its fields are copied into JSON without parsing and escaping them.
 */

/** A line has an unknown form. The caller can read rows instead. */
export class UnknownForm extends Error {
  override readonly name = 'UnknownForm';
}

/** One column: its SQL expression in the line, and its JSON form. */
export interface LineField {
  readonly sql: string;
  /** @throws {UnknownForm} */
  readonly write: (field: string) => string;
}

/** A member that a line contains: its position, and how it is written. Without `write`, the field is JSON. */
export interface LineMember {
  readonly at: number;
  readonly write?: LineField['write'];
}

/** A page of rows as lines. */
export interface LinePage {
  readonly lines: readonly (readonly string[])[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** A column of text that is never null. */
export const textField = (column: string): LineField => ({ sql: column, write: (field) => `"${field}"` });

export const optionalTextField = (column: string): LineField => ({
  // The first character distinguishes an empty text from null.
  sql: `coalesce('+' || ${column}, '-')`,
  write: (field) => (field === '-' ? 'null' : `"${field.slice(1)}"`),
});

/** A column of text with one of these values. */
export function oneOfField(column: string, values: readonly string[]): LineField {
  const written = new Map(values.map((value) => [value, JSON.stringify(value)]));
  return { sql: column, write: (field) => written.get(field) ?? unknown() };
}

/** A column of integers, written if JSON can hold them exactly. */
export const integerField = (column: string): LineField => ({ sql: column, write: writeInteger });

export const optionalIntegerField = (column: string): LineField => ({
  sql: `coalesce(${column}::text, '')`,
  write: (field) => (field === '' ? 'null' : writeInteger(field)),
});

/** A column of times, written in UTC and milliseconds. Consecutive rows with the same time share its text. */
export function timeField(column: string): LineField {
  let last = { field: '', text: '' };
  return {
    sql: column,
    write(field) {
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

/** Characters that JSON escapes, and control characters other than the separators of fields and lines. */
// eslint-disable-next-line no-control-regex
const ESCAPED = /[\0-\x08\x0b-\x1f"\\]/;

/**
 * Splits lines of `fields` fields. No field may contain a character that JSON escapes.
 * @throws {UnknownForm}
 */
export function parseLines(text: string, count: number, fields: number): string[][] {
  if (ESCAPED.test(text)) unknown();
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
