export { registerHealth, type Phase } from './health.js';
export { createHttpServer } from './http-server.js';
export { createLogger } from './logger.js';
export { createLogOutputMetrics, openLogOutput } from './log-output.js';
export { terminalOutput } from './terminal-output.js';
export { createRegistry } from './registry.js';
