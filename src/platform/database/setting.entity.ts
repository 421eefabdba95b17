import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from './query.js';

/** A fact about the database itself. */
export const SettingEntity = defineEntity({
  name: 'Setting',
  tableName: 'settings',
  properties: {
    name: p.text().primary(),
    value: p.json().$type<unknown>(),
  },
});

declare module './query.js' {
  interface Tables {
    settings: TableOf<typeof SettingEntity>;
  }
}
