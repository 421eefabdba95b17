export { errorBody } from './error-table.js';
export type { FileBytes } from './file-answer.js';
export { printOpenApi } from './openapi.js';
export { sendRefusal } from './refusal.js';
export { registerRest, type RestOptions } from './register-rest.js';
