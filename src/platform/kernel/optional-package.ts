import { ConfigurationError } from './configuration-error.js';

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
