import { recordActivity } from '../activity-log/index.js';
import type { Foundation } from '../database/index.js';
import { badUserInput } from '../kernel/errors.js';
import { newId } from '../kernel/ids.js';
import { displayPrefixOf, hashApiKeySecret, newApiKeySecret, type ApiKeySecret } from './api-key.js';
import type { ApiKey } from './api-key-row.js';
import { ApiKeyRecord } from './api-key.entity.js';
import { requireOperatorOr, type Caller } from './operator.js';
import { parseText } from '../kernel/text.js';
import { API_KEY_SCOPES, isApiKeyScope, type ApiKeyScope } from './permissions.js';

/** A new API key of the organization and its secret, which cannot be shown again. */
export async function createApiKey(
  foundation: Foundation,
  caller: Caller,
  input: { readonly name: string; readonly scopes: readonly string[]; readonly expiresAt?: Date | null },
): Promise<{ readonly apiKey: ApiKey; readonly secret: ApiKeySecret }> {
  const { organizationId, actor } = requireOperatorOr(caller, 'api_keys:manage');
  const createdAt = foundation.clock.now();
  const secret = newApiKeySecret(foundation.random);
  const apiKey: ApiKey = {
    id: newId('key'),
    organizationId,
    name: parseText('name', input.name, 128),
    scopes: parseScopes(input.scopes),
    displayPrefix: displayPrefixOf(secret),
    expiresAt: parseExpiry(input.expiresAt ?? null, createdAt),
    createdAt,
    createdBy: actor.id,
    lastUsedAt: null,
    revokedAt: null,
  };
  await foundation.database.transaction(async (transaction) => {
    await transaction.em.insert(ApiKeyRecord, {
      ...apiKey,
      scopes: [...apiKey.scopes],
      secretHash: Buffer.from(hashApiKeySecret(secret)),
    });
    await recordActivity(transaction, {
      organizationId,
      eventType: 'api_key.created',
      actor,
      object: { api_key_id: apiKey.id, name: apiKey.name },
      details: { scopes: apiKey.scopes, expires_at: apiKey.expiresAt?.toISOString() ?? null },
      at: createdAt,
    });
  });
  return { apiKey, secret };
}

const SCOPES = Object.keys(API_KEY_SCOPES).filter(isApiKeyScope);

function parseScopes(scopes: readonly string[]): ApiKeyScope[] {
  if (scopes.length === 0 || !scopes.every(isApiKeyScope)) {
    throw badUserInput(`scopes must name at least one of ${SCOPES.join(', ')}, and nothing else.`);
  }
  return SCOPES.filter((scope) => scopes.includes(scope));
}

function parseExpiry(expiresAt: Date | null, now: Date): Date | null {
  if (expiresAt && !(expiresAt.getTime() > now.getTime()))
    throw badUserInput('expiresAt must be in the future.');
  return expiresAt;
}
