import {
  actingAs,
  actorOf,
  confirmGrant,
  type Principal,
  requireOwnerPermission,
  selectPendingGrants,
  requireFreshFactor,
} from '../../access/index.js';
import { personal, recordActivity } from '../../activity-log/index.js';
import { type Foundation, query } from '../../../platform/database/index.js';
import { type Connection, connectionOf } from '../../../platform/kernel/paging/connection.type.js';
import { type Id, parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../../platform/kernel/paging/paging.js';
import { findMember, type Member, serializeMemberChangesBy } from './member.js';

/** A deciding permission that waits for a second person, in a listing. */
export interface ListedPendingGrant {
  readonly id: Id<'grt'>;
  readonly userId: Id<'usr'>;
  readonly bucket: string;
  readonly permission: string;
  readonly foreignId: string | null;
  readonly grantedBy: string;
  readonly createdAt: Date;
}

/** The deciding permissions of the organization that wait for a second person, oldest first. */
export async function listPendingGrants(
  foundation: Foundation,
  principal: Principal | undefined,
  input: PageInput = {},
): Promise<Connection<ListedPendingGrant>> {
  const { organizationId } = requireOwnerPermission(principal, 'members:manage');
  const {
    cursors,
    limit,
    after = '',
  } = parsePage(input, 'string', () => cursorsFor('pending_grants', organizationId));
  const rows = await foundation.database.rows(
    query
      .selectFrom(selectPendingGrants(organizationId).as('waiting'))
      .leftJoin('applications', 'applications.id', 'waiting.applicationId')
      .select([
        'waiting.id as id',
        'waiting.userId as userId',
        'waiting.bucket as bucket',
        'waiting.permission as permission',
        'applications.foreign_id as foreignId',
        'waiting.grantedBy as grantedBy',
        'waiting.createdAt as createdAt',
      ])
      .where('waiting.id', '>', after as Id<'grt'>)
      .orderBy('waiting.id')
      .limit(limit + 1),
  );
  return connectionOf(pageOf(rows, limit), (grant) => cursors.encode(grant.id));
}

/** Makes a deciding permission effective that another owner granted to another member. */
export async function confirmPermissionGrant(
  foundation: Foundation,
  principal: Principal | undefined,
  grantId: string,
): Promise<Member> {
  const caller = requireOwnerPermission(principal, 'members:manage');
  requireFreshFactor(foundation, caller, 'confirmPermissionGrant');
  const { organizationId } = caller;
  const id = parseIdOrNotFound('grt', grantId);
  return foundation.database.transaction(async (transaction) => {
    await serializeMemberChangesBy(transaction, actingAs(caller));
    const grant = await confirmGrant(transaction, organizationId, id, caller.userId);
    const member = await findMember(transaction, organizationId, grant.userId);
    await recordActivity(transaction, {
      organizationId,
      eventType: 'member.permissions_changed',
      actor: actorOf(caller),
      object: { user_id: member.id, name: personal(member.name), email: personal(member.email) },
      details: { confirmed: `${grant.bucket} ${grant.permission}`, granted_by: grant.grantedBy },
      at: foundation.clock.now(),
    });
    return member;
  });
}
