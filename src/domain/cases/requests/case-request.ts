import type { ExpressionBuilder } from 'kysely';
import {
  aliasedColumnsOf,
  idsThatFit,
  query,
  type Reader,
  type RowOf,
  sql,
  type Tables,
} from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { Person } from '../../access/index.js';
import { CaseRequestEntity } from '../case.entity.js';
import { peopleWith } from '../people.js';
import { byVisibility, type VisibleIn } from '../visible-in.js';
import type { CaseRequestStatus } from './case-request-state.js';

/** A request of an auditor, and its decision. */
export interface CaseRequest extends Omit<RowOf<typeof CaseRequestEntity>, 'requestedBy'> {
  readonly requestedBy: Person;
  readonly auditors: readonly Person[];
  /** When the access of the approved case ends or ended. */
  readonly caseEndsAt: Date | null;
}

/** All requests, or those of one user. */
export type CaseRequestVisibility = 'all' | { readonly requestedBy: Id<'usr'> };

export interface CaseRequestSelection extends VisibleIn<CaseRequestVisibility> {
  readonly id?: Id<'crq'>;
  readonly status?: CaseRequestStatus | undefined;
  /** Listings are newest first, unless this is true. */
  readonly oldestFirst?: boolean;
  /** Only requests after the one with this id, in the order of the listing. */
  readonly afterId?: string | undefined;
  /** Changes after this one, oldest first, for followers. */
  readonly afterChange?: number;
  readonly limit?: number;
}

/** The requests that the caller may see, newest first. */
export async function selectCaseRequests(
  reader: Reader,
  selection: CaseRequestSelection,
): Promise<CaseRequest[]> {
  const { oldestFirst = false, afterId, afterChange, limit = 1 } = selection;
  const rows = await reader.rows(
    visibleRequests(selection)
      .select(aliasedColumnsOf('case_requests', CaseRequestEntity, PLAIN))
      .select((requests) => [
        requests.cast<string>('case_requests.period_from', 'text').as('periodFrom'),
        requests.cast<string>('case_requests.period_to', 'text').as('periodTo'),
        peopleWith((users) => users('users.id', '=', requests.ref('case_requests.requested_by'))).as(
          'requesters',
        ),
        peopleWith((users) =>
          users('users.id', '=', sql<Id<'usr'>>`any(${requests.ref('case_requests.auditor_ids')})`),
        ).as('auditors'),
        requests
          .selectFrom('cases')
          .select('cases.expires_at')
          .whereRef('cases.id', '=', 'case_requests.case_id')
          .as('caseEndsAt'),
      ])
      .$if(afterChange === undefined && limit > 1, (requests) =>
        requests.where('id', 'in', idsThatFit<Id<'crq'>>(pageOfIds(selection))),
      )
      .$if(afterId !== undefined, (requests) => requests.where(isAfter(selection)))
      .$if(afterChange !== undefined, (requests) => requests.where('change', '>', afterChange!))
      .orderBy(
        afterChange === undefined ? 'id' : 'change',
        afterChange === undefined && !oldestFirst ? 'desc' : 'asc',
      )
      .limit(limit),
  );
  return rows.map(({ requesters, ...request }) => ({ ...request, requestedBy: requesters[0]! }));
}

const isAfter =
  ({ oldestFirst = false, afterId }: CaseRequestSelection) =>
  (requests: ExpressionBuilder<Tables, 'case_requests'>) =>
    requests('id', oldestFirst ? '>' : '<', afterId as Id<'crq'>);

/** The page is selected before its rows are read, because each row can name a hundred auditors and a thousand assets. */
const pageOfIds = (selection: CaseRequestSelection) =>
  visibleRequests(selection)
    .select(['id', sql<number>`cardinality(asset_ids) + cardinality(auditor_ids)`.as('items')])
    .$if(selection.afterId !== undefined, (requests) => requests.where(isAfter(selection)))
    .orderBy('id', (selection.oldestFirst ?? false) ? 'asc' : 'desc')
    .limit(selection.limit ?? 1);

/** The number of requests that the caller may see. */
export async function countCaseRequests(reader: Reader, selection: CaseRequestSelection): Promise<number> {
  const [row] = await reader.rows(
    visibleRequests(selection).select(({ fn }) => fn.countAll<number>().as('count')),
  );
  return row?.count ?? 0;
}

const visibleRequests = ({ organizationId, applications, id, status }: CaseRequestSelection) =>
  query
    .selectFrom('case_requests')
    .where('organization_id', '=', organizationId)
    .where((requests) =>
      requests.or(
        byVisibility({ applications }).map(({ applicationIds, visible }) =>
          requests.and([
            requests('application_id', 'in', applicationIds),
            ...(visible === 'all' ? [] : [requests('requested_by', '=', visible.requestedBy)]),
          ]),
        ),
      ),
    )
    .$if(id !== undefined, (requests) => requests.where('id', '=', id!))
    .$if(status !== undefined, (requests) => requests.where('status', '=', status!));

// The driver would read a date in the machine's time zone.
const PLAIN = [
  ...(['id', 'organizationId', 'applicationId', 'status', 'withdrawn', 'reason', 'accessDays'] as const),
  ...(['disclosureFlags', 'auditorIds', 'assetIds', 'createdAt', 'decidedAt', 'decidedBy'] as const),
  ...(['decisionReason', 'caseId', 'change'] as const),
] as const;
