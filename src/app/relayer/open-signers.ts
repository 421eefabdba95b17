import { InvalidKeyFile, keyFileSigner, type RelaySigner, signerOf } from '../../domain/relays/index.js';
import { ConfigurationError } from '../../platform/kernel/configuration-error.js';
import { isLucarneError } from '../../platform/kernel/errors.js';
import type { Log } from '../../platform/kernel/log.js';
import { createKeyStores, type KeyStores, type KeyUri, openSigningKey } from '../../platform/keys/index.js';
import type { Configuration } from '../configuration/index.js';

/**
 * The keys that pay for relays, as they are configured: files first, then stores, which must answer at the start.
 * @throws {ConfigurationError}
 */
export async function openSigners(
  { relayer: { keypairFiles, keys }, keyStores }: Pick<Configuration, 'relayer' | 'keyStores'>,
  log: Log,
): Promise<RelaySigner[]> {
  const signers: RelaySigner[] = [];
  for (const file of keypairFiles) signers.push(await openFile(file, log));
  const stores = createKeyStores(keyStores);
  for (const key of keys) signers.push(await openStored(stores, key));
  const addresses = signers.map(({ address }) => address);
  const twice = addresses.find((address, at) => addresses.indexOf(address) !== at);
  if (twice !== undefined)
    throw new ConfigurationError(
      `LUCARNE_RELAYER_KEYPAIR_FILE and LUCARNE_RELAYER_KEY name the key of ${twice} twice. Name each key once.`,
    );
  return signers;
}

async function openFile(file: string, log: Log): Promise<RelaySigner> {
  try {
    return await keyFileSigner(file, log);
  } catch (thrown) {
    if (!(thrown instanceof InvalidKeyFile)) throw thrown;
    throw new ConfigurationError(`LUCARNE_RELAYER_KEYPAIR_FILE: ${thrown.message}`, { cause: thrown });
  }
}

async function openStored(stores: KeyStores, key: KeyUri): Promise<RelaySigner> {
  try {
    return signerOf(await openSigningKey(stores, key));
  } catch (thrown) {
    if (!isLucarneError(thrown) && !(thrown instanceof ConfigurationError)) throw thrown;
    throw new ConfigurationError(`LUCARNE_RELAYER_KEY: ${thrown.message}`, { cause: thrown });
  }
}
