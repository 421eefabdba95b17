import type { ReadableEntry } from '../activity-log/index.js';
import { listActivityOf, type ListActivityInput } from '../auditors-log/index.js';
import { requireCaseAccess } from '../cases/index.js';
import type { Foundation } from '../database/index.js';
import type { Connection } from '../kernel/connection.type.js';
import type { Principal } from '../organizations/index.js';

export interface ListCaseActivityInput extends Omit<ListActivityInput, 'application' | 'caseId'> {
  readonly application: string;
  readonly caseId: string;
}

/** The activity of a case that the caller is assigned to, inside its window; newest first. */
export async function listCaseActivity(
  foundation: Foundation,
  principal: Principal | undefined,
  { application, caseId, ...input }: ListCaseActivityInput,
): Promise<Connection<ReadableEntry>> {
  const access = await requireCaseAccess(
    foundation,
    principal,
    application,
    caseId,
    'reports:view_transactions',
  );
  const { user, applicationId, case: of } = access;
  const scope = { organizationId: user.organizationId, applicationId, caseId: of.id };
  return listActivityOf(foundation, scope, input);
}
