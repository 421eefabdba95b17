import { openTestFoundation, seedOrganization } from './seed.js';

/** A database for one test file: Acme with the application `payments`, and Other with the application `elsewhere`. */
export async function openTwoOrganizations() {
  const { database, foundation } = await openTestFoundation();
  return {
    database,
    foundation,
    acme: await seedOrganization(foundation),
    other: await seedOrganization(foundation, { name: 'Other', foreignId: 'elsewhere' }),
  };
}
