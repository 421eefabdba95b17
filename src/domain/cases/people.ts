import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { query, type Tables } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';

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

/** Whether the user of a row holds an auditor permission of the application now. */
export const isAuditorOf =
  (organizationId: Id<'org'>, applicationId: Id<'app'>) => (users: ExpressionBuilder<Tables, 'users'>) =>
    users.exists(
      users
        .selectFrom('permission_grants')
        .select('permission_grants.user_id')
        .whereRef('permission_grants.user_id', '=', 'users.id')
        .where('permission_grants.organization_id', '=', organizationId)
        .where('permission_grants.application_id', '=', applicationId)
        .where('permission_grants.bucket', '=', 'auditor'),
    );
