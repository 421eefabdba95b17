import { defineEntity, p } from '@mikro-orm/core';
import type { Id } from '../kernel/ids.js';

/** The tenant: everything else belongs to exactly one. */
export const Organization = defineEntity({
  name: 'Organization',
  tableName: 'organizations',
  properties: {
    id: p.text().primary().$type<Id<'org'>>(),
    name: p.text(),
    /** Whether a case must be approved by another person than the one who requested it. */
    requireSecondPerson: p.boolean().default(false),
    createdAt: p.datetime(3),
  },
});
