import type { Reader } from '../../../platform/database/index.js';
import type { LogScope, ReadableLogs } from './select-activity.js';
import {
  type ApplicationPermission,
  type Principal,
  requireApplicationPermission,
  requireApplicationsWith,
  requireOwnerPermission,
  requirePermissionStill,
  requireUser,
  type UserPrincipal,
} from '../../access/index.js';

/** The log that the caller may read: the organization's, or that of the application named by `foreignId`. */
export function requireLog(
  principal: Principal | undefined,
  foreignId: string | null | undefined,
): { readonly user: UserPrincipal; readonly scope: LogScope } {
  if (foreignId == null) {
    const user = requireOwnerPermission(principal, 'logs:view_activity');
    return { user, scope: { organizationId: user.organizationId } };
  }
  const { user, applicationId } = requireApplicationPermission(
    principal,
    foreignId,
    'common',
    'logs:view_activity',
  );
  return { user, scope: { organizationId: user.organizationId, applicationId } };
}

/** The check of {@link requireLog} again, in the transaction that logs what is read. */
export async function requireLogStill(
  reader: Reader,
  user: UserPrincipal,
  { applicationId }: Pick<LogScope, 'applicationId'>,
): Promise<void> {
  const permission = 'logs:view_activity';
  await (applicationId === undefined
    ? requirePermissionStill(reader, user, null, 'owner', permission)
    : requirePermissionStill(reader, user, applicationId, 'common', permission));
}

/** Every log that the caller may read. */
export function requireReadableLogs(principal: Principal | undefined): ReadableLogs {
  const user = requireUser(principal);
  const { organizationId } = user;
  if (user.grants.owner.has('logs:view_activity')) return { organizationId };
  const { applicationIds } = requireApplicationsWith(user, null, [['common', 'logs:view_activity']]);
  return { organizationId, applicationIds };
}

const READS_LOG: readonly ApplicationPermission[] = [
  ['common', 'logs:view_activity'],
  ['auditor', 'reports:view_transactions'],
];

/**
 * Anyone who may read some log of the organization, or that of a case: a checkpoint reveals only the size of the whole log.
 */
export function requireSomeLog(principal: Principal | undefined): UserPrincipal {
  const user = requireUser(principal);
  return user.grants.owner.has('logs:view_activity')
    ? user
    : requireApplicationsWith(user, null, READS_LOG).user;
}
