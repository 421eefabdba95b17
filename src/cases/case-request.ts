import { all, sql, type Reader } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import { people, type CasePerson } from './case.js';
import type { CaseRequestStatus } from './case-request-state.js';
import type { DisclosureFlags } from './disclosure-flags.js';

/** What an auditor asked for, and what was decided about it. */
export interface CaseRequest {
  readonly id: Id<'crq'>;
  readonly organizationId: Id<'org'>;
  readonly applicationId: Id<'app'>;
  readonly status: CaseRequestStatus;
  /** Whether it was closed by the requester. */
  readonly withdrawn: boolean;
  readonly reason: string;
  readonly requestedBy: CasePerson;
  /** ISO 8601 dates in UTC; both days are covered whole. */
  readonly periodFrom: string;
  readonly periodTo: string;
  readonly accessDays: number;
  readonly disclosureFlags: DisclosureFlags;
  readonly auditorIds: readonly Id<'usr'>[];
  readonly auditors: readonly CasePerson[];
  readonly assetIds: readonly Id<'ast'>[];
  readonly createdAt: Date;
  readonly decidedAt: Date | null;
  readonly decidedBy: Id<'usr'> | null;
  readonly decisionReason: string | null;
  readonly caseId: Id<'cas'> | null;
  /** The place of its last change among those of the application's requests and cases. */
  readonly change: number;
}

/** Whose requests: everybody's, or one user's own. */
export type CaseRequestVisibility = 'all' | { readonly requestedBy: Id<'usr'> };

export interface CaseRequestSelection {
  readonly organizationId: Id<'org'>;
  readonly applicationId: Id<'app'>;
  readonly visible: CaseRequestVisibility;
  readonly id?: Id<'crq'>;
  readonly status?: CaseRequestStatus | undefined;
  /** Ids below this one: listings go from the newest to the oldest. */
  readonly before?: string | undefined;
  /** Changes behind this one, oldest first: for those who follow them. */
  readonly behindChange?: number;
  readonly limit?: number;
}

/** The application's requests that may be seen, newest first. */
export function selectCaseRequests(reader: Reader, selection: CaseRequestSelection): Promise<CaseRequest[]> {
  const { visible, id, status, before, behindChange } = selection;
  return reader.rows(sql<CaseRequest>`
    select id, organization_id as "organizationId", application_id as "applicationId", status, withdrawn, reason,
      ${people(sql`case_requests.requested_by`)} -> 0 as "requestedBy",
      period_from::text as "periodFrom", period_to::text as "periodTo", access_days as "accessDays",
      disclosure_flags as "disclosureFlags", auditor_ids as "auditorIds",
      ${people(sql`select unnest(case_requests.auditor_ids)`)} as auditors, asset_ids as "assetIds",
      created_at as "createdAt", decided_at as "decidedAt", decided_by as "decidedBy",
      decision_reason as "decisionReason", case_id as "caseId", change
    from case_requests
    where ${all([
      sql`organization_id = ${selection.organizationId}`,
      sql`application_id = ${selection.applicationId}`,
      visible === 'all' ? undefined : sql`requested_by = ${visible.requestedBy}`,
      id === undefined ? undefined : sql`id = ${id}`,
      status === undefined ? undefined : sql`status = ${status}`,
      before === undefined ? undefined : sql`id < ${before}`,
      behindChange === undefined ? undefined : sql`change > ${behindChange}`,
    ])}
    order by ${behindChange === undefined ? sql`id desc` : sql`change`} limit ${selection.limit ?? 1}`);
}
