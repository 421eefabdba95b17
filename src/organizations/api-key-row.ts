import { sql, type Reader } from '../database/index.js';
import type { RawBuilder } from 'kysely';
import type { Id } from '../kernel/ids.js';
import type { ApiKeyScope } from './permissions.js';

/** What can be shown of an API key at any time. */
export interface ApiKey {
  readonly id: Id<'key'>;
  readonly organizationId: Id<'org'>;
  readonly name: string;
  readonly scopes: readonly ApiKeyScope[];
  readonly displayPrefix: string;
  readonly createdAt: Date;
  /** The user who made it, or `operator`. */
  readonly createdBy: string;
  readonly expiresAt: Date | null;
  /** To the minute: it is written at most once in one. */
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** The organization's API keys for which `condition` holds, in the order they were made. */
export function selectApiKeys(
  reader: Reader,
  organizationId: Id<'org'>,
  condition: RawBuilder<unknown>,
  limit: number,
): Promise<ApiKey[]> {
  return reader.rows(sql<ApiKey>`
    select id, organization_id as "organizationId", name, scopes, display_prefix as "displayPrefix",
      created_at as "createdAt", created_by as "createdBy", expires_at as "expiresAt",
      last_used_at as "lastUsedAt", revoked_at as "revokedAt"
    from api_keys where organization_id = ${organizationId} and ${condition} order by id limit ${limit}`);
}
