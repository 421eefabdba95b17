import type { Foundation } from '../database/index.js';
import type { Connection } from '../kernel/connection.type.js';
import { connectionOf } from '../kernel/connection.type.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import { selectMembers, type Member } from './member.js';
import { requireOperatorOr, type Caller } from './operator.js';

export interface ListingInput {
  /** 1 to 200; 50 when absent. */
  readonly first?: number | null | undefined;
  /** The cursor to go on behind. */
  readonly after?: string | null | undefined;
}

/** The organization's members and what each holds, in the order they first came. */
export async function listMembers(
  foundation: Foundation,
  caller: Caller,
  input: ListingInput = {},
): Promise<Connection<Member>> {
  const { organizationId } = requireOperatorOr(caller, 'members:manage');
  const cursors = cursorsFor('members', organizationId);
  const limit = parseLimit('first', input.first);
  const after = input.after ? cursors.decode('string', 'after', input.after) : undefined;
  const rows = await selectMembers(foundation.database, organizationId, { after, limit: limit + 1 });
  return connectionOf(pageOf(rows, limit), (member) => cursors.encode(member.id));
}
