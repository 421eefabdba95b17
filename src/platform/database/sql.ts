import { sql, type RawBuilder } from 'kysely';

export { sql };

/** A jsonb parameter. A bare array would be taken for a PostgreSQL array. */
export function jsonb<Value>(value: Value): RawBuilder<Value> {
  return sql`${JSON.stringify(value)}::jsonb`;
}

/** `true and …`: the conditions that are there, so that an optional filter is part of the query itself. */
export function all(conditions: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<unknown> {
  const present = conditions.filter((condition) => condition !== undefined);
  return present.length === 0 ? sql`true` : sql`(${sql.join(present, sql` and `)})`;
}
