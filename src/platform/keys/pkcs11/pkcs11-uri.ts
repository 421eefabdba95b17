import { ConfigurationError } from '../../kernel/configuration-error.js';
import { attempt } from '../../kernel/encoding/attempt.js';

/** An object and its token. */
export interface ObjectName {
  readonly token: string;
  readonly object: string;
}

/** Parses the path of a PKCS #11 URI (RFC 7512) with a token and an object only. */
export function parseObjectName(path: string): ObjectName {
  const attributes = new Map<string, string>();
  for (const part of path.split(';')) {
    const [name = '', value = ''] = part.split('=', 2);
    attributes.set(name, attempt(() => decodeURIComponent(value)) ?? '');
  }
  const { token, object, ...others } = Object.fromEntries(attributes);
  if (!token || !object || Object.keys(others).length > 0)
    throw new ConfigurationError(
      `“pkcs11:${path}” names no key in a token. Write pkcs11:token=LABEL;object=LABEL; module and PIN are configured apart, by ` +
        'LUCARNE_PKCS11_MODULE and LUCARNE_PKCS11_PIN_FILE.',
    );
  return { token, object };
}

/** The path of the URI. It is always the same for the same object, however it was written. */
export const locatorOf = ({ token, object }: ObjectName): string =>
  `token=${encodeURIComponent(token)};object=${encodeURIComponent(object)}`;

export const pkcs11Locator = (path: string): string => locatorOf(parseObjectName(path));
