import { InvalidKeyFile, keyFileSigner, type RelaySigner, signerOf } from '../../domain/relays/index.js';
import { ConfigurationError } from '../../platform/kernel/configuration-error.js';
import { isUnavailable } from '../../platform/kernel/errors.js';
import type { Log } from '../../platform/kernel/log.js';
import { formatKeyUri, openKeychainSigner, openSigningKey } from '../../platform/keys/index.js';
import type { Configuration, VariableName } from '../configuration/index.js';
import { keyStoresOf } from '../key-stores.js';

type Configured = Pick<Configuration, 'relayer' | 'keyStores'>;

/** A key whose store or keychain does not answer. Its account is unknown, because the address is the public key. */
export interface AwayKey {
  /** As the configuration names it. It is no secret. */
  readonly name: string;
  readonly failure: ConfigurationError;
  /** Tries again. Throws `UNAVAILABLE` while the store is unavailable, `ConfigurationError` if a person must act. */
  open(): Promise<RelaySigner>;
}

interface Opened {
  readonly signers: RelaySigner[];
  readonly away: readonly AwayKey[];
}

interface Unopened {
  /** The error of each key that only a person can fix. */
  readonly failures: readonly ConfigurationError[];
  /** The error of each key that does not open. Keys in unavailable stores come last. */
  readonly unopened: readonly ConfigurationError[];
}

/** Whether the key of the embedded ledger pays, because none is configured. */
export const usesLocalKey = ({ relayer, solanaRpcUrls }: Configuration): boolean =>
  solanaRpcUrls.length === 0 &&
  relayer.keypairFiles.length + relayer.keys.length + relayer.keychainFiles.length === 0;

/**
 * The configured payer keys of the relayer: files first, then stores and keychains, which may be unavailable at the start.
 * @throws {ConfigurationError}
 */
export async function openSigners(configuration: Configured, log: Log): Promise<Opened> {
  const { signers, away, failures } = await openEachSigner(configuration, log);
  const [failure] = failures;
  if (failure) throw failure;
  return { signers, away };
}

/**
 * Every key that opens, and why each other one does not.
 * @throws {ConfigurationError} when a key is named twice.
 */
export async function openEachSigner(
  { relayer: { keypairFiles, keys, keychainFiles }, keyStores }: Configured,
  log: Log,
): Promise<Opened & Unopened> {
  const stores = keyStoresOf({ keyStores });
  // In parallel, so that an unavailable store does not delay the others.
  const outcomes = await Promise.all([
    ...keypairFiles.map((file) => outcomeOf(() => openFile(file, log))),
    ...keys.map((key) =>
      outcomeOf(async () => signerOf(await openSigningKey(stores, key)), {
        ...{ setting: 'LUCARNE_RELAYER_KEY', name: formatKeyUri(key) },
      }),
    ),
    ...keychainFiles.map((file) =>
      outcomeOf(async () => signerOf(await openKeychainSigner(file)), {
        ...{ setting: 'LUCARNE_RELAYER_KEYCHAIN_FILE', name: file },
      }),
    ),
  ]);
  const signers = outcomes.flatMap(({ signer }) => signer ?? []);
  const addresses = signers.map(({ address }) => address);
  const twice = addresses.find((address, at) => addresses.indexOf(address) !== at);
  if (twice !== undefined) throw namedTwice(twice);
  const away = outcomes.flatMap((outcome) => outcome.away ?? []);
  const failures = outcomes.flatMap(({ failure }) => failure ?? []);
  return { signers, away, failures, unopened: [...failures, ...away.map(({ failure }) => failure)] };
}

interface Outcome {
  readonly signer?: RelaySigner;
  readonly away?: AwayKey;
  readonly failure?: ConfigurationError;
}

/** How the configuration names a key that is kept elsewhere. */
interface Named {
  readonly setting: VariableName;
  readonly name: string;
}

/** The result of opening a key. Only a key in a store or keychain can be unavailable. */
async function outcomeOf(open: () => Promise<RelaySigner>, key?: Named): Promise<Outcome> {
  try {
    return { signer: await open() };
  } catch (thrown) {
    if (key && isUnavailable(thrown))
      return { away: { name: key.name, failure: explained(key, thrown), open } };
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return { failure: key ? explained(key, thrown) : thrown };
  }
}

export const namedTwice = (address: string) =>
  new ConfigurationError(
    'LUCARNE_RELAYER_KEYPAIR_FILE, LUCARNE_RELAYER_KEY and LUCARNE_RELAYER_KEYCHAIN_FILE name the key of ' +
      `${address} twice. Name each key once.`,
  );

async function openFile(file: string, log: Log): Promise<RelaySigner> {
  try {
    return await keyFileSigner(file, log);
  } catch (thrown) {
    if (!(thrown instanceof InvalidKeyFile)) throw thrown;
    throw new ConfigurationError(`LUCARNE_RELAYER_KEYPAIR_FILE: ${thrown.message}`, { cause: thrown });
  }
}

const explained = ({ setting, name }: Named, thrown: Error): ConfigurationError =>
  new ConfigurationError(`${setting}, ${name}: ${thrown.message}`, { cause: thrown });
