import { recordActivity } from '../activity-log/index.js';
import { sql, type Foundation } from '../database/index.js';
import { notFound } from '../kernel/errors.js';
import { locateId } from '../kernel/ids.js';
import { selectApiKeys, type ApiKey } from './api-key-row.js';
import { requireOperatorOr, type Caller } from './operator.js';

/** Ends an API key for good, from the next request on. A key that was revoked before stays as it was. */
export async function revokeApiKey(
  foundation: Foundation,
  caller: Caller,
  apiKeyId: string,
): Promise<ApiKey> {
  const { organizationId, actor } = requireOperatorOr(caller, 'api_keys:manage');
  const id = locateId('key', apiKeyId);
  const now = foundation.clock.now();
  return foundation.database.transaction(async (transaction) => {
    const revoked = await transaction.rows(sql`
      update api_keys set revoked_at = ${now}
      where organization_id = ${organizationId} and id = ${id} and revoked_at is null returning id`);
    const [apiKey] = await selectApiKeys(transaction, organizationId, sql`id = ${id}`, 1);
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
