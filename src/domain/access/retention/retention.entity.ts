import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { RetentionKind } from './retention-kinds.js';

/** The retention of a kind in years, if the organization does not use the default. */
export const RetentionSettingEntity = defineEntity({
  name: 'RetentionSetting',
  tableName: 'retention_settings',
  properties: {
    organizationId: p.text().primary().$type<Id<'org'>>(),
    kind: p.text().primary().$type<RetentionKind>(),
    years: p.integer(),
  },
});

/** While a hold is in force, no data of its kinds is deleted. */
export const LegalHoldEntity = defineEntity({
  name: 'LegalHold',
  tableName: 'legal_holds',
  properties: {
    id: p.text().primary().$type<Id<'hld'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    kinds: p.array().$type<RetentionKind[]>(),
    reason: p.text(),
    /** When the hold ends by itself. Null if it does not. */
    until: p.datetime(3).nullable(),
    placedBy: p.text().$type<Id<'usr'>>(),
    placedAt: p.datetime(3),
    releasedAt: p.datetime(3).nullable(),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    retention_settings: TableOf<typeof RetentionSettingEntity>;
    legal_holds: TableOf<typeof LegalHoldEntity>;
  }
}
