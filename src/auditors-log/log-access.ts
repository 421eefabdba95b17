import type { LogScope } from '../activity-log/index.js';
import {
  requireApplicationPermission,
  requireOwnerPermission,
  type Principal,
  type UserPrincipal,
} from '../organizations/index.js';

/** Whose log the caller may read: the organization's, or one application's when its foreignId is given. */
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
