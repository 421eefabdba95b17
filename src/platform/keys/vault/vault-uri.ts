import { ConfigurationError } from '../../kernel/configuration-error.js';

/** A key of a Transit engine. */
export interface TransitKey {
  /** Where the engine is mounted, preceded by its namespaces. */
  readonly mount: string;
  readonly name: string;
}

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const MAX_SEGMENTS = 8;

/** Parses `MOUNT/KEY`: the last segment is the key, the others are the mount. */
export function parseTransitKey(path: string): TransitKey {
  const segments = path.split('/');
  const name = segments.at(-1)!;
  if (segments.length > 1 && segments.length <= MAX_SEGMENTS && segments.every((each) => SEGMENT.test(each)))
    return { mount: segments.slice(0, -1).join('/'), name };
  throw new ConfigurationError(
    `“vault:${path}” names no key of Vault. Write vault:MOUNT/KEY, such as vault:transit/lucarne; address and token are ` +
      'configured apart, by LUCARNE_VAULT_ADDR and LUCARNE_VAULT_TOKEN_FILE.',
  );
}

export const locatorOf = ({ mount, name }: TransitKey): string => `${mount}/${name}`;

export const vaultLocator = (path: string): string => locatorOf(parseTransitKey(path));
