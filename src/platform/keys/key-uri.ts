import { ConfigurationError } from '../kernel/configuration-error.js';
import { awsLocator } from './aws/aws-locator.js';
import { gcpLocator } from './gcp/gcp-locator.js';
import { pkcs11Locator } from './pkcs11/pkcs11-uri.js';
import { vaultLocator } from './vault/vault-uri.js';

export type StoreName = 'pkcs11' | 'vault' | 'aws-kms' | 'gcp-kms';

/** Which key of which store. */
export interface KeyUri {
  readonly store: StoreName;
  /** The same for the same key, however its URI was written. It is no secret. */
  readonly locator: string;
}

interface Form {
  /** How a key of the store is named, for sentences. */
  readonly example: string;
  /** What must be there to reach it. */
  readonly needs: string;
  /** The locator of what follows the colon. Throws `ConfigurationError`. */
  readonly locator: (path: string) => string;
}

const FORMS: Readonly<Record<StoreName, Form>> = {
  pkcs11: {
    example: 'pkcs11:token=LABEL;object=LABEL',
    needs: 'LUCARNE_PKCS11_MODULE and LUCARNE_PKCS11_PIN_FILE',
    locator: pkcs11Locator,
  },
  vault: {
    example: 'vault:MOUNT/KEY',
    needs: 'LUCARNE_VAULT_ADDR and LUCARNE_VAULT_TOKEN_FILE',
    locator: vaultLocator,
  },
  'aws-kms': {
    example: 'aws-kms:ARN',
    needs: 'the optional package @aws-sdk/client-kms',
    locator: awsLocator,
  },
  'gcp-kms': {
    example: 'gcp-kms:projects/P/locations/L/keyRings/R/cryptoKeys/K',
    needs: 'the optional package @google-cloud/kms',
    locator: gcpLocator,
  },
};

export const KEY_URI_EXAMPLES: readonly string[] = Object.values(FORMS).map(({ example }) => example);

const storeOf = (uri: string): StoreName | undefined =>
  (Object.keys(FORMS) as StoreName[]).find((name) => uri.startsWith(`${name}:`));

/** Whether a text names a key of a store, rightly or not. */
export const isKeyUri = (text: string): boolean => storeOf(text) !== undefined;

/** Reads the URI of a key that a store keeps. Throws `ConfigurationError`. */
export function parseKeyUri(uri: string): KeyUri {
  const store = storeOf(uri);
  if (store) return { store, locator: FORMS[store].locator(uri.slice(store.length + 1)) };
  throw new ConfigurationError(`“${uri}” names no key. Write one of: ${KEY_URI_EXAMPLES.join(', ')}.`);
}

export const formatKeyUri = ({ store, locator }: KeyUri): string => `${store}:${locator}`;

/** `what` needs a key of a store that is not configured. */
export const storeIsMissing = (what: string, store: StoreName): ConfigurationError =>
  new ConfigurationError(`${what} needs ${FORMS[store].needs}.`);
