import { ConfigurationError } from '../../kernel/configuration-error.js';
import { isJsonObject } from '../../kernel/encoding/json.js';
import { unavailable } from '../../kernel/errors.js';
import type { VaultClient } from './vault-client.js';
import { locatorOf, type TransitKey } from './vault-uri.js';

/** Vault's description of a key. */
export interface TransitKeyDescription {
  readonly type: string;
  /** Whether a separate key is derived from it for each context. */
  readonly isDerived: boolean;
  readonly latestVersion: number;
  readonly minDecryptionVersion: number;
  /** The public key of each version, in base64. Only keys that sign have them. */
  readonly publicKeys: ReadonlyMap<number, string>;
}

/** `undefined` if Vault does not have the key. */
export async function describeKey(
  client: VaultClient,
  { mount, name }: TransitKey,
): Promise<TransitKeyDescription | undefined> {
  const answer = await client.send(`${mount}/keys/${name}`);
  if (answer.status === 404) return undefined;
  const description = answer.status === 200 ? parseDescription(answer.data) : undefined;
  return description ?? refuseAnswer();
}

export const noSuchKey = (key: TransitKey, parameters: string): ConfigurationError =>
  new ConfigurationError(
    `Vault has no key “${locatorOf(key)}”. Correct LUCARNE_VAULT_ADDR or the name, or make it: vault write -f ` +
      `${key.mount}/keys/${key.name} ${parameters}`,
  );

/** The error if something other than Transit answers. The answer is not quoted. */
export function refuseAnswer(): never {
  throw unavailable(
    'Vault gives answers that a Transit engine does not give. Correct LUCARNE_VAULT_ADDR or the mount.',
  );
}

function parseDescription(data: Readonly<Record<string, unknown>>): TransitKeyDescription | undefined {
  const { type, derived, latest_version: latest, min_decryption_version: minimum = 1, keys } = data;
  if (typeof type !== 'string' || typeof derived !== 'boolean' || !isVersion(latest) || !isVersion(minimum))
    return undefined;
  const publicKeys = new Map<number, string>();
  for (const [version, key] of Object.entries(isJsonObject(keys) ? keys : {})) {
    const publicKey = isJsonObject(key) ? key['public_key'] : undefined;
    if (typeof publicKey === 'string') publicKeys.set(Number(version), publicKey);
  }
  return {
    ...{ type, isDerived: derived, latestVersion: latest, minDecryptionVersion: minimum },
    publicKeys,
  };
}

const isVersion = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
