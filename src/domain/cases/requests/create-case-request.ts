import { personal, recordActivity } from '../../activity-log/index.js';
import {
  type Foundation,
  query,
  type Reader,
  type Transaction,
  valuesOf,
} from '../../../platform/database/index.js';
import { invalidMember, invalidMembers, parseMembers } from '../../../platform/kernel/errors.js';
import { type Id, type IdPrefix, newId, parseId } from '../../../platform/kernel/ids.js';
import { parseInteger, parseReason } from '../../../platform/kernel/text.js';
import {
  actorOf,
  type Principal,
  requireApplicationPermission,
  requirePermissionStill,
} from '../../access/index.js';
import { takeChange } from '../case-changes.js';
import { visibleIn } from '../visible-in.js';
import { CaseRequestEntity } from '../case.entity.js';
import { describeFlags, type DisclosureFlagsInput, parseFlags } from '../disclosure-flags.js';
import { isAuditorOf } from '../people.js';
import { parsePeriodFrom, parsePeriodTo } from './case-period.js';
import { type CaseRequest, selectCaseRequests } from './case-request.js';

export interface CreateCaseRequestInput {
  readonly foreignId: string;
  readonly reason: string;
  /** ISO 8601 dates in UTC. Both days are covered completely. */
  readonly periodFrom: string;
  readonly periodTo: string;
  readonly accessDays: number;
  readonly disclosureFlags: DisclosureFlagsInput;
  readonly auditorIds: readonly string[];
  /** The default is all assets that the application has now. */
  readonly assetIds?: readonly string[] | null | undefined;
}

const MAX_ACCESS_DAYS = 3650;
const MAX_AUDITORS = 100;
const MAX_ASSETS = 1_000;

/** Files a request for a case. It gives no access until an administrator approves it. */
export async function createCaseRequest(
  foundation: Foundation,
  principal: Principal | undefined,
  input: CreateCaseRequestInput,
): Promise<CaseRequest> {
  const { user, applicationId } = requireApplicationPermission(
    principal,
    input.foreignId,
    'auditor',
    'cases:create',
  );
  const { organizationId } = user;
  const { assetIds: chosen, ...parameters } = parseInput(input);

  return foundation.database.transaction(async (transaction) => {
    const application = { organizationId, applicationId };
    const auditors = await requireAuditors(transaction, application, parameters.auditorIds);
    const assetIds = await requireAssets(transaction, application, chosen);
    const change = await takeChange(foundation, transaction, application);
    await requirePermissionStill(transaction, user, applicationId, 'auditor', 'cases:create');
    const id = newId('crq');
    const now = foundation.clock.now();
    await transaction.rows(
      query.insertInto('case_requests').values(
        valuesOf(CaseRequestEntity, {
          id,
          organizationId,
          applicationId,
          status: 'pending',
          withdrawn: false,
          requestedBy: user.userId,
          ...parameters,
          assetIds,
          createdAt: now,
          change: change.change,
        }),
      ),
    );
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
      application: change.application,
      at: now,
    });
    const own = visibleIn(application, { requestedBy: user.userId });
    const [created] = await selectCaseRequests(transaction, { ...own, id });
    if (!created) throw new Error('The case request that was just made cannot be read.');
    return created;
  });
}

function parseInput(input: CreateCaseRequestInput) {
  return parseMembers({
    reason: () => parseReason(input.reason),
    periodFrom: () => parsePeriodFrom(input.periodFrom, input.periodTo),
    periodTo: () => parsePeriodTo(input.periodTo),
    accessDays: () => parseInteger('accessDays', input.accessDays, 1, MAX_ACCESS_DAYS),
    disclosureFlags: () => parseFlags(input.disclosureFlags),
    auditorIds: () => parseIds('usr', 'auditorIds', input.auditorIds, MAX_AUDITORS),
    assetIds: () => (input.assetIds == null ? null : parseIds('ast', 'assetIds', input.assetIds, MAX_ASSETS)),
  });
}

/** At least one id. A repeated id counts once. */
function parseIds<P extends IdPrefix>(
  prefix: P,
  member: string,
  values: readonly string[],
  max: number,
): Id<P>[] {
  if (values.length < 1 || values.length > max) throw invalidMember(member, `must hold 1 to ${max} ids`);
  return [...new Set(values.map((value, index) => parseId(prefix, `${member}[${index}]`, value)))];
}

interface OfApplication {
  readonly organizationId: Id<'org'>;
  readonly applicationId: Id<'app'>;
}

/** @throws `BAD_USER_INPUT` for anyone who holds no auditor permission of the application. */
export async function requireAuditors(
  reader: Reader,
  { organizationId, applicationId }: OfApplication,
  auditorIds: readonly Id<'usr'>[],
  only?: string,
): Promise<{ id: Id<'usr'>; name: string }[]> {
  const found = await reader.rows(
    query
      .selectFrom('users')
      .select(['id', 'name'])
      .where('id', 'in', auditorIds)
      .where(isAuditorOf(organizationId, applicationId)),
  );
  const auditors = auditorIds.map((id) => found.find((user) => user.id === id));
  const unknown = auditors.flatMap((auditor, index) => (auditor ? [] : [only ?? `auditorIds[${index}]`]));
  const problem = 'must be a user who holds an auditor permission of the application';
  if (unknown.length > 0) throw invalidMembers(unknown.map((member) => ({ member, problem })));
  return auditors.filter((auditor) => auditor !== undefined);
}

/** Locks the assets, so that no mint of them is unbound before the request is committed. */
async function requireAssets(
  transaction: Transaction,
  { organizationId, applicationId }: OfApplication,
  chosen: readonly Id<'ast'>[] | null,
): Promise<Id<'ast'>[]> {
  const rows = await transaction.rows(
    query
      .selectFrom('assets')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('application_id', '=', applicationId)
      .$if(chosen !== null, (assets) => assets.where('id', 'in', chosen!))
      .orderBy('id')
      .limit(MAX_ASSETS + 1)
      .forKeyShare(),
  );
  const ids = rows.map(({ id }) => id);
  if (chosen === null && ids.length > MAX_ASSETS)
    throw invalidMember(
      'assetIds',
      `is required, because the application has more than ${MAX_ASSETS} assets`,
    );
  const unknown = (chosen ?? []).flatMap((id, index) => (ids.includes(id) ? [] : [`assetIds[${index}]`]));
  const problem = 'must be an asset of the application';
  if (unknown.length > 0) throw invalidMembers(unknown.map((member) => ({ member, problem })));
  return ids;
}
