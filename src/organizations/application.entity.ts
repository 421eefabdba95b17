import { defineEntity, p } from '@mikro-orm/core';
import type { Id } from '../kernel/ids.js';

/** A product of the organization: assets, cases and permissions are held by application. */
export const ApplicationRecord = defineEntity({
  name: 'Application',
  tableName: 'applications',
  properties: {
    /** Never shown outside: the outside names an application by `foreignId`. */
    id: p.text().primary().$type<Id<'app'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    foreignId: p.text(),
    name: p.text(),
    checkApplicationId: p.text(),
    createdAt: p.datetime(3),
  },
});
