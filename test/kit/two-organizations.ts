import { afterAll } from '@jest/globals';
import type { Database, Foundation } from '../../src/platform/database/index.js';
import { createTestDatabase } from './database.js';
import { seedOrganization, testFoundation, type SeededOrganization } from './seed.js';

/** A database for one test file: Acme with the application `payments`, and Other with the application `elsewhere`. */
export async function openTwoOrganizations(): Promise<{
  readonly database: Database;
  readonly foundation: Foundation;
  readonly acme: SeededOrganization;
  readonly other: SeededOrganization;
}> {
  const database = await createTestDatabase();
  afterAll(async () => database[Symbol.asyncDispose]());
  const foundation = testFoundation(database);
  return {
    database,
    foundation,
    acme: await seedOrganization(foundation),
    other: await seedOrganization(foundation, { name: 'Other', foreignId: 'elsewhere' }),
  };
}
