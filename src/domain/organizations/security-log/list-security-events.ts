import { columnsOf, type Foundation, query, type RowOf } from '../../../platform/database/index.js';
import { type Connection, connectionOf } from '../../../platform/kernel/paging/connection.type.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../../platform/kernel/paging/paging.js';
import { hex } from '../../../platform/kernel/encoding/bytes.js';
import { type Principal, requireOwnerPermission } from '../../access/index.js';
import { SecurityEventEntity } from './security-event.entity.js';

export interface SecurityEvent extends Omit<
  RowOf<typeof SecurityEventEntity>,
  'organizationId' | 'accountDigest' | 'clientAddress' | 'showsClient'
> {
  /** Hex. */
  readonly accountDigest: string | null;
  /** Null if the organization may not see it. */
  readonly clientAddress: string | null;
}

/** Refusals of the organization's members and keys, and failed sign-ins to its accounts, newest first. */
export async function listSecurityEvents(
  foundation: Foundation,
  principal: Principal | undefined,
  input: PageInput = {},
): Promise<Connection<SecurityEvent>> {
  const { organizationId } = requireOwnerPermission(principal, 'members:manage');
  // Sealed, because the sequence counts the events of all organizations.
  const {
    cursors,
    limit,
    after: before,
  } = parsePage(input, 'number', () => cursorsFor('security_events', organizationId, foundation.sealer));
  const rows = await foundation.database.rows(
    query
      .selectFrom('security_events')
      .select(columnsOf(SecurityEventEntity))
      .where('organization_id', '=', organizationId)
      .$if(before !== undefined, (events) => events.where('sequence', '<', before!))
      .orderBy('sequence', 'desc')
      .limit(limit + 1),
  );
  const events = rows.map(({ accountDigest, clientAddress, showsClient, ...event }) => ({
    ...event,
    accountDigest: accountDigest && hex.encode(accountDigest),
    clientAddress: showsClient ? clientAddress : null,
  }));
  return connectionOf(pageOf(events, limit), (event) => cursors.encode(event.sequence));
}
