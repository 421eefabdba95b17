import { type Caller, requireOperatorOr } from '../../access/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { type Connection, connectionOf } from '../../../platform/kernel/paging/connection.type.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../../platform/kernel/paging/paging.js';
import { findMember, type Member, selectMembers } from './member.js';

/** The organization's members with their permissions, in the order in which they joined. */
export async function listMembers(
  foundation: Foundation,
  caller: Caller,
  input: PageInput = {},
): Promise<Connection<Member>> {
  const { organizationId } = requireOperatorOr(caller, 'members:manage');
  const { cursors, limit, after } = parsePage(input, 'string', () => cursorsFor('members', organizationId));
  const rows = await selectMembers(foundation.database, organizationId, { after, limit: limit + 1 });
  return connectionOf(pageOf(rows, limit), (member) => cursors.encode(member.id));
}

/** One member of the organization, or `NOT_FOUND`. */
export async function showMember(
  { database }: Pick<Foundation, 'database'>,
  caller: Caller,
  id: string,
): Promise<Member> {
  const { organizationId } = requireOperatorOr(caller, 'members:manage');
  return findMember(database, organizationId, parseIdOrNotFound('usr', id));
}
