import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { ApiKeyScope } from '../../access/index.js';

/** A credential of a backend. Its secret is shown once; the row holds only a hash. */
export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: p.text().primary().$type<Id<'key'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    name: p.text(),
    scopes: p.array().$type<ApiKeyScope[]>(),
    displayPrefix: p.text(),
    /** SHA-256 of the secret. */
    secretHash: p.blob().$type<Uint8Array>(),
    createdAt: p.datetime(3),
    /** The user who made it and got its secret, or `operator`. */
    createdBy: p.text(),
    /** The user who asked for it first, where a second person was needed. */
    proposedBy: p.text().nullable(),
    expiresAt: p.datetime(3).nullable(),
    /** To the minute: it is written at most once in one. */
    lastUsedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    api_keys: TableOf<typeof ApiKeyEntity>;
  }
}
