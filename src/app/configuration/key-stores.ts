import { ConfigurationError } from '../../platform/kernel/configuration-error.js';
import { isLoopback } from '../../platform/kernel/hosts.js';
import {
  type KeyStoreConfiguration,
  type KeyUri,
  parseKeyUri,
  storeIsMissing,
} from '../../platform/keys/index.js';
import { parseFile, parseUrl } from './values.js';
import type { Read, VariableName } from './variables.js';

/** The stores that keys can be in. */
export function parseKeyStores(read: Read): KeyStoreConfiguration {
  return { pkcs11: parsePkcs11(read), vault: parseVault(read), gcp: parseGcp(read) };
}

/** A key that one of the configured stores keeps. */
export function parseStoredKey(read: Read, name: VariableName, uri: string): KeyUri {
  const key = parseKeyUri(uri);
  const { pkcs11, vault } = parseKeyStores(read);
  const isMissing = (key.store === 'pkcs11' && !pkcs11) || (key.store === 'vault' && !vault);
  if (isMissing) throw storeIsMissing(name, key.store);
  return key;
}

/** The library of a hardware token, with the file of its PIN. */
function parsePkcs11(read: Read): KeyStoreConfiguration['pkcs11'] {
  const module = parseFile(read, 'LUCARNE_PKCS11_MODULE');
  const pinFile = parseFile(read, 'LUCARNE_PKCS11_PIN_FILE');
  if (module === undefined && pinFile === undefined) return undefined;
  if (module === undefined || pinFile === undefined)
    throw new ConfigurationError('Set both LUCARNE_PKCS11_MODULE and LUCARNE_PKCS11_PIN_FILE, or neither.');
  return { module, pinFile };
}

/** Google’s SDK reads its credentials itself. */
const parseGcp = (read: Read): KeyStoreConfiguration['gcp'] =>
  read('GOOGLE_SDK_NODE_LOGGING') === undefined ? undefined : { isLogged: true };

function parseVault(read: Read): KeyStoreConfiguration['vault'] {
  const address = parseUrl(read, 'LUCARNE_VAULT_ADDR', ['http:', 'https:']);
  const tokenFile = parseFile(read, 'LUCARNE_VAULT_TOKEN_FILE');
  if (!address && tokenFile === undefined) return undefined;
  if (!address || tokenFile === undefined)
    throw new ConfigurationError('Set both LUCARNE_VAULT_ADDR and LUCARNE_VAULT_TOKEN_FILE, or neither.');
  if (address.protocol === 'http:' && !isLoopback(address.hostname))
    throw new ConfigurationError('LUCARNE_VAULT_ADDR must begin with https://, unless it is on loopback.');
  if (address.search !== '' || address.hash !== '' || address.username !== '' || address.password !== '')
    throw new ConfigurationError('LUCARNE_VAULT_ADDR must have no query, fragment or user.');
  return { address, tokenFile };
}
