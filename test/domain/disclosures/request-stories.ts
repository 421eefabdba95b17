import { afterAll, beforeAll } from '@jest/globals';
import type { Database, Foundation } from '../../../src/platform/database/index.js';
import type { SeededAsset } from '../../kit/ledger/confidential-records.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { seedOrganization, type SeededOrganization, testFoundation } from '../../kit/seed.js';
import { disclosureDesk, seedTransfers } from './kit.js';

export const AMOUNTS = [0n, 1n, 65_535n, 65_536n, 1_234_567n];

/** Two organizations in the database of this file. The first has an asset with transfers of `AMOUNTS`. */
class RequestStories {
  database!: Database;
  foundation!: Foundation;
  acme!: SeededOrganization;
  other!: SeededOrganization;
  desk!: ReturnType<typeof disclosureDesk>;
  asset!: SeededAsset;
  ids!: string[];

  readonly input = (members: object = {}) => ({
    assetId: this.asset.id,
    purpose: 'Audit',
    scope: { transactionIds: this.ids, fields: ['amount'] },
    format: 'json',
    ...members,
  });

  readonly request = (members: object = {}) =>
    this.desk.request(this.acme.apiKey.principal, this.input(members));
}

export function requestStories(): RequestStories {
  const stories = new RequestStories();
  beforeAll(async () => {
    stories.database = await createTestDatabase();
    stories.foundation = testFoundation(stories.database);
    stories.desk = disclosureDesk(stories.foundation);
    stories.acme = await seedOrganization(stories.foundation, { name: 'Acme' });
    stories.other = await seedOrganization(stories.foundation, { name: 'Other' });
    await stories.desk.policy(stories.acme.owner.principal);
    Object.assign(stories, await seedTransfers(stories.foundation, stories.acme, AMOUNTS, 'open'));
  });
  afterAll(async () => stories.database[Symbol.asyncDispose]());
  return stories;
}
