import { columnsOf, query, type RowOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { ApiKeyEntity } from './api-key.entity.js';

/** The members of an API key that can always be shown. */
export type ApiKey = Omit<RowOf<typeof ApiKeyEntity>, 'secretHash'>;

/** The API keys of the organization. The caller adds conditions. */
export const selectApiKeys = (organizationId: Id<'org'>) =>
  query
    .selectFrom('api_keys')
    .select(
      columnsOf(ApiKeyEntity, [
        'id',
        'organizationId',
        'name',
        'scopes',
        'displayPrefix',
        'createdAt',
        'createdBy',
        'proposedBy',
        'expiresAt',
        'lastUsedAt',
        'revokedAt',
      ]),
    )
    .where('organization_id', '=', organizationId);
