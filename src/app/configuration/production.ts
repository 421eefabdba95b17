import { stat } from 'node:fs/promises';
import process from 'node:process';
import { ConfigurationError } from '../../platform/kernel/configuration-error.js';
import { isLoopback } from '../../platform/kernel/hosts.js';
import { exposedLinks } from './links.js';
import type { Configuration } from './settings.js';
import type { Read, VariableName } from './variables.js';

/** Settings that are convenient for evaluation but insecure with real amounts prevent the start. */
export async function checkProduction(configuration: Configuration, read: Read): Promise<void> {
  requireDatabase(configuration);
  requirePublicUrl(configuration);
  await requirePrivateFile('LUCARNE_MASTER_KEY_FILE', read('LUCARNE_MASTER_KEY_FILE'));
  await requirePrivateFile('LUCARNE_PKCS11_PIN_FILE', read('LUCARNE_PKCS11_PIN_FILE'));
  await requirePrivateFile('LUCARNE_VAULT_TOKEN_FILE', read('LUCARNE_VAULT_TOKEN_FILE'));
  for (const file of configuration.relayer.keypairFiles)
    await requirePrivateFile('LUCARNE_RELAYER_KEYPAIR_FILE', file);
  for (const file of configuration.relayer.keychainFiles)
    await requirePrivateFile('LUCARNE_RELAYER_KEYCHAIN_FILE', file);
  requireEncryptedLinks(configuration);
}

function requireDatabase({ databaseUrl }: Configuration): void {
  if (databaseUrl !== undefined) return;
  throw new ConfigurationError(
    'DATABASE_URL is required in production: the embedded database serves one process and can lose the last commits. ' +
      'Set it to the URL of a PostgreSQL database, or unset NODE_ENV to try Lucarne out.',
  );
}

function requirePublicUrl({ publicUrl }: Configuration): void {
  if (publicUrl === undefined) {
    throw new ConfigurationError(
      'LUCARNE_PUBLIC_URL is required in production: without it session cookies are not Secure. ' +
        'Set it to the origin that browsers see, such as https://lucarne.example.',
    );
  }
  if (publicUrl.protocol === 'https:' || isLoopback(publicUrl.hostname)) return;
  throw new ConfigurationError(
    'LUCARNE_PUBLIC_URL must begin with https:// in production, unless it is on loopback: over http session cookies ' +
      'are not Secure. Put a proxy that speaks TLS in front.',
  );
}

const OTHERS = 0o077;

async function requirePrivateFile(name: VariableName, file: string | undefined): Promise<void> {
  // Windows has no such modes.
  if (file === undefined || process.platform === 'win32') return;
  const mode = (await stat(file).catch(() => undefined))?.mode;
  if (mode === undefined || (mode & OTHERS) === 0) return;
  throw new ConfigurationError(
    `${name} can be read or changed by other users (mode ${(mode & 0o777).toString(8).padStart(4, '0')}). ` +
      `Run: chmod 0400 ${file}`,
  );
}

function requireEncryptedLinks(configuration: Configuration): void {
  const [exposed] = exposedLinks(configuration);
  if (!exposed) return;
  const encrypted = {
    postgresql: 'Add sslmode=verify-full to it',
    redis: 'Use rediss://',
    rpc: 'Use https:// and wss://',
  };
  throw new ConfigurationError(
    `${exposed.name} names an unencrypted connection to a host outside loopback and private networks. ${encrypted[exposed.link]}, ` +
      `or, if something else encrypts the connection, set LUCARNE_PLAINTEXT_LINKS=${exposed.link}.`,
  );
}
