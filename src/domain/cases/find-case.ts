import type { Foundation } from '../../platform/database/index.js';
import { type Connection, connectionOf } from '../../platform/kernel/paging/connection.type.js';
import { parseOptionalOneOf } from '../../platform/kernel/enums/enums.js';
import { notFound } from '../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../platform/kernel/ids.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../platform/kernel/paging/paging.js';
import type { Principal } from '../access/index.js';
import { requireCaseVisibility } from './case-access.js';
import { type CaseRecord, selectCases } from './case.js';
import { CASE_STATUSES } from './case-window.js';

export interface ListCasesInput extends PageInput {
  /** The default is all applications where the caller may see cases. */
  readonly foreignId?: string | null | undefined;
  readonly status?: string | null | undefined;
}

/** The case, if the caller may see it now; otherwise `NOT_FOUND`. Without `foreignId`, a case of any application. */
export async function findCase(
  { database, clock }: Foundation,
  principal: Principal | undefined,
  { foreignId, id }: { readonly foreignId?: string | null | undefined; readonly id: string },
): Promise<CaseRecord> {
  const visibility = requireCaseVisibility(principal, foreignId);
  const caseId = parseIdOrNotFound('cas', id);
  const [found] = await selectCases(database, { ...visibility, id: caseId, at: clock.now() });
  if (!found) throw notFound('case');
  return found;
}

/** The cases that the caller may see now, newest first. */
export async function listCases(
  { database, clock }: Foundation,
  principal: Principal | undefined,
  input: ListCasesInput,
): Promise<Connection<CaseRecord>> {
  const visibility = requireCaseVisibility(principal, input.foreignId);
  const application = input.foreignId == null ? null : visibility.applications[0]!.applicationId;
  const {
    cursors,
    limit,
    after: before,
    status,
  } = parsePage(input, 'string', ({ status = null }) => cursorsFor('cases', { application, status }), {
    status: () => parseOptionalOneOf('status', CASE_STATUSES, input.status),
  });
  const rows = await selectCases(database, {
    ...visibility,
    status,
    before,
    at: clock.now(),
    limit: limit + 1,
  });
  return connectionOf(pageOf(rows, limit), ({ id }) => cursors.encode(id));
}
