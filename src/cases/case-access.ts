import { sql, type Foundation, type Reader } from '../database/index.js';
import { notFound } from '../kernel/errors.js';
import { locateId, type Id } from '../kernel/ids.js';
import {
  holdsApplicationPermission,
  requireApplicationPermission,
  requireSomeApplicationPermission,
  type Permission,
  type Principal,
  type UserPrincipal,
} from '../organizations/index.js';
import type { CaseRequestVisibility } from './case-request.js';
import { selectCases, type CaseRecord, type CaseVisibility } from './case.js';

export interface CaseAccess {
  readonly user: UserPrincipal;
  readonly applicationId: Id<'app'>;
  readonly case: CaseRecord;
  /** What it was asked with. */
  readonly permission: Permission<'auditor'>;
}

/**
 * What an auditor needs to work on a case at this moment: the permission, an assignment, and an open window. An
 * administrator is no auditor: to see a case is not to see its transactions.
 *
 * @throws `FORBIDDEN` without the permission, before anything is read; `NOT_FOUND` in every other case, alike.
 */
export async function requireCaseAccess(
  { database, clock }: Pick<Foundation, 'database' | 'clock'>,
  principal: Principal | undefined,
  foreignId: string,
  caseId: string,
  permission: Permission<'auditor'>,
): Promise<CaseAccess> {
  const { user, applicationId } = requireApplicationPermission(principal, foreignId, 'auditor', permission);
  const id = locateId('cas', caseId);
  const { organizationId, userId: auditorId } = user;
  const selection = { organizationId, applicationId, id, visible: { auditorId }, at: clock.now() };
  const [found] = await selectCases(database, selection);
  if (!found) throw notFound('case');
  return { user, applicationId, case: found, permission };
}

/**
 * Throws `NOT_FOUND` unless the access still stands at this moment, whatever its request began with: to read and to
 * decrypt took time.
 */
export async function requireCaseAccessStill(
  reader: Reader,
  { user, case: { id, organizationId }, permission }: CaseAccess,
  at: Date,
): Promise<void> {
  const [allowed] = await reader.rows(sql`
    select 1 from cases join case_auditors on case_auditors.case_id = cases.id
    join permission_grants on permission_grants.user_id = case_auditors.user_id
      and permission_grants.application_id = cases.application_id
    where cases.organization_id = ${organizationId} and cases.id = ${id} and cases.expires_at > ${at}
      and case_auditors.user_id = ${user.userId} and bucket = 'auditor' and permission = ${permission}`);
  if (!allowed) throw notFound('case');
}

/** Whose cases the caller may see: all, as an administrator, or those that an auditor is assigned to. */
export function requireCaseVisibility(
  principal: Principal | undefined,
  foreignId: string,
): {
  readonly organizationId: Id<'org'>;
  readonly applicationId: Id<'app'>;
  readonly visible: CaseVisibility;
} {
  const { user, applicationId } = requireSomeApplicationPermission(principal, foreignId, [
    ['administrator', 'cases:approve_creation'],
    ['administrator', 'cases:list'],
    ['auditor', 'reports:view_transactions'],
  ]);
  const seesAll =
    holdsApplicationPermission(user, applicationId, 'administrator', 'cases:approve_creation') ||
    holdsApplicationPermission(user, applicationId, 'administrator', 'cases:list');
  return {
    organizationId: user.organizationId,
    applicationId,
    visible: seesAll ? 'all' : { auditorId: user.userId },
  };
}

/** Whose requests the caller may see: all, as who decides them, or an auditor's own. */
export function requireRequestVisibility(
  principal: Principal | undefined,
  foreignId: string,
): {
  readonly organizationId: Id<'org'>;
  readonly applicationId: Id<'app'>;
  readonly visible: CaseRequestVisibility;
} {
  const { user, applicationId } = requireSomeApplicationPermission(principal, foreignId, [
    ['administrator', 'cases:approve_creation'],
    ['auditor', 'cases:create'],
    ['auditor', 'cases:withdraw_pending_request'],
  ]);
  const decides = holdsApplicationPermission(user, applicationId, 'administrator', 'cases:approve_creation');
  return {
    organizationId: user.organizationId,
    applicationId,
    visible: decides ? 'all' : { requestedBy: user.userId },
  };
}
