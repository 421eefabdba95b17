import { forbidden } from '../../platform/kernel/errors.js';
import type { Id } from '../../platform/kernel/ids.js';
import {
  type ApplicationPermission,
  holdsApplicationPermission,
  type Principal,
  requireApplicationPermission,
  requireApplicationsWith,
  requireOwnerPermission,
  requireSomeApplicationPermission,
  requireUser,
  type UserPrincipal,
} from '../access/index.js';

export interface ReportAccess {
  readonly user: UserPrincipal;
  readonly organizationId: Id<'org'>;
  /** Only reports of this application; `undefined` for the whole organization. */
  readonly applicationId: Id<'app'> | undefined;
}

/** Access to the organization's reports as its owner or, with `foreignId`, to an application's as its auditor. */
export function requireReports(
  principal: Principal | undefined,
  foreignId: string | null | undefined,
  permission: 'reports:create' | 'reports:list' | 'reports:download',
): ReportAccess {
  if (foreignId == null) {
    const user = requireOwnerPermission(principal, permission);
    return { user, organizationId: user.organizationId, applicationId: undefined };
  }
  const { user, applicationId } = requireApplicationPermission(principal, foreignId, 'auditor', permission);
  return { user, organizationId: user.organizationId, applicationId };
}

const LISTS_REPORTS: readonly ApplicationPermission[] = [
  ['auditor', 'reports:list'],
  ['administrator', 'reports:list'],
];

/** Like {@link requireReports}. An application's administrators may also list its reports. */
export function requireReportList(
  principal: Principal | undefined,
  foreignId: string | null | undefined,
): ReportAccess {
  if (foreignId == null) return requireReports(principal, foreignId, 'reports:list');
  const { user, applicationId } = requireSomeApplicationPermission(principal, foreignId, LISTS_REPORTS);
  return { user, organizationId: user.organizationId, applicationId };
}

export interface ReportReading {
  readonly user: UserPrincipal;
  readonly organizationId: Id<'org'>;
  /** Only reports of these applications; `undefined` for all of the organization. */
  readonly applicationIds: readonly Id<'app'>[] | undefined;
}

/** All reports that the caller may list: the organization's as its owner, otherwise those of some applications. */
export function requireSomeReportList(principal: Principal | undefined): ReportReading {
  const user = requireUser(principal);
  const { organizationId } = user;
  return user.grants.owner.has('reports:list')
    ? { user, organizationId, applicationIds: undefined }
    : { organizationId, ...requireApplicationsWith(user, null, LISTS_REPORTS) };
}

export interface ReportMaking {
  readonly user: UserPrincipal;
  /** Null for the whole organization. */
  readonly applicationIds: readonly (Id<'app'> | null)[];
}

/** Where the caller may generate reports: in the named application or, without `foreignId`, in all of them. */
export function requireReportMaking(
  principal: Principal | undefined,
  foreignId: string | null | undefined,
): ReportMaking {
  if (foreignId != null) {
    const { user, applicationId } = requireReports(principal, foreignId, 'reports:create');
    return { user, applicationIds: [applicationId ?? null] };
  }
  const user = requireUser(principal);
  const applicationIds = [
    ...(user.grants.owner.has('reports:create') ? [null] : []),
    ...([...user.applications.keys()] as Id<'app'>[]).filter((id) =>
      holdsApplicationPermission(user, id, 'auditor', 'reports:create'),
    ),
  ];
  if (applicationIds.length === 0) throw forbidden('This needs the permission reports:create.');
  return { user, applicationIds };
}
