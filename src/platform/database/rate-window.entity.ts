import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from './query.js';

/** The requests of one client, pool or the like in one minute. */
export const RateWindowEntity = defineEntity({
  name: 'RateWindow',
  tableName: 'rate_windows',
  properties: {
    keyHash: p.blob().primary().$type<Uint8Array>(),
    startedAt: p.datetime(3).primary(),
    requests: p.integer(),
  },
});

declare module './query.js' {
  interface Tables {
    rate_windows: TableOf<typeof RateWindowEntity>;
  }
}
