import { type Caller, requireOperatorOr } from '../../access/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { type Connection, connectionOf } from '../../../platform/kernel/paging/connection.type.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../../platform/kernel/paging/paging.js';
import { type Invitation, selectInvitations } from './invitation.js';

/** The organization's invitations, newest first, including those that have ended. */
export async function listInvitations(
  foundation: Foundation,
  caller: Caller,
  input: PageInput = {},
): Promise<Connection<Invitation>> {
  const { organizationId } = requireOperatorOr(caller, 'members:manage');
  const {
    cursors,
    limit,
    after: before,
  } = parsePage(input, 'string', () => cursorsFor('invitations', organizationId));
  const rows = await foundation.database.rows(
    selectInvitations(organizationId)
      .$if(before !== undefined, (invitations) => invitations.where('id', '<', before as Id<'inv'>))
      .orderBy('id', 'desc')
      .limit(limit + 1),
  );
  return connectionOf(pageOf(rows, limit), (invitation) => cursors.encode(invitation.id));
}
