import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { query, type Tables } from '../../platform/database/index.js';

/** The users for whom a condition holds, as a JSON array of `Person` in the order of their ids. */
export const peopleWith = (condition: (users: ExpressionBuilder<Tables, 'users'>) => Expression<SqlBool>) =>
  jsonArrayFrom(
    query
      .selectFrom('users')
      .select(['users.id', 'users.name', 'users.email'])
      .where(condition)
      .orderBy('users.id'),
  );
