import type { Foundation } from '../../../platform/database/index.js';
import {
  connectionOf,
  counted,
  type CountedConnection,
} from '../../../platform/kernel/paging/connection.type.js';
import { parseOptionalOneOf } from '../../../platform/kernel/enums/enums.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../../platform/kernel/paging/paging.js';
import { type Principal, requireApplicationsWith } from '../../access/index.js';
import { requireRequestVisibility } from '../case-access.js';
import {
  type CaseRequest,
  type CaseRequestVisibility,
  countCaseRequests,
  selectCaseRequests,
} from './case-request.js';
import { CASE_REQUEST_STATUSES } from './case-request-state.js';
import { findVisibleRequest } from './decide-case-request.js';
import type { VisibleIn } from '../visible-in.js';

export interface ListCaseRequestsInput extends PageInput {
  /** The default is all applications where the caller may see requests. */
  readonly foreignId?: string | null | undefined;
  readonly oldestFirst?: boolean | null | undefined;
  readonly status?: string | null | undefined;
}

/** The request, if the caller may see it; otherwise `NOT_FOUND`. Without `foreignId`, a request of any application. */
export async function findCaseRequest(
  { database }: Foundation,
  principal: Principal | undefined,
  { foreignId, id }: { readonly foreignId?: string | null | undefined; readonly id: string },
): Promise<CaseRequest> {
  return findVisibleRequest(database, requireRequestVisibility(principal, foreignId), id);
}

/** The requests that the caller may see, newest first: all for those who decide them, otherwise the caller's own. */
export async function listCaseRequests(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListCaseRequestsInput,
): Promise<CountedConnection<CaseRequest>> {
  return listVisible(foundation, requireRequestVisibility(principal, input.foreignId), input);
}

/** All requests, for those who decide them. */
export async function listDisclosureRegistry(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListCaseRequestsInput,
): Promise<CountedConnection<CaseRequest>> {
  const { user, applicationIds } = requireApplicationsWith(principal, input.foreignId, [
    ['administrator', 'cases:approve_creation'],
  ]);
  const applications = applicationIds.map((applicationId) => ({ applicationId, visible: 'all' as const }));
  return listVisible(foundation, { organizationId: user.organizationId, applications }, input);
}

async function listVisible(
  { database }: Foundation,
  visibility: VisibleIn<CaseRequestVisibility>,
  input: ListCaseRequestsInput,
): Promise<CountedConnection<CaseRequest>> {
  const oldestFirst = input.oldestFirst ?? false;
  const application = input.foreignId == null ? null : visibility.applications[0]!.applicationId;
  const {
    cursors,
    limit,
    after: afterId,
    status,
  } = parsePage(
    input,
    'string',
    ({ status = null }) =>
      cursorsFor('caseRequests', { application, status, ...(oldestFirst ? { oldestFirst } : {}) }),
    { status: () => parseOptionalOneOf('status', CASE_REQUEST_STATUSES, input.status) },
  );
  const selection = { ...visibility, status, oldestFirst };
  const rows = await selectCaseRequests(database, { ...selection, afterId, limit: limit + 1 });
  return counted(
    connectionOf(pageOf(rows, limit), ({ id }) => cursors.encode(id)),
    () => countCaseRequests(database, selection),
  );
}
