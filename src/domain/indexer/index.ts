import { IndexerWorkerEntity } from './indexer.entity.js';

export { createIndexer, type Indexer, type IndexerOptions } from './indexer.js';
export { sweepWorkers } from './sweep-workers.js';
export { createIndexerMetrics } from './indexer-metrics.js';

export const indexerEntities = [IndexerWorkerEntity] as const;
