import type { Database } from '../../platform/database/index.js';
import type { Log } from '../../platform/kernel/log.js';
import { systemRandom } from '../../platform/kernel/random.js';
import { createKeyring, createMasterKeys, type Keyring, type MasterKeys } from '../../platform/keys/index.js';
import { type Configuration, resolveMasterKey } from '../configuration/index.js';
import { keyStoresOf } from '../key-stores.js';
import { PURPOSES } from './sealed-columns.js';

/** The keyring of a database, under the master key of the configuration. It is not opened yet. */
export async function openKeyring(
  configuration: Configuration,
  { database, log }: { readonly database: Database; readonly log: Pick<Log, 'info' | 'warn' | 'error'> },
): Promise<Keyring> {
  return createKeyring({
    ...{ database, log, random: systemRandom, purposes: PURPOSES },
    masterKeys: await openMasterKeys(configuration),
  });
}

/** The master keys that this process can reach. */
export async function openMasterKeys(configuration: Configuration): Promise<MasterKeys> {
  return createMasterKeys(await resolveMasterKey(configuration), keyStoresOf(configuration));
}
