import { followPositions, type FollowOptions, type Foundation } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import { cursorsFor } from '../kernel/paging.js';
import type { Principal } from '../organizations/index.js';
import { requireCaseVisibility, requireRequestVisibility } from './case-access.js';
import { casesTopic, latestChange } from './case-changes.js';
import { selectCaseRequests, type CaseRequest } from './case-request.js';
import { selectCases, type CaseRecord } from './case.js';

/** A request as its last change left it, with the cursor to go on behind that. */
export interface CaseRequestChange {
  readonly cursor: string;
  readonly request: CaseRequest;
}

/** A case as it was made, with the cursor to go on behind that. */
export interface CaseChange {
  readonly cursor: string;
  readonly case: CaseRecord;
}

export interface FollowInput {
  readonly application: string;
  readonly after?: string | null | undefined;
}

/** One at a time: each is read at the moment it is taken, and shows nothing that is over by then. */
const BATCH = 1;

/** Follows the requests that the caller may see, behind a cursor or from now on. Of several changes the last is shown. */
export async function followCaseRequests(
  foundation: Foundation,
  principal: Principal | undefined,
  input: FollowInput,
  options: FollowOptions = {},
): Promise<AsyncGenerator<CaseRequestChange, void, undefined>> {
  const { database, signals } = foundation;
  const whose = requireRequestVisibility(principal, input.application);
  const cursors = changeCursors('caseRequestChanges', whose.applicationId);
  const behind = await begin(foundation, whose, cursors, input.after);
  return followPositions(
    signals,
    {
      topic: casesTopic(whose.applicationId),
      behind,
      batch: BATCH,
      async read(behindChange, limit) {
        const rows = await selectCaseRequests(database, { ...whose, behindChange, limit });
        return rows.map((request) => ({
          position: request.change,
          event: { cursor: cursors.encode(request.change), request },
        }));
      },
    },
    options,
  );
}

/** Follows the cases that the caller may see at the moment each is read: an auditor none whose window is over. */
export async function followCases(
  foundation: Foundation,
  principal: Principal | undefined,
  input: FollowInput,
  options: FollowOptions = {},
): Promise<AsyncGenerator<CaseChange, void, undefined>> {
  const { clock, database, signals } = foundation;
  const whose = requireCaseVisibility(principal, input.application);
  const cursors = changeCursors('caseChanges', whose.applicationId);
  const behind = await begin(foundation, whose, cursors, input.after);
  return followPositions(
    signals,
    {
      topic: casesTopic(whose.applicationId),
      behind,
      batch: BATCH,
      async read(behindChange, limit) {
        const rows = await selectCases(database, { ...whose, at: clock.now(), behindChange, limit });
        return rows.map((found) => ({
          position: found.change,
          event: { cursor: cursors.encode(found.change), case: found },
        }));
      },
    },
    options,
  );
}

const changeCursors = (listing: string, applicationId: Id<'app'>) => cursorsFor(listing, applicationId);

async function begin(
  { database }: Foundation,
  whose: { readonly organizationId: Id<'org'>; readonly applicationId: Id<'app'> },
  cursors: ReturnType<typeof cursorsFor>,
  after: string | null | undefined,
): Promise<number> {
  return after == null ? latestChange(database, whose) : cursors.decode('number', 'after', after);
}
