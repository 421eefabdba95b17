/** A setting that cannot be used. The message names the variable and never contains a secret value. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
