import { sql, type Foundation } from '#lucarne/platform/database/index.js';
import { newId, type Id } from '#lucarne/platform/kernel/ids.js';

const DAY_MS = 86_400_000;

export interface CasePlan {
  readonly organizationId: Id<'org'>;
  readonly applicationId: Id<'app'>;
  readonly assetId: Id<'ast'>;
  /** The auditor of the case, who may make its reports. */
  readonly userId: Id<'usr'>;
  /** Midnight at the start of its first day. */
  readonly begin: Date;
  readonly days: number;
}

/** An approved case with access to everything. One case of each length may be opened. */
export async function openCase({ database }: Foundation, plan: CasePlan): Promise<Id<'cas'>> {
  const { organizationId, applicationId, assetId, userId, begin, days } = plan;
  const [caseId, requestId] = [newId('cas'), newId('crq')];
  const flags = JSON.stringify({ fullTxIds: true, senderInformation: true, withdrawalDetails: true });
  const day = (at: number) => new Date(begin.getTime() + at * DAY_MS).toISOString().slice(0, 10);
  const [from, to] = [day(0), day(days - 1)];
  // The database is asked again when a report is made.
  await database.rows(sql`
    insert into permission_grants (organization_id, user_id, application_id, bucket, permission)
    select ${organizationId}, ${userId}, ${applicationId}, 'auditor', permission
    from unnest('{reports:create,reports:download,reports:view_transactions}'::text[]) as permission
    on conflict do nothing`);
  await database.rows(sql`
    insert into case_requests (id, organization_id, application_id, status, reason, requested_by, period_from, period_to,
      access_days, disclosure_flags, auditor_ids, asset_ids, created_at, decided_at, decided_by, case_id, change)
    values (${requestId}, ${organizationId}, ${applicationId}, 'approved', 'Measured', ${userId}, ${from}, ${to}, 30,
      ${flags}::jsonb, ${[userId]}, ${[assetId]}, now(), now(), ${userId}, ${caseId}, ${days})`);
  await database.rows(sql`
    insert into cases (id, organization_id, application_id, request_id, reason, period_from, period_to, access_days,
      disclosure_flags, asset_ids, approved_by, created_at, expires_at, change)
    values (${caseId}, ${organizationId}, ${applicationId}, ${requestId}, 'Measured', ${from}, ${to}, 30,
      ${flags}::jsonb, ${[assetId]}, ${userId}, now(), now() + interval '30 days', ${1_000 + days})`);
  await database.rows(sql`insert into case_auditors (case_id, user_id) values (${caseId}, ${userId})`);
  return caseId;
}
