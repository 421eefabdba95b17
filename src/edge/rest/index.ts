export type { FileBytes } from './file-answer.js';
export { printOpenApi } from './reference/openapi.js';
export { refuseFor, registerRest, type RestOptions } from './register-rest.js';
