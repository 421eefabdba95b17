import { columnsOf, query, type RowOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { ApiKeyEntity } from './api-key.entity.js';

/** What can be shown of an API key at any time. */
export type ApiKey = Omit<RowOf<typeof ApiKeyEntity>, 'secretHash'>;

/** The organization's API keys, to be narrowed by what a statement looks for. */
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
