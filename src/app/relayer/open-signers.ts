import { InvalidKeyFile, keyFileSigner, type RelaySigner, signerOf } from '../../domain/relays/index.js';
import { ConfigurationError } from '../../platform/kernel/configuration-error.js';
import { isLucarneError } from '../../platform/kernel/errors.js';
import type { Log } from '../../platform/kernel/log.js';
import {
  createKeyStores,
  formatKeyUri,
  type KeyStores,
  type KeyUri,
  openSigningKey,
} from '../../platform/keys/index.js';
import type { Configuration } from '../configuration/index.js';

type Configured = Pick<Configuration, 'relayer' | 'keyStores'>;

/**
 * The keys that pay for relays, as they are configured: files first, then stores, which must answer at the start.
 * @throws {ConfigurationError}
 */
export async function openSigners(configuration: Configured, log: Log): Promise<RelaySigner[]> {
  const { signers, failures } = await openEachSigner(configuration, log);
  const [failure] = failures;
  if (failure) throw failure;
  return signers;
}

/**
 * Every key that opens, and why each other one does not.
 * @throws {ConfigurationError} when a key is named twice.
 */
export async function openEachSigner(
  { relayer: { keypairFiles, keys }, keyStores }: Configured,
  log: Log,
): Promise<{ readonly signers: RelaySigner[]; readonly failures: readonly ConfigurationError[] }> {
  const signers: RelaySigner[] = [];
  const failures: ConfigurationError[] = [];
  const stores = createKeyStores(keyStores);
  const each = [
    ...keypairFiles.map((file) => () => openFile(file, log)),
    ...keys.map((key) => () => openStored(stores, key)),
  ];
  for (const open of each) {
    try {
      signers.push(await open());
    } catch (thrown) {
      if (!(thrown instanceof ConfigurationError)) throw thrown;
      failures.push(thrown);
    }
  }
  const addresses = signers.map(({ address }) => address);
  const twice = addresses.find((address, at) => addresses.indexOf(address) !== at);
  if (twice !== undefined)
    throw new ConfigurationError(
      `LUCARNE_RELAYER_KEYPAIR_FILE and LUCARNE_RELAYER_KEY name the key of ${twice} twice. Name each key once.`,
    );
  return { signers, failures };
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
    throw new ConfigurationError(`LUCARNE_RELAYER_KEY, ${formatKeyUri(key)}: ${thrown.message}`, {
      cause: thrown,
    });
  }
}
