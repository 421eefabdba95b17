import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { Bucket } from '../permissions/permissions.js';

/** A deciding permission that one person granted and another has not confirmed. It has no effect yet. */
export const PendingGrantEntity = defineEntity({
  name: 'PendingGrant',
  tableName: 'pending_permission_grants',
  properties: {
    id: p.text().primary().$type<Id<'grt'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    userId: p.text().$type<Id<'usr'>>(),
    applicationId: p.text().nullable().$type<Id<'app'> | null>(),
    bucket: p.text().$type<Bucket>(),
    permission: p.text(),
    grantedBy: p.text(),
    createdAt: p.datetime(3),
    /** Whether the granter lost `members:manage` since. Then it needs a new first person. */
    isLapsed: p.boolean().default(false),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    pending_permission_grants: TableOf<typeof PendingGrantEntity>;
  }
}
