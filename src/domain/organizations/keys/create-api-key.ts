import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query, valuesOf } from '../../../platform/database/index.js';
import { invalidMember, parseMembers } from '../../../platform/kernel/errors.js';
import { newId } from '../../../platform/kernel/ids.js';
import {
  API_KEY_SCOPES,
  type ApiKeyScope,
  type ApiKeySecret,
  type Caller,
  displayPrefixOf,
  hashApiKeySecret,
  isApiKeyScope,
  newApiKeySecret,
  requireOperatorOr,
  requireFreshFactor,
} from '../../access/index.js';
import type { ApiKey } from './api-key-row.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { withSecondPerson } from '../second-person/with-second-person.js';
import { parseName } from '../../../platform/kernel/text.js';

/** Creates an API key of the organization. Its secret cannot be shown again. */
export async function createApiKey(
  foundation: Foundation,
  caller: Caller,
  input: { readonly name: string; readonly scopes: readonly string[]; readonly expiresAt?: Date | null },
): Promise<{ readonly apiKey: ApiKey; readonly secret: ApiKeySecret }> {
  const acting = requireOperatorOr(caller, 'api_keys:manage');
  requireFreshFactor(foundation, caller, 'createApiKey');
  const { organizationId, actor } = acting;
  const createdAt = foundation.clock.now();
  const { name, scopes, expiresAt } = parseMembers({
    name: () => parseName('name', input.name, 128),
    scopes: () => parseScopes(input.scopes),
    expiresAt: () => parseExpiry(input.expiresAt ?? null, createdAt),
  });
  const secret = newApiKeySecret(foundation.random);
  const made = {
    id: newId('key'),
    organizationId,
    name,
    scopes,
    displayPrefix: displayPrefixOf(secret),
    expiresAt,
    createdAt,
    createdBy: actor.id,
    lastUsedAt: null,
    revokedAt: null,
  } as const;
  const asked = { name, scopes, expires_at: expiresAt?.toISOString() ?? null };
  const proposal = { operation: 'createApiKey', input: asked } as const;
  const apiKey = await withSecondPerson(foundation, acting, proposal, async (transaction, proposedBy) => {
    const key: ApiKey = { ...made, proposedBy: proposedBy ?? null };
    await transaction.rows(
      query.insertInto('api_keys').values(
        valuesOf(ApiKeyEntity, {
          ...key,
          secretHash: hashApiKeySecret(secret),
        }),
      ),
    );
    await recordActivity(transaction, {
      organizationId,
      eventType: 'api_key.created',
      actor,
      object: { api_key_id: key.id, name },
      details: { scopes, expires_at: asked.expires_at },
      at: createdAt,
    });
    return key;
  });
  return { apiKey, secret };
}

const SCOPES = Object.keys(API_KEY_SCOPES).filter(isApiKeyScope);

function parseScopes(scopes: readonly string[]): ApiKeyScope[] {
  if (scopes.length === 0 || !scopes.every(isApiKeyScope)) {
    throw invalidMember('scopes', `must name at least one of ${SCOPES.join(', ')}, and nothing else`);
  }
  return SCOPES.filter((scope) => scopes.includes(scope));
}

function parseExpiry(expiresAt: Date | null, now: Date): Date | null {
  if (expiresAt && !(expiresAt.getTime() > now.getTime()))
    throw invalidMember('expiresAt', 'must be in the future');
  return expiresAt;
}
