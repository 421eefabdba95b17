import type { ExpressionBuilder } from 'kysely';
import type { Tables } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

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
