import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../../platform/kernel/errors.js';
import { InvalidPoolsFile, parsePoolsFile, type PoolDescriptor } from './pool-descriptor.js';

/** By pool selector. */
export type Pools = ReadonlyMap<string, PoolDescriptor>;

/**
 * Reads a pools file, and the verification keys that are separate files, from its folder.
 * @throws {InvalidPoolsFile} also when a file cannot be read
 */
export async function readPoolsFile(file: string): Promise<Pools> {
  const folder = path.dirname(file);
  return parsePoolsFile(await readJson(file), (name) => readJson(path.resolve(folder, name)));
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new InvalidPoolsFile(`${path.basename(file)} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
