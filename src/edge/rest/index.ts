export type { FileBytes } from './file-answer.js';
export { printOpenApi } from './reference/openapi.js';
export { sendRefusal } from './refusal.js';
export { registerRest, type RestOptions } from './register-rest.js';
