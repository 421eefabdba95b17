import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query } from '../../../platform/database/index.js';
import { notFound } from '../../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { type ApiKey, selectApiKeys } from './api-key-row.js';
import { type Caller, requireOperatorOr, requireOperatorOrStill } from '../../access/index.js';

/** Revokes an API key permanently, from the next request on. A revoked key does not change. */
export async function revokeApiKey(
  foundation: Foundation,
  caller: Caller,
  apiKeyId: string,
): Promise<ApiKey> {
  const acting = requireOperatorOr(caller, 'api_keys:manage');
  const { organizationId, actor } = acting;
  const id = parseIdOrNotFound('key', apiKeyId);
  const now = foundation.clock.now();
  return foundation.database.transaction(async (transaction) => {
    await requireOperatorOrStill(transaction, acting, 'api_keys:manage');
    const revoked = await transaction.rows(
      query
        .updateTable('api_keys')
        .set({ revoked_at: now })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .returning('id'),
    );
    const [apiKey] = await transaction.rows(selectApiKeys(organizationId).where('id', '=', id));
    if (!apiKey) throw notFound('API key');
    if (revoked.length === 1) {
      await recordActivity(transaction, {
        organizationId,
        eventType: 'api_key.revoked',
        actor,
        object: { api_key_id: id, name: apiKey.name },
        at: now,
      });
    }
    return apiKey;
  });
}
