import { query, type Reader } from '../../platform/database/index.js';
import { unauthenticated } from '../../platform/kernel/errors.js';
import { isId } from '../../platform/kernel/ids.js';
import type { Acting } from './operator.js';
import { requirePermissionStill } from './permissions/permission-grants.js';
import { API_KEY_SCOPES, type ApiKeyScope, type Permission } from './permissions/permissions.js';
import type { Principal } from './principal.js';

/**
 * The check of `requireScope`, in the transaction of the operation and after its locks: the caller may have lost the permission
 * while the request waited.
 */
export async function requireScopeStill(
  reader: Reader,
  principal: Principal,
  scope: ApiKeyScope,
): Promise<void> {
  if (principal.kind === 'user')
    return requirePermissionStill(reader, principal, null, 'owner', API_KEY_SCOPES[scope]);
  const [valid] = await reader.rows(
    query
      .selectFrom('api_keys')
      .select('id')
      .where('organization_id', '=', principal.organizationId)
      .where('id', '=', principal.apiKeyId)
      .where('revoked_at', 'is', null),
  );
  if (!valid) throw unauthenticated('The API key was revoked.');
}

/** The check of `requireOperatorOr` again, like {@link requireScopeStill}. */
export async function requireOperatorOrStill(
  reader: Reader,
  { organizationId, actor }: Acting,
  permission: Permission<'owner'>,
): Promise<void> {
  if (!isId('usr', actor.id)) return;
  await requirePermissionStill(reader, { organizationId, userId: actor.id }, null, 'owner', permission);
}
