import { ConfigurationError } from '../../kernel/configuration-error.js';

const NAME =
  /^projects\/[a-z0-9:.-]{1,100}\/locations\/[a-z0-9-]{1,63}\/keyRings\/[\w-]{1,63}\/cryptoKeys\/[\w-]{1,63}(\/cryptoKeyVersions\/[1-9]\d{0,8})?$/;

/** The resource name of a Cloud KMS key, or of a key version. */
export function gcpLocator(path: string): string {
  if (NAME.test(path)) return path;
  throw new ConfigurationError(
    `“gcp-kms:${path}” names no key of Cloud KMS. Write gcp-kms:projects/P/locations/L/keyRings/R/cryptoKeys/K, and ` +
      '/cryptoKeyVersions/N after it for a key that signs; credentials are those of the environment.',
  );
}

export const isKeyName = (text: string): boolean => NAME.test(text);

export const isKeyVersion = (locator: string): boolean => locator.includes('/cryptoKeyVersions/');
