import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Denial } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** A refused request or sign-in. It is kept for 90 days. */
export const SecurityEventEntity = defineEntity({
  name: 'SecurityEvent',
  tableName: 'security_events',
  properties: {
    sequence: p.bigint('number').primary().autoincrement(),
    /** Null if it belongs to no known organization. */
    organizationId: p.text().nullable().$type<Id<'org'> | null>(),
    event: p.text().$type<Denial['event']>(),
    operation: p.text().nullable(),
    /** The refused user or key (`usr_…`, `key_…`), or the member whose account was tried. */
    subjectId: p.text().nullable(),
    /** The e-mail address of a sign-in, as a digest under a key of this gateway. */
    accountDigest: p.blob().nullable().$type<Uint8Array | null>(),
    clientAddress: p.text(),
    /** Whether the organization may see the client address. */
    showsClient: p.boolean().default(false),
    requestId: p.text(),
    createdAt: p.datetime(3),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    security_events: TableOf<typeof SecurityEventEntity>;
  }
}
