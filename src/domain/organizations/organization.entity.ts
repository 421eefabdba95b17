import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';

/** The tenant. Everything else belongs to exactly one organization. */
export const OrganizationEntity = defineEntity({
  name: 'Organization',
  tableName: 'organizations',
  properties: {
    id: p.text().primary().$type<Id<'org'>>(),
    name: p.text(),
    /** Whether decisions need two persons. */
    requireSecondPerson: p.boolean().default(false),
    /** Whether members need a second factor, proven within five minutes to decide. */
    requireSecondFactor: p.boolean().default(false),
    createdAt: p.datetime(3),
    /** The number of changes of its disclosures. */
    disclosureChanges: p.bigint('number').default(0),
  },
});

declare module '../../platform/database/query.js' {
  interface Tables {
    organizations: TableOf<typeof OrganizationEntity>;
  }
}
