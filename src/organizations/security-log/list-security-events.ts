import { sql, type Foundation } from '../../database/index.js';
import { connectionOf, type Connection } from '../../kernel/connection.type.js';
import { cursorsFor, pageOf, parseLimit } from '../../kernel/paging.js';
import type { ListingInput } from '../list-members.js';
import { requireOwnerPermission, type Principal } from '../principal.js';

export interface SecurityEvent {
  readonly sequence: number;
  readonly event: string;
  readonly operation: string | null;
  readonly subjectId: string | null;
  /** Hex. */
  readonly accountDigest: string | null;
  readonly clientAddress: string;
  readonly requestId: string;
  readonly createdAt: Date;
}

/** What was refused to the organization's members and keys, and at its accounts, newest first. */
export async function listSecurityEvents(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListingInput = {},
): Promise<Connection<SecurityEvent>> {
  const { organizationId } = requireOwnerPermission(principal, 'members:manage');
  const cursors = cursorsFor('security_events', organizationId);
  const limit = parseLimit('first', input.first);
  const before = input.after ? cursors.decode('number', 'after', input.after) : null;
  const rows = await foundation.database.rows(sql<SecurityEvent>`
    select sequence, event, operation, subject_id as "subjectId", encode(account_digest, 'hex') as "accountDigest",
      client_address as "clientAddress", request_id as "requestId", created_at as "createdAt"
    from security_events
    where organization_id = ${organizationId} and (${before}::bigint is null or sequence < ${before}::bigint)
    order by sequence desc limit ${limit + 1}`);
  return connectionOf(pageOf(rows, limit), (event) => cursors.encode(event.sequence));
}
