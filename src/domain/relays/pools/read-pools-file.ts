import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../../platform/kernel/errors.js';
import { InvalidPoolsFile, parsePoolsFile, type PoolDescriptor } from './pool-descriptor.js';

/** By pool selector. */
export type Pools = ReadonlyMap<string, PoolDescriptor>;

/**
 * Reads a pools file, and the verification keys that are separate files in its folder.
 * @throws {InvalidPoolsFile} also if a file cannot be read, and in production for a pool that is only for tests
 */
export async function readPoolsFile(file: string, isProduction: boolean): Promise<Pools> {
  const folder = path.dirname(file);
  const pools = await parsePoolsFile(await readJson(file), (name) => readJson(path.resolve(folder, name)));
  if (isProduction) [...pools.values()].forEach(requireOwnScreening);
  return pools;
}

/** With `"*"`, the submitter of a package chooses who screens it. */
function requireOwnScreening({ screening: { applications } }: PoolDescriptor, at: number): void {
  if (applications !== '*') return;
  throw new InvalidPoolsFile(
    `pools[${at}].screening.applications is "*" in production, which lets each submitter choose who screens a package. ` +
      'List the public check ids of the applications that serve the pool, or [] for none.',
  );
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new InvalidPoolsFile(`${path.basename(file)} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
