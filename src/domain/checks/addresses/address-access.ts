import type { Foundation } from '../../../platform/database/index.js';
import { forbidden, notFound } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import {
  findApplicationByForeignId,
  holdsApplicationPermission,
  type Principal,
  requireApplicationPermission,
  requireUser,
  type UserPrincipal,
} from '../../access/index.js';
import type { Application } from '../../access/index.js';

/**
 * The application whose addresses the caller may manage, as its administrator with `addresses:manage` or as an owner with
 * the permission of that name. An owner gets `NOT_FOUND` for an unknown application. All other callers get the same refusal
 * before anything is read, whether the application exists or not.
 */
export async function requireAddresses(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
  foreignId: string,
): Promise<{ readonly user: UserPrincipal; readonly application: Application }> {
  const user = requireUser(principal);
  if (!user.grants.owner.has('addresses:manage')) {
    requireApplicationPermission(user, foreignId, 'administrator', 'addresses:manage');
  }
  const application = await findApplicationByForeignId(database, user.organizationId, foreignId);
  if (!application) throw notFound('application');
  return { user, application };
}

/** The applications whose checks the caller may see. */
export interface CheckAccess {
  readonly organizationId: Id<'org'>;
  /** Absent for every application of the organization. */
  readonly applicationIds?: readonly Id<'app'>[];
}

export function checkAccess(principal: Principal | undefined): CheckAccess {
  const user = requireUser(principal);
  const { organizationId } = user;
  if (user.grants.owner.has('addresses:manage')) return { organizationId };
  const applicationIds = ([...user.applications.keys()] as Id<'app'>[]).filter((applicationId) =>
    holdsApplicationPermission(user, applicationId, 'administrator', 'addresses:manage'),
  );
  if (applicationIds.length === 0) throw forbidden('This needs the permission addresses:manage.');
  return { organizationId, applicationIds };
}
