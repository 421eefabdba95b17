import type { ExpressionBuilder } from 'kysely';
import {
  aliasedColumnsOf,
  idsThatFit,
  query,
  type Reader,
  type RowOf,
  sql,
  type Tables,
} from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { Person } from '../access/index.js';
import { CaseEntity } from './case.entity.js';
import { caseStatusAt, secondsLeftAt, type CaseStatus } from './case-window.js';
import { auditorsOfCase } from './people.js';
import { byVisibility, type VisibleIn } from './visible-in.js';

/** An approved case. Its status depends on `expiresAt` and the time. */
export interface CaseRecord extends RowOf<typeof CaseEntity> {
  /** The foreignId of the application. */
  readonly foreignId: string;
  readonly auditors: readonly Person[];
  /** Both as of the time of reading. */
  readonly status: CaseStatus;
  readonly secondsLeft: number;
}

/** All cases, or the cases that an auditor is assigned to while their window is open. */
export type CaseVisibility = 'all' | { readonly auditorId: Id<'usr'> };

export interface CaseSelection extends VisibleIn<CaseVisibility> {
  /** The time at which windows are evaluated. */
  readonly at: Date;
  readonly id?: Id<'cas'>;
  readonly status?: CaseStatus | undefined;
  /** Ids below this one, because listings are newest first. */
  readonly before?: string | undefined;
  /** Changes after this one, oldest first, for followers. */
  readonly afterChange?: number;
  readonly limit?: number;
}

/** The cases that the caller may see, newest first. */
export async function selectCases(reader: Reader, selection: CaseSelection): Promise<CaseRecord[]> {
  const { at, afterChange, limit = 1 } = selection;
  const rows = await reader.rows(
    visibleCases(selection)
      .innerJoin('applications', 'applications.id', 'cases.application_id')
      .select(aliasedColumnsOf('cases', CaseEntity, PLAIN))
      .select((cases) => [
        cases.cast<string>('cases.period_from', 'text').as('periodFrom'),
        cases.cast<string>('cases.period_to', 'text').as('periodTo'),
        'applications.foreign_id as foreignId',
        auditorsOfCase(cases).as('auditors'),
      ])
      .$if(afterChange === undefined && limit > 1, (cases) =>
        cases.where('cases.id', 'in', idsThatFit<Id<'cas'>>(pageOfIds(selection))),
      )
      .orderBy(
        afterChange === undefined ? 'cases.id' : 'cases.change',
        afterChange === undefined ? 'desc' : 'asc',
      )
      .limit(limit),
  );
  return rows.map((row) => ({
    ...row,
    status: caseStatusAt(row.expiresAt, at),
    secondsLeft: secondsLeftAt(row.expiresAt, at),
  }));
}

const visibleCases = ({ organizationId, applications, id, at, status, before, afterChange }: CaseSelection) =>
  query
    .selectFrom('cases')
    .where('cases.organization_id', '=', organizationId)
    .where((cases) =>
      cases.or(
        byVisibility({ applications }).map(({ applicationIds, visible }) =>
          cases.and([
            cases('cases.application_id', 'in', applicationIds),
            ...(visible === 'all' ? [] : [openTo(visible, at)(cases)]),
          ]),
        ),
      ),
    )
    .$if(id !== undefined, (cases) => cases.where('cases.id', '=', id!))
    // Access ends at the instant of expiry. Both sides have milliseconds.
    .$if(status === 'active', (cases) => cases.where('cases.expires_at', '>', at))
    .$if(status === 'expired', (cases) => cases.where('cases.expires_at', '<=', at))
    .$if(before !== undefined, (cases) => cases.where('cases.id', '<', before as Id<'cas'>))
    .$if(afterChange !== undefined, (cases) => cases.where('cases.change', '>', afterChange!));

/** The page is selected before its rows are read, because each row can name a thousand assets. */
const pageOfIds = (selection: CaseSelection) =>
  visibleCases(selection)
    .select(['cases.id', sql<number>`cardinality(cases.asset_ids)`.as('items')])
    .orderBy('cases.id', 'desc')
    .limit(selection.limit ?? 1);

// The driver would read a date in the machine's time zone.
const PLAIN = [
  ...([
    'id',
    'organizationId',
    'applicationId',
    'requestId',
    'reason',
    'accessDays',
    'disclosureFlags',
  ] as const),
  ...(['assetIds', 'approvedBy', 'createdAt', 'expiresAt', 'change'] as const),
  ...(['endedAt', 'endedBy', 'endReason'] as const),
] as const;

const openTo =
  ({ auditorId }: { readonly auditorId: Id<'usr'> }, at: Date) =>
  (cases: ExpressionBuilder<Tables, 'cases'>) =>
    cases.and([
      cases('cases.expires_at', '>', at),
      cases.exists(
        cases
          .selectFrom('case_auditors')
          .select('case_auditors.case_id')
          .whereRef('case_auditors.case_id', '=', 'cases.id')
          .where('case_auditors.user_id', '=', auditorId),
      ),
    ]);
