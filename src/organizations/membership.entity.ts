import { defineEntity, p } from '@mikro-orm/core';
import type { Id } from '../kernel/ids.js';

/** That a user acts for an organization, and for no other. Its permission grants go when it goes. */
export const Membership = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  properties: {
    userId: p.text().primary().$type<Id<'usr'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    createdAt: p.datetime(3),
  },
});
