export type { RequestContext } from '../organizations/index.js';
export { GRAPHQL_PATH, registerGraphql, type GraphqlOptions } from './apollo.js';
export { lucarneErrorIn } from './error-table.js';
export { createContextFactory, type ContextFactory, type Credentials } from './http-context.js';
export { GRAPHQL_LIMITS } from './limits.js';
export { compileOperation, type CompiledOperation } from './operation.js';
export { executableSchema, printSortedSchema } from './schema.js';
export { registerGraphqlWebSocket } from './websocket.js';
