import { messageOf } from './errors.js';

/** A setting that cannot be used. The message names the variable and never contains a secret value. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** What to do about a file that cannot be read, as a sentence. */
export const MAKE_READABLE = 'Correct the path, or let the user that runs Lucarne read the file.';

/** A file that the setting names cannot be read. */
export const unreadableFile = (name: string, thrown: unknown): ConfigurationError =>
  new ConfigurationError(`${name} cannot be read: ${messageOf(thrown)}. ${MAKE_READABLE}`, { cause: thrown });
