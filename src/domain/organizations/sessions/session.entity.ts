import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** One sign-in. Only the browser has the token itself. */
export const SessionEntity = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: p.text().primary().$type<Id<'ses'>>(),
    /** SHA-256 of the token. */
    tokenHash: p.blob().$type<Uint8Array>(),
    userId: p.text().$type<Id<'usr'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    createdAt: p.datetime(3),
    lastSeenAt: p.datetime(3),
    expiresAt: p.datetime(3),
    endedAt: p.datetime(3).nullable(),
    /** When the person last proved a second factor in this session. */
    factorAt: p.datetime(3).nullable().$type<Date | null>(),
    /** The address and user agent that opened it, for its own user. Null after it has ended. */
    clientAddress: p.text().nullable().$type<string | null>(),
    userAgent: p.text().nullable().$type<string | null>(),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    sessions: TableOf<typeof SessionEntity>;
  }
}
