import { all, sql, type Reader } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import type { DisclosureFlags } from './disclosure-flags.js';
import { caseStatusAt, secondsLeftAt, type CaseStatus } from './case-window.js';

/** A person as those see them who work on the same case. */
export interface CasePerson {
  readonly id: Id<'usr'>;
  readonly name: string;
  readonly email: string;
}

/** An approved case. It never changes; whether it is active follows from `expiresAt` and the time. */
export interface CaseRecord {
  readonly id: Id<'cas'>;
  readonly organizationId: Id<'org'>;
  readonly applicationId: Id<'app'>;
  /** The name of the application for the outside. */
  readonly foreignId: string;
  readonly requestId: Id<'crq'>;
  readonly reason: string;
  /** ISO 8601 dates in UTC; both days are covered whole. */
  readonly periodFrom: string;
  readonly periodTo: string;
  readonly accessDays: number;
  readonly disclosureFlags: DisclosureFlags;
  readonly auditors: readonly CasePerson[];
  readonly assetIds: readonly Id<'ast'>[];
  readonly approvedBy: Id<'usr'>;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Both at the moment it was read. */
  readonly status: CaseStatus;
  readonly secondsLeft: number;
  /** Its place among the changes of the application's requests and cases. */
  readonly change: number;
}

/** Whose cases: everybody's, or those that an auditor is assigned to while their window is open. */
export type CaseVisibility = 'all' | { readonly auditorId: Id<'usr'> };

export interface CaseSelection {
  readonly organizationId: Id<'org'>;
  readonly applicationId: Id<'app'>;
  readonly visible: CaseVisibility;
  /** The moment at which windows are open or over. */
  readonly at: Date;
  readonly id?: Id<'cas'>;
  readonly status?: CaseStatus | undefined;
  /** Ids below this one: listings go from the newest to the oldest. */
  readonly before?: string | undefined;
  /** Changes behind this one, oldest first: for those who follow them. */
  readonly behindChange?: number;
  readonly limit?: number;
}

/** The application's cases that may be seen, newest first. */
export async function selectCases(reader: Reader, selection: CaseSelection): Promise<CaseRecord[]> {
  const { id, at, status, before, behindChange } = selection;
  const rows = await reader.rows(sql<Omit<CaseRecord, 'status' | 'secondsLeft'>>`
    select cases.id, cases.organization_id as "organizationId", cases.application_id as "applicationId",
      applications.foreign_id as "foreignId", request_id as "requestId", reason,
      period_from::text as "periodFrom", period_to::text as "periodTo", access_days as "accessDays",
      disclosure_flags as "disclosureFlags", asset_ids as "assetIds", approved_by as "approvedBy",
      cases.created_at as "createdAt", expires_at as "expiresAt", change, ${people(sql`
        select user_id from case_auditors where case_id = cases.id`)} as auditors
    from cases join applications on applications.id = cases.application_id
    where ${all([
      sql`cases.organization_id = ${selection.organizationId}`,
      sql`cases.application_id = ${selection.applicationId}`,
      id === undefined ? undefined : sql`cases.id = ${id}`,
      visibleTo(selection.visible, at),
      status === undefined ? undefined : status === 'active' ? openAt(at) : sql`not ${openAt(at)}`,
      before === undefined ? undefined : sql`cases.id < ${before}`,
      behindChange === undefined ? undefined : sql`change > ${behindChange}`,
    ])}
    order by ${behindChange === undefined ? sql`cases.id desc` : sql`change`} limit ${selection.limit ?? 1}`);
  return rows.map((row) => ({
    ...row,
    status: caseStatusAt(row.expiresAt, at),
    secondsLeft: secondsLeftAt(row.expiresAt, at),
  }));
}

/** The users of these ids as a JSON array of `CasePerson`. */
export function people(ids: ReturnType<typeof sql>) {
  return sql`(select coalesce(
    jsonb_agg(jsonb_build_object('id', users.id, 'name', users.name, 'email', users.email) order by users.id), '[]')
    from users where users.id in (${ids}))`;
}

function visibleTo(visible: CaseVisibility, at: Date) {
  if (visible === 'all') return undefined;
  return sql`(${openAt(at)} and exists (
    select 1 from case_auditors where case_id = cases.id and user_id = ${visible.auditorId}))`;
}

// Access ends at the instant of expiry, which is outside. Both are stored and compared in milliseconds.
const openAt = (at: Date) => sql`(expires_at > ${at})`;
