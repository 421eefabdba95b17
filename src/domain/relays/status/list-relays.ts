import {
  aliasedColumnsOf,
  type Foundation,
  query,
  type Reader,
  sql,
} from '../../../platform/database/index.js';
import { hex } from '../../../platform/kernel/encoding/bytes.js';
import { timestamp } from '../../../platform/kernel/clock.js';
import { type Connection, connectionOf } from '../../../platform/kernel/paging/connection.type.js';
import { parseOptionalOneOf } from '../../../platform/kernel/enums/enums.js';
import { invalidMember, notFound } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { type PageInput, pageOf, parsePage } from '../../../platform/kernel/paging/paging.js';
import { timeCursorsFor, type TimePlace } from '../../../platform/kernel/paging/time-cursors.js';
import { isStorable } from '../../../platform/kernel/text.js';
import { findApplicationByForeignId, type Principal, requireOwnerPermission } from '../../access/index.js';
import { parsePeriod, type Period } from '../../transactions/index.js';
import { type Relay, RELAY_PROPERTIES } from '../relay.js';
import { RelayRequestEntity } from '../relay.entity.js';
import { RELAY_STATUSES } from '../relay-state.js';

/** A relay as shown to the organizations whose applications its package names. */
export interface OrganizationRelay extends Omit<Relay, 'packageDigest' | 'failedLooks'> {
  /** Hex SHA-256 of the package's RFC 8785 form. */
  readonly packageSha256: string;
}

export interface ListRelaysInput extends PageInput {
  /** Only relays whose packages name this application. */
  readonly foreignId?: string | null | undefined;
  readonly status?: string | null | undefined;
  readonly poolSelector?: string | null | undefined;
  /** Only relays accepted at this time or later. */
  readonly from?: Date | null | undefined;
  /** Only relays accepted at this time or earlier. */
  readonly to?: Date | null | undefined;
}

/** The relays of the caller's organization, newest first. */
export async function listRelays(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
  input: ListRelaysInput,
): Promise<Connection<OrganizationRelay>> {
  const { organizationId } = requireOwnerPermission(principal, 'relays:read');
  const applicationId =
    input.foreignId == null
      ? undefined
      : (await findApplicationByForeignId(database, organizationId, input.foreignId))?.id;
  if (input.foreignId != null && applicationId === undefined) throw notFound('application');
  const { cursors, limit, after, ...filters } = parsePage(
    input,
    'string',
    ({ status = null, poolSelector: pool = null, period }) =>
      timeCursorsFor('rly', 'relays', {
        ...{ application: applicationId ?? null, status, pool },
        ...{ from: period.from && timestamp(period.from), to: period.to && timestamp(period.to) },
      }),
    {
      status: () => parseOptionalOneOf('status', RELAY_STATUSES, input.status),
      poolSelector: () => parsePoolSelector(input.poolSelector ?? undefined),
      period: () => parsePeriod({ from: 'from', to: 'to' }, input.from, input.to),
    },
  );
  const selection = { organizationId, applicationId, ...filters, before: cursors.placeOf(after) };
  const rows = await selectRelays(database, { ...selection, limit: limit + 1 });
  return connectionOf(pageOf(rows, limit), ({ createdAt, id }) => cursors.encode({ at: createdAt, id }));
}

/** A relay of the organization. */
export async function findOrganizationRelay(
  reader: Reader,
  organizationId: Id<'org'>,
  id: Id<'rly'>,
): Promise<OrganizationRelay | undefined> {
  const [found] = await selectRelaysById(reader, organizationId, [id]);
  return found;
}

function parsePoolSelector(value: string | undefined): string | undefined {
  if (value !== undefined && !isStorable(value))
    throw invalidMember('poolSelector', 'must be the selector of a pool');
  return value;
}

interface RelaySelection {
  readonly organizationId: Id<'org'>;
  readonly applicationId?: Id<'app'> | undefined;
  readonly status?: Relay['status'] | undefined;
  readonly poolSelector?: string | undefined;
  readonly period?: Period;
  readonly before?: TimePlace<'rly'> | undefined;
  readonly limit: number;
}

/** Newest first. */
async function selectRelays(
  reader: Reader,
  { organizationId, applicationId, status, poolSelector, period, before, limit }: RelaySelection,
): Promise<OrganizationRelay[]> {
  // Each list has an index in its order.
  const listed = (column: 'accepted_at' | 'request_id') =>
    sql.ref(`${applicationId === undefined ? 'owned' : 'named'}.${column}`);
  const rows = await reader.rows(
    relaysOf(organizationId)
      .$if(applicationId !== undefined, (owned) =>
        owned
          .innerJoin('relay_applications as named', 'named.request_id', 'owned.request_id')
          .where('named.application_id', '=', applicationId!),
      )
      .$if(status !== undefined, (owned) => owned.where('owned.status', '=', status!))
      .$if(poolSelector !== undefined, (owned) => owned.where('owned.pool_selector', '=', poolSelector!))
      .$if(period?.from != null, (owned) => owned.where(listed('accepted_at'), '>=', period!.from!))
      .$if(period?.to != null, (owned) => owned.where(listed('accepted_at'), '<=', period!.to!))
      .$if(before !== undefined, (owned) =>
        owned.where(
          sql<boolean>`(${listed('accepted_at')}, ${listed('request_id')}) < (${before!.at}::timestamptz, ${before!.id})`,
        ),
      )
      .orderBy(listed('accepted_at'), 'desc')
      .orderBy(listed('request_id'), 'desc')
      .limit(limit),
  );
  return rows.map(shown);
}

/** The relays with these ids that belong to the organization, in no order. */
export async function selectRelaysById(
  reader: Reader,
  organizationId: Id<'org'>,
  ids: readonly Id<'rly'>[],
): Promise<OrganizationRelay[]> {
  const rows = await reader.rows(relaysOf(organizationId).where('owned.request_id', 'in', ids));
  return rows.map(shown);
}

const relaysOf = (organizationId: Id<'org'>) =>
  query
    .selectFrom('relay_organizations as owned')
    .innerJoin('relay_requests as relays', 'relays.id', 'owned.request_id')
    .select(aliasedColumnsOf('relays', RelayRequestEntity, RELAY_PROPERTIES))
    .where('owned.organization_id', '=', organizationId);

const shown = (relay: Relay): OrganizationRelay => ({
  ...relay,
  packageSha256: hex.encode(relay.packageDigest),
});
