export type { RequestContext } from '../../domain/access/index.js';
export { createAdmission } from './limits/admission.js';
export { GRAPHQL_PATH, registerGraphql } from './apollo.js';
export { logOwnFault, lucarneErrorIn } from './error-table.js';
export { createContextFactory, type ContextFactory, type Credentials } from './http-context.js';
export { type Need, requireOneOf } from './needs.js';
export { compileOperation } from './operation.js';
export { executableSchema, printSortedSchema } from './schema.js';
export { registerGraphqlWebSocket } from './subscriptions/websocket.js';
