import { defineEntity, p } from '@mikro-orm/core';
import type { Id } from '../kernel/ids.js';

/** One sign-in. The token itself is only with the browser. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: p.text().primary().$type<Id<'ses'>>(),
    /** SHA-256 of the token. */
    tokenHash: p.blob(),
    userId: p.text().$type<Id<'usr'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    createdAt: p.datetime(3),
    lastSeenAt: p.datetime(3),
    expiresAt: p.datetime(3),
    endedAt: p.datetime(3).nullable(),
  },
});
