import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { query, type Tables } from '../../platform/database/index.js';

/** The users for whom a condition holds, as a JSON array of `Person` sorted by id. */
export const peopleWith = (condition: (users: ExpressionBuilder<Tables, 'users'>) => Expression<SqlBool>) =>
  jsonArrayFrom(
    query
      .selectFrom('users')
      .select(['users.id', 'users.name', 'users.email'])
      .where(condition)
      .orderBy('users.id'),
  );

/** The auditors of the case in a row of the statement. */
export const auditorsOfCase = (cases: ExpressionBuilder<Tables, 'cases'>) =>
  peopleWith((users) =>
    users(
      'users.id',
      'in',
      users
        .selectFrom('case_auditors')
        .select('case_auditors.user_id')
        .whereRef('case_auditors.case_id', '=', cases.ref('cases.id')),
    ),
  );
