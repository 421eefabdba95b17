import { ConfigurationError } from '../kernel/configuration-error.js';
import { awsLocator } from './aws/aws-locator.js';
import { gcpLocator } from './gcp/gcp-locator.js';
import { pkcs11Locator } from './pkcs11/pkcs11-uri.js';
import { vaultLocator } from './vault/vault-uri.js';

export type StoreName = 'pkcs11' | 'vault' | 'aws-kms' | 'gcp-kms';

/** A key and its store. */
export interface KeyUri {
  readonly store: StoreName;
  /** Always the same for the same key, however its URI was written. It is not secret. */
  readonly locator: string;
}

interface Form {
  /** An example of a key's URI, for messages. */
  readonly example: string;
  /** What is required to use the store, for messages. */
  readonly needs: string;
  /** Parses the part after the colon. Throws `ConfigurationError`. */
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

/** Whether a text begins like the URI of a stored key, valid or not. */
export const isKeyUri = (text: string): boolean => storeOf(text) !== undefined;

/** Parses the URI of a stored key. Throws `ConfigurationError`. */
export function parseKeyUri(uri: string): KeyUri {
  const store = storeOf(uri);
  if (store) return { store, locator: FORMS[store].locator(uri.slice(store.length + 1)) };
  throw new ConfigurationError(`“${uri}” names no key. Write one of: ${KEY_URI_EXAMPLES.join(', ')}.`);
}

export const formatKeyUri = ({ store, locator }: KeyUri): string => `${store}:${locator}`;

/** The error if `what` needs a key of a store that is not configured. */
export const storeIsMissing = (what: string, store: StoreName): ConfigurationError =>
  new ConfigurationError(`${what} needs ${FORMS[store].needs}.`);
