import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { ApiKeyScope } from '../../access/index.js';

/** A credential of a backend. Its secret is shown once. The row has only its hash. */
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
    /** The user who created it and received its secret, or `operator`. */
    createdBy: p.text(),
    /** The user who requested it first, if a second person was required. */
    proposedBy: p.text().nullable(),
    expiresAt: p.datetime(3).nullable(),
    /** To the minute, because it is written at most once a minute. */
    lastUsedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    api_keys: TableOf<typeof ApiKeyEntity>;
  }
}
