import { readFile, stat } from 'node:fs/promises';
import { ConfigurationError, unreadableFile } from '../../kernel/configuration-error.js';

/** The token refused the PIN of a file. Another attempt with the same PIN can lock it. */
export class RefusedPin extends ConfigurationError {
  /** The version of the file that contained the PIN, see {@link versionOf}. */
  readonly version: string | undefined;

  constructor(message: string, version: string | undefined, options?: ErrorOptions) {
    super(message, options);
    this.version = version;
  }
}

/** A text that changes when the file is written or touched; `undefined` if the file does not exist. */
export async function versionOf(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found && [found.ino, found.size, found.mtimeNs].join('-');
}

/** @throws `ConfigurationError` if there is no PIN. */
export async function readPin(file: string): Promise<string> {
  const pin = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw unreadableFile('LUCARNE_PKCS11_PIN_FILE', thrown);
  });
  if (pin.trim() === '')
    throw new ConfigurationError('LUCARNE_PKCS11_PIN_FILE is empty. Write the PIN of the token into it.');
  return pin.trim();
}
