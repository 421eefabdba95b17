import { type FollowOptions, followPositions, type Foundation } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import { invalidMember } from '../../platform/kernel/errors.js';
import { cursorsFor, type CursorSealer } from '../../platform/kernel/paging/paging.js';
import type { Principal } from '../access/index.js';
import { requireCaseVisibility, requireRequestVisibility } from './case-access.js';
import { casesTopic, latestChanges } from './case-changes.js';
import { type CaseRequest, selectCaseRequests } from './requests/case-request.js';
import { type CaseRecord, selectCases } from './case.js';
import type { VisibleIn } from './visible-in.js';

/** A request after its last change, with the cursor of that change. */
export interface CaseRequestChange {
  readonly cursor: string;
  readonly request: CaseRequest;
}

/** A case after its last change, with the cursor of that change. */
export interface CaseChange {
  readonly cursor: string;
  readonly case: CaseRecord;
}

export interface FollowInput {
  /** The default is all applications where the caller may see some. */
  readonly foreignId?: string | null | undefined;
  readonly after?: string | null | undefined;
}

/** Each change is read when it is sent, so a case whose window has closed by then is not sent. */
const BATCH_SIZE = 1;

/** Follows the requests that the caller may see, after a cursor or from now on. Sends only the last state of each. */
export async function followCaseRequests(
  foundation: Foundation,
  principal: Principal | undefined,
  input: FollowInput,
  options: FollowOptions = {},
): Promise<AsyncGenerator<CaseRequestChange, void, undefined>> {
  const visibility = requireRequestVisibility(principal, input.foreignId);
  return followChanges(foundation, 'caseRequestChanges', visibility, input, options, {
    read: (visible, selection) => selectCaseRequests(foundation.database, { ...visible, ...selection }),
    eventOf: (cursor, request) => ({ cursor, request }),
  });
}

/** Follows the cases that the caller may see when each is sent. */
export async function followCases(
  foundation: Foundation,
  principal: Principal | undefined,
  input: FollowInput,
  options: FollowOptions = {},
): Promise<AsyncGenerator<CaseChange, void, undefined>> {
  const { clock, database } = foundation;
  const visibility = requireCaseVisibility(principal, input.foreignId);
  return followChanges(foundation, 'caseChanges', visibility, input, options, {
    read: (visible, selection) => selectCases(database, { ...visible, ...selection, at: clock.now() }),
    eventOf: (cursor, found) => ({ cursor, case: found }),
  });
}

/** The last sent change of each application. */
type ChangesSent = ReadonlyMap<Id<'app'>, number>;

interface Changed {
  readonly applicationId: Id<'app'>;
  readonly change: number;
}

async function followChanges<Visibility, Row extends Changed, Event>(
  { database, signals, sealer }: Foundation,
  listing: string,
  visibility: VisibleIn<Visibility>,
  { foreignId, after }: FollowInput,
  options: FollowOptions,
  {
    read,
    eventOf,
  }: {
    readonly read: (
      visible: VisibleIn<Visibility>,
      selection: { readonly afterChange: number; readonly limit: number },
    ) => Promise<readonly Row[]>;
    readonly eventOf: (cursor: string, row: Row) => Event;
  },
): Promise<AsyncGenerator<Event, void, undefined>> {
  const { organizationId, applications } = visibility;
  const cursors = changeCursors(listing, organizationId, foreignId == null ? null : applications, sealer);
  const sent = after == null ? undefined : cursors.decode(after);
  const applicationIds = applications.map(({ applicationId }) => applicationId);
  const latest = () => latestChanges(database, organizationId, applicationIds);
  const changes = await latest();
  const start = new Map(applicationIds.map((id) => [id, sent?.get(id) ?? changes.get(id) ?? 0]));
  // For each application, the change up to which nothing is left to send. Most polls find most applications unchanged.
  const passed = new Map<Id<'app'>, number>();
  return followPositions<Event, ChangesSent>(
    signals,
    {
      topics: applications.map(({ applicationId }) => casesTopic(applicationId)),
      after: start,
      batch: BATCH_SIZE,
      async read(position, limit) {
        const newest = await latest();
        for (const application of applications) {
          const { applicationId } = application;
          const afterChange = position.get(applicationId) ?? 0;
          const change = newest.get(applicationId) ?? 0;
          if (change <= Math.max(afterChange, passed.get(applicationId) ?? 0)) continue;
          const selection = { afterChange, limit };
          const rows = await read({ organizationId, applications: [application] }, selection);
          const reached = new Map(position);
          if (rows.length > 0)
            return rows.map((row) => {
              reached.set(applicationId, row.change);
              return { position: new Map(reached), event: eventOf(cursors.encode(reached), row) };
            });
          passed.set(applicationId, change);
        }
        return [];
      },
    },
    options,
  );
}

const CHANGE_DIGITS = 15;
const CHANGE = /^(app_[0-9a-z]{26}):(\d{15})$/;

/**
 * A cursor of one application is the number of a change. A cursor of all applications has a number for each. An application
 * that it does not name is followed from now on. The numbers count changes that the caller may not see, so they are sealed.
 */
function changeCursors(
  listing: string,
  organizationId: Id<'org'>,
  only: readonly { readonly applicationId: Id<'app'> }[] | null,
  sealer: CursorSealer,
) {
  const applicationId = only?.[0]?.applicationId;
  const cursors = cursorsFor(listing, applicationId ?? organizationId, sealer);
  const numberOf = (change: number) => String(change).padStart(CHANGE_DIGITS, '0');
  return {
    encode(sent: ChangesSent): string {
      if (applicationId !== undefined) return cursors.encode(sent.get(applicationId) ?? 0);
      return cursors.encode([...sent].map(([id, change]) => `${id}:${numberOf(change)}`).join(','));
    },
    decode(cursor: string): ChangesSent {
      if (applicationId !== undefined)
        return new Map([[applicationId, cursors.decode('number', 'after', cursor)]]);
      const parts = cursors.decode('string', 'after', cursor).split(',');
      return new Map(
        parts.map((part): [Id<'app'>, number] => {
          const [, id, change] = CHANGE.exec(part) ?? [];
          if (id === undefined) throw invalidMember('after', 'is not a cursor of this subscription');
          return [id as Id<'app'>, Number(change)];
        }),
      );
    },
  };
}
