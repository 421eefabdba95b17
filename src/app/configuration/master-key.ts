import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { base64 } from '../../platform/kernel/encoding/bytes.js';
import { ConfigurationError } from '../../platform/kernel/configuration-error.js';
import { createFile } from '../../platform/kernel/whole-file.js';
import { isKeyUri, type MasterKeyPlace, parseMasterKeys, readMasterKeys } from '../../platform/keys/index.js';
import { parseStoredKey } from './key-stores.js';
import type { Configuration } from './settings.js';
import { parseFile } from './values.js';
import type { Read } from './variables.js';

const MASTER_KEY_BYTES = 32;

/**
 * Where the master key is: as configured, or, on the embedded database, in a file of the data directory that the first start
 * creates. With a server database it must be configured, because all instances need the same key.
 */
export async function resolveMasterKey(configuration: Configuration): Promise<MasterKeyPlace> {
  if (configuration.masterKey) return configuration.masterKey;
  if (configuration.databaseUrl !== undefined) {
    throw new ConfigurationError(
      'LUCARNE_MASTER_KEY or LUCARNE_MASTER_KEY_FILE is required with DATABASE_URL: 32 bytes in base64. ' +
        'Make one with: openssl rand -base64 32',
    );
  }
  const file = path.join(configuration.dataDirectory, 'master.key');
  await mkdir(configuration.dataDirectory, { recursive: true, mode: 0o700 });
  // An existing key is never overwritten, because what it encrypts would be lost.
  if (!existsSync(file)) createFile(file, `${base64.encode(randomBytes(MASTER_KEY_BYTES))}\n`);
  await readMasterKeys(file, file);
  return { kind: 'file', name: file, file };
}

export async function parseMasterKey(read: Read): Promise<MasterKeyPlace | undefined> {
  const value = read('LUCARNE_MASTER_KEY');
  const file = parseFile(read, 'LUCARNE_MASTER_KEY_FILE');
  if (value !== undefined && file !== undefined) {
    throw new ConfigurationError('Set only one of LUCARNE_MASTER_KEY and LUCARNE_MASTER_KEY_FILE.');
  }
  if (value !== undefined && isKeyUri(value))
    return {
      kind: 'store',
      name: 'LUCARNE_MASTER_KEY',
      uri: parseStoredKey(read, 'LUCARNE_MASTER_KEY', value),
    };
  if (value !== undefined) {
    const keys = parseMasterKeys('LUCARNE_MASTER_KEY', value);
    return { kind: 'bytes', name: 'LUCARNE_MASTER_KEY', keys };
  }
  if (file === undefined) return undefined;
  await readMasterKeys('LUCARNE_MASTER_KEY_FILE', file);
  return { kind: 'file', name: 'LUCARNE_MASTER_KEY_FILE', file };
}
