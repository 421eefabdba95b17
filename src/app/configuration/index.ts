export { readConfiguration } from './configuration.js';
export { resolveMasterKey } from './master-key.js';
export type { Configuration } from './settings.js';
export { VARIABLES, type VariableName } from './variables.js';
