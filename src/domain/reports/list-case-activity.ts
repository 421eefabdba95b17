import { type ActivityPage, type ListActivityInput, listActivityOf } from '../activity-log/index.js';
import { requireCaseAccess } from '../cases/index.js';
import type { Foundation } from '../../platform/database/index.js';
import type { Principal } from '../access/index.js';

export interface ListCaseActivityInput extends Omit<ListActivityInput, 'foreignId' | 'caseId'> {
  readonly foreignId: string;
  readonly caseId: string;
}

/** The activity of a case that the caller is assigned to, inside its window; newest first. */
export async function listCaseActivity(
  foundation: Foundation,
  principal: Principal | undefined,
  { foreignId, caseId, ...input }: ListCaseActivityInput,
): Promise<ActivityPage> {
  const access = await requireCaseAccess(
    foundation,
    principal,
    { foreignId, caseId },
    'reports:view_transactions',
  );
  const { user, applicationId, case: record } = access;
  const scope = { organizationId: user.organizationId, applicationId, caseId: record.id };
  return listActivityOf(foundation, scope, input);
}
