import type { Foundation } from '../../../platform/database/index.js';
import { type Connection, connectionOf } from '../../../platform/kernel/paging/connection.type.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../../platform/kernel/paging/paging.js';
import { type ApiKey, selectApiKeys } from './api-key-row.js';
import { type Caller, requireOperatorOr } from '../../access/index.js';

/** The organization's API keys, oldest first, including expired and revoked ones. */
export async function listApiKeys(
  foundation: Foundation,
  caller: Caller,
  input: PageInput = {},
): Promise<Connection<ApiKey>> {
  const { organizationId } = requireOperatorOr(caller, 'api_keys:manage');
  const {
    cursors,
    limit,
    after = '',
  } = parsePage(input, 'string', () => cursorsFor('api_keys', organizationId));
  const rows = await foundation.database.rows(
    selectApiKeys(organizationId)
      .where('id', '>', after as Id<'key'>)
      .orderBy('id')
      .limit(limit + 1),
  );
  return connectionOf(pageOf(rows, limit), (apiKey) => cursors.encode(apiKey.id));
}
