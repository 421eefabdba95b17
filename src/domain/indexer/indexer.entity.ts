import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../platform/database/index.js';

/** The live workers. Each follows at most its share of the mints. */
export const IndexerWorkerEntity = defineEntity({
  name: 'IndexerWorker',
  tableName: 'indexer_workers',
  properties: {
    instanceId: p.text().primary(),
    seenAt: p.datetime(3),
  },
});

declare module '../../platform/database/query.js' {
  interface Tables {
    indexer_workers: TableOf<typeof IndexerWorkerEntity>;
  }
}
