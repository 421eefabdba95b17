import { ConfigurationError } from '../../kernel/configuration-error.js';

const ARN = /^arn:aws[a-z-]*:kms:([a-z0-9-]{1,32}):\d{12}:(key\/[A-Za-z0-9-]{1,64}|alias\/[\w/-]{1,250})$/;
const SHORT = /^([A-Za-z0-9-]{1,64}|alias\/[\w/-]{1,250})$/;

/** A valid `KeyId` of AWS KMS: the ARN of a key or an alias, a key id, or `alias/NAME`. */
export function awsLocator(path: string): string {
  if (ARN.test(path) || SHORT.test(path)) return path;
  throw new ConfigurationError(
    `“aws-kms:${path}” names no key of AWS KMS. Write aws-kms:ARN with the ARN of a key, or aws-kms:alias/NAME; region and ` +
      'credentials are configured as for every program of AWS.',
  );
}

/** Whether it is the ARN of a key, which never changes. An alias can be moved to another key. */
export const isKeyArn = (locator: string): boolean => ARN.exec(locator)?.[2]?.startsWith('key/') === true;

/** The region that an ARN names. */
export const regionOf = (locator: string): string | undefined => ARN.exec(locator)?.[1];
