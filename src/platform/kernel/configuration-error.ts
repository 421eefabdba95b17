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

/**
 * Loads an optional package. Its name must not be a literal, because the compiler must not need it. `needs` says what needs the
 * package, and `install` how to install it.
 */
export async function loadOptional<Module>(
  name: string,
  needs: string,
  install = '. docs/operate.md says how.',
): Promise<Module> {
  try {
    return (await import(name)) as Module;
  } catch (thrown) {
    throw new ConfigurationError(`${needs} the optional package ${name}, which is not installed${install}`, {
      cause: thrown,
    });
  }
}
