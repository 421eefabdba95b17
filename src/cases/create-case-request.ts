import { personal, recordActivity } from '../activity-log/index.js';
import { sql, type Foundation, type Reader } from '../database/index.js';
import { badUserInput } from '../kernel/errors.js';
import { newId, parseId, type Id, type IdPrefix } from '../kernel/ids.js';
import { parseText } from '../kernel/text.js';
import { actorOf, requireApplicationPermission, type Principal } from '../organizations/index.js';
import { takeChange } from './case-changes.js';
import { parsePeriodDates } from './case-period.js';
import { selectCaseRequests, type CaseRequest } from './case-request.js';
import { CaseRequestEntity } from './case.entity.js';
import { describeFlags, parseFlags, type DisclosureFlagsInput } from './disclosure-flags.js';

export interface CreateCaseRequestInput {
  readonly reason: string;
  /** ISO 8601 dates in UTC, both covered whole. */
  readonly periodFrom: string;
  readonly periodTo: string;
  readonly accessDays: number;
  readonly disclosureFlags: DisclosureFlagsInput;
  readonly auditorIds: readonly string[];
  /** Every asset of the application, as they are now, when absent. */
  readonly assetIds?: readonly string[] | null | undefined;
}

export const LONGEST_REASON = 2000;
const MOST_ACCESS_DAYS = 3650;
const MOST_AUDITORS = 100;
const MOST_ASSETS = 1_000;

/** Files a request for a case. It gives access to nothing until an administrator approves it. */
export async function createCaseRequest(
  foundation: Foundation,
  principal: Principal | undefined,
  foreignId: string,
  input: CreateCaseRequestInput,
): Promise<CaseRequest> {
  const { user, applicationId } = requireApplicationPermission(
    principal,
    foreignId,
    'auditor',
    'cases:create',
  );
  const { organizationId } = user;
  const proposed = parseInput(input);
  const { assetIds: chosen, ...parameters } = proposed;

  return foundation.database.transaction(async (transaction) => {
    const auditors = await requireAuditors(transaction, applicationId, proposed.auditorIds);
    const assetIds = await requireAssets(transaction, { organizationId, applicationId, chosen });
    const { change, application } = await takeChange(foundation, transaction, {
      organizationId,
      applicationId,
    });
    const id = newId('crq');
    const now = foundation.clock.now();
    await transaction.em.insert(CaseRequestEntity, {
      id,
      organizationId,
      applicationId,
      status: 'pending',
      withdrawn: false,
      requestedBy: user.userId,
      ...parameters,
      assetIds,
      createdAt: now,
      change,
    });
    await recordActivity(transaction, {
      organizationId,
      eventType: 'case_request.created',
      actor: actorOf(user),
      object: { type: 'case_request', id },
      details: {
        reason: parameters.reason,
        period_from: parameters.periodFrom,
        period_to: parameters.periodTo,
        access_days: parameters.accessDays,
        disclosure_flags: describeFlags(parameters.disclosureFlags),
        auditors: auditors.map(({ id: auditorId, name }) => ({ user_id: auditorId, name: personal(name) })),
        asset_ids: assetIds,
      },
      application,
      at: now,
    });
    const [created] = await selectCaseRequests(transaction, {
      organizationId,
      applicationId,
      id,
      visible: { requestedBy: user.userId },
    });
    if (!created) throw new Error('The case request that was just made cannot be read.');
    return created;
  });
}

function parseInput(input: CreateCaseRequestInput) {
  const { accessDays } = input;
  const reason = parseText('reason', input.reason, LONGEST_REASON);
  const period = parsePeriodDates(input.periodFrom, input.periodTo);
  if (!Number.isInteger(accessDays) || accessDays < 1 || accessDays > MOST_ACCESS_DAYS) {
    throw badUserInput(`accessDays must be an integer from 1 to ${MOST_ACCESS_DAYS}.`);
  }
  return {
    reason,
    ...period,
    accessDays,
    disclosureFlags: parseFlags(input.disclosureFlags),
    auditorIds: parseIds('usr', 'auditorIds', input.auditorIds, MOST_AUDITORS),
    assetIds: input.assetIds == null ? null : parseIds('ast', 'assetIds', input.assetIds, MOST_ASSETS),
  };
}

/** At least one id; the same one named twice counts once. */
function parseIds<P extends IdPrefix>(
  prefix: P,
  member: string,
  values: readonly string[],
  most: number,
): Id<P>[] {
  if (values.length < 1 || values.length > most) throw badUserInput(`${member} must name 1 to ${most}.`);
  return [...new Set(values.map((value, index) => parseId(prefix, `${member}[${index}]`, value)))];
}

async function requireAuditors(
  reader: Reader,
  applicationId: Id<'app'>,
  auditorIds: readonly Id<'usr'>[],
): Promise<{ id: Id<'usr'>; name: string }[]> {
  const found = await reader.rows(sql<{ id: Id<'usr'>; name: string }>`
    select id, name from users where id = any(${[...auditorIds]}::text[]) and exists (
      select 1 from permission_grants
      where user_id = users.id and application_id = ${applicationId} and bucket = 'auditor')`);
  return auditorIds.map((id, index) => {
    const auditor = found.find((user) => user.id === id);
    if (!auditor) {
      throw badUserInput(
        `auditorIds[${index}] must be a user who holds an auditor permission of the application.`,
      );
    }
    return auditor;
  });
}

async function requireAssets(
  reader: Reader,
  of: {
    readonly organizationId: Id<'org'>;
    readonly applicationId: Id<'app'>;
    readonly chosen: readonly Id<'ast'>[] | null;
  },
): Promise<Id<'ast'>[]> {
  const { organizationId, applicationId, chosen } = of;
  const rows = await reader.rows(sql<{ id: Id<'ast'> }>`
    select id from assets
    where organization_id = ${organizationId} and application_id = ${applicationId}
      and ${chosen === null ? sql`true` : sql`id = any(${[...chosen]}::text[])`}
    order by id limit ${MOST_ASSETS + 1}`);
  const ids = rows.map(({ id }) => id);
  if (chosen === null && ids.length > MOST_ASSETS) {
    throw badUserInput(`assetIds is required: the application has more than ${MOST_ASSETS} assets.`);
  }
  const missing = chosen?.findIndex((id) => !ids.includes(id)) ?? -1;
  if (missing >= 0) throw badUserInput(`assetIds[${missing}] must be an asset of the application.`);
  return ids;
}
