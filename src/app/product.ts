import { addDemoCommand } from '../demo/demo-command.js';
import type { Product } from '../edge/cli/index.js';

/** The application as commands see it. Nothing heavy is loaded before a command runs. */
export const product: Product = {
  serve: async () => (await import('./serve.js')).serve(),
  dataDirectory: async () =>
    (await (await import('./configuration/index.js')).readConfiguration()).dataDirectory,
  withDatabase: async (access, work) => (await import('./open-foundation.js')).withDatabase(access, work),
  withFoundation: async (access, work) => (await import('./open-foundation.js')).withFoundation(access, work),
  withKeys: async (access, work) => (await import('./open-foundation.js')).withKeys(access, work),
  relayerStatus: async (access) => (await import('./relayer/relayer-status.js')).relayerStatus(access),
  examine: async (options) => (await import('./doctor/doctor.js')).examine(options),
  printGraphqlSchema: async () => (await import('./schemas/graphql-schema.js')).printGraphqlSchema(),
  printDatabaseSchema: async () => (await import('./schemas/database-schema.js')).printDatabaseSchema(),
  commands: [addDemoCommand],
};
