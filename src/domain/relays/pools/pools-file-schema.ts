import type { PoolsFile } from './pool-schema.js';

/** The JSON Schema of a pools file, for printing. */
export async function poolsFileSchema(): Promise<typeof PoolsFile> {
  return (await import('./pool-schema.js')).PoolsFile;
}
