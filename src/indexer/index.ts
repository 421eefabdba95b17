export { createIndexer, type Indexer, type IndexerOptions, type IndexerState } from './indexer.js';
export { noMetrics, type IndexerMetrics } from './indexer-metrics.js';
export { DEFAULT_TIMING, type IndexerTiming } from './indexer-timing.js';
export { type IndexingReason, type MintState, type MintStatus } from './mint-state.js';
