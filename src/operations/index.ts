export { DataDirectoryInUse, lockDataDirectory } from './data-directory-lock.js';
export { registerHealth, type Phase } from './health.js';
export { createHttpServer } from './http-server.js';
export { createLogger } from './logger.js';
export { checkMasterKey, WrongMasterKey } from './master-key-check.js';
export { createMetrics, type Metrics } from './metrics.js';
export { stopSignal } from './stop-signal.js';
