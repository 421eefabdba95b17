import type { Foundation } from '../database/index.js';
import { badUserInput } from '../kernel/errors.js';
import { connectionOf, type Connection } from '../kernel/connection.type.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import { requireApplicationPermission, type Principal } from '../organizations/index.js';
import { requireRequestVisibility } from './case-access.js';
import { selectCaseRequests, type CaseRequest, type CaseRequestSelection } from './case-request.js';
import { CASE_REQUEST_STATUSES } from './case-request-state.js';
import { locateRequest } from './decide-case-request.js';

export interface ListCaseRequestsInput {
  readonly application: string;
  readonly status?: string | null | undefined;
  /** 1 to 200; 50 when absent. */
  readonly first?: number | null | undefined;
  /** The cursor to go on behind. */
  readonly after?: string | null | undefined;
}

export async function findCaseRequest(
  { database }: Foundation,
  principal: Principal | undefined,
  foreignId: string,
  requestId: string,
): Promise<CaseRequest> {
  return locateRequest(database, requireRequestVisibility(principal, foreignId), requestId);
}

/** The requests that the caller may see, newest first: all for who decides them, an auditor's own for others. */
export async function listCaseRequests(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListCaseRequestsInput,
): Promise<Connection<CaseRequest>> {
  return listed(foundation, requireRequestVisibility(principal, input.application), input);
}

/** Every request of the application, for who decides them. */
export async function listDisclosureRegistry(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListCaseRequestsInput,
): Promise<Connection<CaseRequest>> {
  const { user, applicationId } = requireApplicationPermission(
    principal,
    input.application,
    'administrator',
    'cases:approve_creation',
  );
  return listed(foundation, { organizationId: user.organizationId, applicationId, visible: 'all' }, input);
}

async function listed(
  { database }: Foundation,
  whose: Pick<CaseRequestSelection, 'organizationId' | 'applicationId' | 'visible'>,
  input: ListCaseRequestsInput,
): Promise<Connection<CaseRequest>> {
  const limit = parseLimit('first', input.first);
  const status = CASE_REQUEST_STATUSES.find((known) => known === input.status);
  if (input.status != null && !status) {
    throw badUserInput(`status must be one of ${CASE_REQUEST_STATUSES.join(', ')}.`);
  }
  const cursors = cursorsFor('caseRequests', { application: whose.applicationId, status: status ?? null });
  const before = input.after == null ? undefined : cursors.decode('string', 'after', input.after);
  const rows = await selectCaseRequests(database, { ...whose, status, before, limit: limit + 1 });
  return connectionOf(pageOf(rows, limit), ({ id }) => cursors.encode(id));
}
