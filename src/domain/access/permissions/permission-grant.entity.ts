import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { Bucket } from './permissions.js';

/** One permission that a member holds. In the bucket `owner` it has no application; in the others it has one. */
export const PermissionGrantEntity = defineEntity({
  name: 'PermissionGrant',
  tableName: 'permission_grants',
  properties: {
    // The table has no primary key: `applicationId` is part of the unique columns and can be null.
    userId: p.text().primary().$type<Id<'usr'>>(),
    bucket: p.text().primary().$type<Bucket>(),
    permission: p.text().primary(),
    applicationId: p.text().nullable().$type<Id<'app'> | null>(),
    organizationId: p.text().$type<Id<'org'>>(),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    permission_grants: TableOf<typeof PermissionGrantEntity>;
  }
}
