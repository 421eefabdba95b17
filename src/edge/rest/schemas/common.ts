import { Type, type TSchema } from 'typebox';

export const closed = { additionalProperties: false } as const;

/** A type in the document's `components`. It is printed once and referred to by its title. */
export function named<Schema extends TSchema>(title: string, description: string, schema: Schema): Schema {
  return Object.assign(schema, { title, description });
}

/** JSON whose members this document does not list. */
export const open = { additionalProperties: true } as const;

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const oneOf = (values: readonly string[], description: string) =>
  Type.Enum([...values], { type: 'string', description });

export const text = (longest: number, description: string) =>
  Type.String({ minLength: 1, maxLength: longest, description });

/** RFC 3339, at most nanoseconds, truncated to milliseconds. Leap seconds are refused. */
export const dateTime = (description: string) =>
  Type.String({
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]\\d{2}:[0-5]\\d)$',
    description,
  });

/** A day in ISO 8601. */
export const date = (description: string) =>
  Type.String({ format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$', description });

/** A time in answers: UTC with milliseconds. */
export const timestamp = (description: string) => Type.String({ format: 'date-time', description });

export const identifier = (prefix: string, what: string) =>
  Type.String({ description: `Id of the ${what} (\`${prefix}_…\`).` });

export const address = (description: string) => Type.String({ description: `${description} (base58).` });
