import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/**
 * A member of one organization. The row stays when the membership ends, because cases and the log refer to it. A person who
 * is invited again becomes a new user, without data of the old membership.
 */
export const UserEntity = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.text().primary().$type<Id<'usr'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    /** Null once the membership has ended. */
    accountId: p.text().nullable().$type<Id<'acc'> | null>(),
    /** The person's address as this organization knows it. */
    email: p.text(),
    /** The person's name as this organization knows it. */
    name: p.text(),
    /** When the membership began. */
    createdAt: p.datetime(3),
    endedAt: p.datetime(3).nullable(),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    users: TableOf<typeof UserEntity>;
  }
}
