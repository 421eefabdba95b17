import type { Foundation } from '../database/index.js';
import { badUserInput, notFound } from '../kernel/errors.js';
import { connectionOf, type Connection } from '../kernel/connection.type.js';
import { locateId } from '../kernel/ids.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import type { Principal } from '../organizations/index.js';
import { requireCaseVisibility } from './case-access.js';
import { selectCases, type CaseRecord } from './case.js';
import { CASE_STATUSES } from './case-window.js';

export interface ListCasesInput {
  readonly application: string;
  readonly status?: string | null | undefined;
  /** 1 to 200; 50 when absent. */
  readonly first?: number | null | undefined;
  /** The cursor to go on behind. */
  readonly after?: string | null | undefined;
}

/** The case, when the caller may see it now; otherwise it is as if it were not there. */
export async function findCase(
  { database, clock }: Foundation,
  principal: Principal | undefined,
  foreignId: string,
  caseId: string,
): Promise<CaseRecord> {
  const whose = requireCaseVisibility(principal, foreignId);
  const id = locateId('cas', caseId);
  const [found] = await selectCases(database, { ...whose, id, at: clock.now() });
  if (!found) throw notFound('case');
  return found;
}

/** The cases that the caller may see now, newest first. */
export async function listCases(
  { database, clock }: Foundation,
  principal: Principal | undefined,
  input: ListCasesInput,
): Promise<Connection<CaseRecord>> {
  const whose = requireCaseVisibility(principal, input.application);
  const limit = parseLimit('first', input.first);
  const status = CASE_STATUSES.find((known) => known === input.status);
  if (input.status != null && !status) {
    throw badUserInput(`status must be one of ${CASE_STATUSES.join(', ')}.`);
  }
  const cursors = cursorsFor('cases', { application: whose.applicationId, status: status ?? null });
  const before = input.after == null ? undefined : cursors.decode('string', 'after', input.after);
  const rows = await selectCases(database, {
    ...whose,
    status,
    before,
    at: clock.now(),
    limit: limit + 1,
  });
  return connectionOf(pageOf(rows, limit), ({ id }) => cursors.encode(id));
}
