import { all, sql, type Foundation, type Reader } from '../database/index.js';
import { hex } from '../kernel/bytes.js';
import { timestamp } from '../kernel/clock.js';
import { connectionOf, type Connection } from '../kernel/connection.type.js';
import { badUserInput } from '../kernel/errors.js';
import { isId, type Id } from '../kernel/ids.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import { isStorable } from '../kernel/text.js';
import { requireOwnerPermission, type Principal } from '../organizations/index.js';
import { RELAY_COLUMNS, type Relay } from './relay.js';
import { RELAY_STATUSES } from './relay-state.js';

/** A relay as the organizations see it whose applications its package names. */
export interface OrganizationRelay extends Omit<Relay, 'packageDigest' | 'failedLooks'> {
  /** Hex SHA-256 of the package's RFC 8785 form. */
  readonly packageSha256: string;
}

export interface ListRelaysInput {
  readonly status?: string | null | undefined;
  readonly pool?: string | null | undefined;
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** The relays of the caller's organization, newest first. */
export async function listRelays(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
  input: ListRelaysInput,
): Promise<Connection<OrganizationRelay>> {
  const { organizationId } = requireOwnerPermission(principal, 'relays:read');
  const limit = parseLimit('first', input.first);
  const status = RELAY_STATUSES.find((known) => known === input.status);
  if (input.status != null && !status)
    throw badUserInput(`status must be one of ${RELAY_STATUSES.join(', ')}.`);
  const pool = input.pool ?? undefined;
  if (pool !== undefined && !isStorable(pool)) throw badUserInput('pool must be the selector of a pool.');
  const cursors = cursorsFor('relays', { status: status ?? null, pool: pool ?? null });
  const before = input.after == null ? undefined : placeOf(cursors.decode('string', 'after', input.after));
  const conditions = [
    before && sql`(owned.accepted_at, owned.request_id) < (${before.at}::timestamptz, ${before.id})`,
    status && sql`relay_requests.status = ${status}`,
    pool === undefined ? undefined : sql`pool_selector = ${pool}`,
  ];
  const rows = await selectRelays(database, organizationId, conditions, limit + 1);
  return connectionOf(pageOf(rows, limit), ({ createdAt, id }) =>
    cursors.encode(`${timestamp(createdAt)}/${id}`),
  );
}

/** A relay of the organization. */
export async function findOrganizationRelay(
  reader: Reader,
  organizationId: Id<'org'>,
  id: Id<'rly'>,
): Promise<OrganizationRelay | undefined> {
  const [found] = await selectRelays(reader, organizationId, [sql`owned.request_id = ${id}`], 1);
  return found;
}

async function selectRelays(
  reader: Reader,
  organizationId: Id<'org'>,
  conditions: Parameters<typeof all>[0],
  limit: number,
): Promise<OrganizationRelay[]> {
  const rows = await reader.rows(sql<Relay>`
    select ${RELAY_COLUMNS} from relay_organizations as owned
    join relay_requests on relay_requests.id = owned.request_id
    where owned.organization_id = ${organizationId} and ${all(conditions)}
    order by owned.accepted_at desc, owned.request_id desc limit ${limit}`);
  return rows.map((relay) => ({ ...relay, packageSha256: hex.encode(relay.packageDigest) }));
}

/** Where a page ended. */
function placeOf(key: string): { readonly at: Date; readonly id: Id<'rly'> } {
  const [time = '', id] = key.split('/');
  const at = new Date(time);
  if (!isId('rly', id) || Number.isNaN(at.getTime()))
    throw badUserInput('after is not a cursor of this listing.');
  return { at, id };
}
