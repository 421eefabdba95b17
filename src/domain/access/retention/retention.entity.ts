import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { RetentionKind } from './retention-kinds.js';

/** For how many years an organization keeps a kind, if not for the default. */
export const RetentionSettingEntity = defineEntity({
  name: 'RetentionSetting',
  tableName: 'retention_settings',
  properties: {
    organizationId: p.text().primary().$type<Id<'org'>>(),
    kind: p.text().primary().$type<RetentionKind>(),
    years: p.integer(),
  },
});

/** While it is in force, nothing of its kinds is deleted. */
export const LegalHoldEntity = defineEntity({
  name: 'LegalHold',
  tableName: 'legal_holds',
  properties: {
    id: p.text().primary().$type<Id<'hld'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    kinds: p.array().$type<RetentionKind[]>(),
    reason: p.text(),
    /** When it ends by itself; null when it does not. */
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
