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
import { invalidMember, parseMembers } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { type PageInput, pageOf, parseLimit } from '../../../platform/kernel/paging/paging.js';
import { timeCursorsFor, type TimePlace } from '../../../platform/kernel/paging/time-cursors.js';
import { isStorable } from '../../../platform/kernel/text.js';
import { type Principal, requireOwnerPermission } from '../../access/index.js';
import { parsePeriod, type Period } from '../../transactions/index.js';
import { type Relay, RELAY_PROPERTIES } from '../relay.js';
import { RelayRequestEntity } from '../relay.entity.js';
import { RELAY_STATUSES } from './relay-state.js';

/** A relay as it is shown to the organizations whose applications its package names. */
export interface OrganizationRelay extends Omit<Relay, 'packageDigest' | 'failedLooks'> {
  /** Hex SHA-256 of the package's RFC 8785 form. */
  readonly packageSha256: string;
}

export interface ListRelaysInput extends PageInput {
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
  const { limit, status, poolSelector, period } = parseMembers({
    limit: () => parseLimit('first', input.first),
    status: () => parseOptionalOneOf('status', RELAY_STATUSES, input.status),
    poolSelector: () => parsePoolSelector(input.poolSelector ?? undefined),
    period: () => parsePeriod({ from: 'from', to: 'to' }, input.from, input.to),
  });
  const cursors = timeCursorsFor('rly', 'relays', {
    ...{ status: status ?? null, pool: poolSelector ?? null },
    ...{ from: period.from && timestamp(period.from), to: period.to && timestamp(period.to) },
  });
  const before = cursors.decode('after', input.after);
  const selection = { organizationId, status, poolSelector, period, before };
  const rows = await selectRelays(database, { ...selection, limit: limit + 1 });
  return connectionOf(pageOf(rows, limit), ({ createdAt, id }) => cursors.encode({ at: createdAt, id }));
}

/** A relay of the organization. */
export async function findOrganizationRelay(
  reader: Reader,
  organizationId: Id<'org'>,
  id: Id<'rly'>,
): Promise<OrganizationRelay | undefined> {
  const [found] = await selectRelays(reader, { organizationId, id, limit: 1 });
  return found;
}

function parsePoolSelector(value: string | undefined): string | undefined {
  if (value !== undefined && !isStorable(value))
    throw invalidMember('poolSelector', 'must be the selector of a pool');
  return value;
}

interface RelaySelection {
  readonly organizationId: Id<'org'>;
  readonly id?: Id<'rly'>;
  readonly status?: Relay['status'] | undefined;
  readonly poolSelector?: string | undefined;
  readonly period?: Period;
  readonly before?: TimePlace<'rly'> | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function selectRelays(
  reader: Reader,
  { organizationId, id, status, poolSelector, period, before, limit }: RelaySelection,
): Promise<OrganizationRelay[]> {
  const rows = await reader.rows(
    query
      .selectFrom('relay_organizations as owned')
      .innerJoin('relay_requests as relays', 'relays.id', 'owned.request_id')
      .select(aliasedColumnsOf('relays', RelayRequestEntity, RELAY_PROPERTIES))
      .where('owned.organization_id', '=', organizationId)
      .$if(id !== undefined, (owned) => owned.where('owned.request_id', '=', id!))
      .$if(status !== undefined, (owned) => owned.where('owned.status', '=', status!))
      .$if(poolSelector !== undefined, (owned) => owned.where('owned.pool_selector', '=', poolSelector!))
      .$if(period?.from != null, (owned) => owned.where('owned.accepted_at', '>=', period!.from!))
      .$if(period?.to != null, (owned) => owned.where('owned.accepted_at', '<=', period!.to!))
      .$if(before !== undefined, (owned) =>
        owned.where(
          sql<boolean>`(owned.accepted_at, owned.request_id) < (${before!.at}::timestamptz, ${before!.id})`,
        ),
      )
      .orderBy('owned.accepted_at', 'desc')
      .orderBy('owned.request_id', 'desc')
      .limit(limit),
  );
  return rows.map((relay) => ({ ...relay, packageSha256: hex.encode(relay.packageDigest) }));
}
