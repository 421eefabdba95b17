import { defineEntity, p } from '@mikro-orm/core';
import type { Id } from '../kernel/ids.js';
import type { ApiKeyScope } from './permissions.js';

/** A backend's credential. Its secret is shown once, and here only as a hash. */
export const ApiKeyRecord = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: p.text().primary().$type<Id<'key'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    name: p.text(),
    scopes: p.array().$type<ApiKeyScope[]>(),
    displayPrefix: p.text(),
    /** SHA-256 of the secret. */
    secretHash: p.blob(),
    createdAt: p.datetime(3),
    createdBy: p.text(),
    expiresAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
});
