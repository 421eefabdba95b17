import { sql, type RawBuilder } from 'kysely';

export { sql };

/** A jsonb parameter. A bare array would be taken for a PostgreSQL array. */
export function jsonb<Value>(value: Value): RawBuilder<Value> {
  return sql`${JSON.stringify(value)}::jsonb`;
}

/** `true and …`: the present conditions, so that an optional filter is part of the query itself. */
export function all(conditions: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<unknown> {
  const present = conditions.filter((condition) => condition !== undefined);
  return present.length === 0 ? sql`true` : sql`(${sql.join(present, sql` and `)})`;
}

/**
 * In the list of what a statement selects: its commit does not wait until the disk has it. For rows that a server which fails may
 * lose, as if the statement had not come. PostgreSQL, `synchronous_commit`.
 */
export const withoutFlush = sql<string>`set_config('synchronous_commit', 'off', true)`;
