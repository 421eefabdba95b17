import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';

/** A product of the organization. Assets, cases and permissions belong to an application. */
export const ApplicationEntity = defineEntity({
  name: 'Application',
  tableName: 'applications',
  properties: {
    /** Never shown to callers: they name an application by `foreignId`. */
    id: p.text().primary().$type<Id<'app'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    foreignId: p.text(),
    name: p.text(),
    /** The public, random id by which `/check` identifies this application. */
    checkApplicationId: p.text(),
    createdAt: p.datetime(3),
    /** Counts the changes of its case requests and cases. */
    caseChanges: p.bigint('number').default(0),
  },
});

declare module '../../platform/database/query.js' {
  interface Tables {
    applications: TableOf<typeof ApplicationEntity>;
  }
}
