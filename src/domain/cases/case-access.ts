import { type Foundation, query, type Reader } from '../../platform/database/index.js';
import { forbidden, notFound } from '../../platform/kernel/errors.js';
import { type Id, parseIdOrNotFound } from '../../platform/kernel/ids.js';
import {
  holdsApplicationPermission,
  type Permission,
  type Principal,
  requireApplicationPermission,
  requireApplicationsWith,
  requireSomeApplicationPermission,
  type UserPrincipal,
} from '../access/index.js';
import { type VisibleIn, visibleIn } from './visible-in.js';
import type { CaseRequestVisibility } from './requests/case-request.js';
import { type CaseRecord, type CaseVisibility, selectCases } from './case.js';

export interface CaseAccess {
  readonly user: UserPrincipal;
  readonly applicationId: Id<'app'>;
  readonly case: CaseRecord;
  /** The required permission. */
  readonly permission: Permission<'auditor'>;
}

/**
 * The conditions for an auditor to work on a case now: the permission, an assignment, and an open window. An administrator
 * who sees a case does not see its transactions.
 *
 * @throws `FORBIDDEN` without the permission, before anything is read. Otherwise `NOT_FOUND`, for any other failed condition.
 */
export async function requireCaseAccess(
  { database, clock }: Pick<Foundation, 'database' | 'clock'>,
  principal: Principal | undefined,
  { foreignId, caseId }: { readonly foreignId: string; readonly caseId: string },
  permission: Permission<'auditor'>,
): Promise<CaseAccess> {
  const { user, applicationId } = requireApplicationPermission(principal, foreignId, 'auditor', permission);
  const id = parseIdOrNotFound('cas', caseId);
  const { organizationId, userId: auditorId } = user;
  const assigned = visibleIn({ organizationId, applicationId }, { auditorId });
  const [found] = await selectCases(database, { ...assigned, id, at: clock.now() });
  if (!found) throw notFound('case');
  return { user, applicationId, case: found, permission };
}

/** Checks the access again after reading and decrypting, which take time. Throws `NOT_FOUND` if it has ended. */
export async function requireCaseAccessStill(
  reader: Reader,
  { user, case: { id, organizationId }, permission }: CaseAccess,
  at: Date,
): Promise<void> {
  const [allowed] = await reader.rows(
    query
      .selectFrom('cases')
      .innerJoin('case_auditors', 'case_auditors.case_id', 'cases.id')
      .innerJoin('permission_grants', (grants) =>
        grants
          .onRef('permission_grants.user_id', '=', 'case_auditors.user_id')
          .onRef('permission_grants.application_id', '=', 'cases.application_id'),
      )
      .select('cases.id')
      .where('cases.organization_id', '=', organizationId)
      .where('cases.id', '=', id)
      .where('cases.expires_at', '>', at)
      .where('case_auditors.user_id', '=', user.userId)
      .where('permission_grants.bucket', '=', 'auditor')
      .where('permission_grants.permission', '=', permission),
  );
  if (!allowed) throw notFound('case');
}

/** The cases that an auditor is assigned to and whose window is open. */
export async function openCases(
  reader: Reader,
  {
    organizationId,
    applicationId,
    auditorId,
    caseIds,
    at,
  }: {
    readonly organizationId: Id<'org'>;
    readonly applicationId: Id<'app'>;
    readonly auditorId: Id<'usr'>;
    readonly caseIds: readonly Id<'cas'>[];
    readonly at: Date;
  },
): Promise<ReadonlySet<Id<'cas'>>> {
  const rows = await reader.rows(
    query
      .selectFrom('cases')
      .innerJoin('case_auditors', 'case_auditors.case_id', 'cases.id')
      .select('cases.id')
      .where('cases.organization_id', '=', organizationId)
      .where('cases.application_id', '=', applicationId)
      .where('cases.id', 'in', caseIds)
      .where('cases.expires_at', '>', at)
      .where('case_auditors.user_id', '=', auditorId),
  );
  return new Set(rows.map(({ id }) => id));
}

/** The cases that the caller may see: all cases as an administrator, the assigned ones as an auditor. */
export function requireCaseVisibility(
  principal: Principal | undefined,
  foreignId: string | null | undefined,
): VisibleIn<CaseVisibility> {
  const { user, applicationIds } = requireApplicationsWith(principal, foreignId, [
    ['administrator', 'cases:approve_creation'],
    ['administrator', 'cases:list'],
    ['auditor', 'reports:view_transactions'],
  ]);
  const seesAll = (applicationId: Id<'app'>) =>
    holdsApplicationPermission(user, applicationId, 'administrator', 'cases:approve_creation') ||
    holdsApplicationPermission(user, applicationId, 'administrator', 'cases:list');
  return {
    organizationId: user.organizationId,
    applications: applicationIds.map((applicationId) => ({
      applicationId,
      visible: seesAll(applicationId) ? 'all' : { auditorId: user.userId },
    })),
  };
}

/** @throws `FORBIDDEN` unless the caller requests cases of the application, or decides the requests. */
export const requireCasePlanner = (principal: Principal | undefined, foreignId: string) =>
  requireSomeApplicationPermission(principal, foreignId, [
    ['auditor', 'cases:create'],
    ['administrator', 'cases:approve_creation'],
  ]);

/** @throws `FORBIDDEN` unless the caller decides the requests of the application. */
export function requireRequestDecider(principal: Principal | undefined, applicationId: Id<'app'>): void {
  const { applicationIds } = requireApplicationsWith(principal, null, [
    ['administrator', 'cases:approve_creation'],
  ]);
  if (!applicationIds.includes(applicationId))
    throw forbidden('This needs the administrator permission cases:approve_creation in the application.');
}

/** The requests that the caller may see: all requests for those who decide them, otherwise the auditor's own. */
export function requireRequestVisibility(
  principal: Principal | undefined,
  foreignId: string | null | undefined,
): VisibleIn<CaseRequestVisibility> {
  const { user, applicationIds } = requireApplicationsWith(principal, foreignId, [
    ['administrator', 'cases:approve_creation'],
    ['auditor', 'cases:create'],
    ['auditor', 'cases:withdraw_pending_request'],
  ]);
  const decides = (applicationId: Id<'app'>) =>
    holdsApplicationPermission(user, applicationId, 'administrator', 'cases:approve_creation');
  return {
    organizationId: user.organizationId,
    applications: applicationIds.map((applicationId) => ({
      applicationId,
      visible: decides(applicationId) ? 'all' : { requestedBy: user.userId },
    })),
  };
}

/** The callers who decide case requests of an application and change its cases. */
export interface CaseAdministrator {
  readonly user: UserPrincipal;
  readonly application: { readonly organizationId: Id<'org'>; readonly applicationId: Id<'app'> };
  readonly visibility: VisibleIn<'all'>;
}

/** @throws `FORBIDDEN` without the permission `cases:approve_creation` */
export function requireCaseAdministrator(
  principal: Principal | undefined,
  foreignId: string,
): CaseAdministrator {
  const { user, applicationId } = requireApplicationPermission(
    principal,
    foreignId,
    'administrator',
    'cases:approve_creation',
  );
  const application = { organizationId: user.organizationId, applicationId };
  return { user, application, visibility: visibleIn(application, 'all') };
}
