import { expect } from '@jest/globals';
import { readConfiguration } from '../../../src/app/configuration/index.js';
import { ConfigurationError } from '../../../src/platform/kernel/configuration-error.js';

export const POSTGRESQL = { DATABASE_URL: 'postgres://lucarne@db/lucarne' };

/** The message of the error for these variables. */
export async function refusal(environment: Record<string, string>): Promise<string> {
  const thrown: unknown = await readConfiguration(environment).then(
    () => expect(environment).toBe('refused'),
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ConfigurationError);
  return (thrown as ConfigurationError).message;
}
