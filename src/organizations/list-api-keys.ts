import { sql, type Foundation } from '../database/index.js';
import { connectionOf, type Connection } from '../kernel/connection.type.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import { selectApiKeys, type ApiKey } from './api-key-row.js';
import type { ListingInput } from './list-members.js';
import { requireOperatorOr, type Caller } from './operator.js';

/** The organization's API keys, oldest first, those that ended too. */
export async function listApiKeys(
  foundation: Foundation,
  caller: Caller,
  input: ListingInput = {},
): Promise<Connection<ApiKey>> {
  const { organizationId } = requireOperatorOr(caller, 'api_keys:manage');
  const cursors = cursorsFor('api_keys', organizationId);
  const limit = parseLimit('first', input.first);
  const after = input.after ? cursors.decode('string', 'after', input.after) : '';
  const rows = await selectApiKeys(foundation.database, organizationId, sql`id > ${after}`, limit + 1);
  return connectionOf(pageOf(rows, limit), (apiKey) => cursors.encode(apiKey.id));
}
