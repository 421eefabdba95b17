import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Database, type Foundation, sql } from '../../src/platform/database/index.js';
import { createDemoOrganizations, type DemoOrganization } from '../../src/demo/index.js';
import { createAuthenticator } from '../../src/domain/access/index.js';
import { createTestDatabase } from '../kit/database/database.js';
import { testFoundation } from '../kit/seed.js';

describe('the demo organizations', () => {
  let database: Database;
  let foundation: Foundation;

  // A database for each test: the organizations are created once per database.
  beforeEach(async () => {
    database = await createTestDatabase();
    foundation = testFoundation(database);
  });
  afterEach(async () => database[Symbol.asyncDispose]());

  const names = async () =>
    (await database.rows(sql<{ name: string }>`select name from organizations order by name`)).map(
      ({ name }) => name,
    );

  it('are created once by two concurrent starts, with working API keys', async () => {
    const kept: DemoOrganization[] = [];
    const start = () => createDemoOrganizations(foundation, ({ first }) => Promise.resolve(kept.push(first)));
    expect((await Promise.all([start(), start()])).sort()).toEqual([false, true]);
    expect(await start()).toBe(false);

    expect(await names()).toEqual(['Demo Bank', 'Other Bank']);
    expect(kept).toHaveLength(1);
    await using authenticator = createAuthenticator(foundation);
    const principal = await authenticator.authenticate({ bearer: kept[0]!.apiKey });
    expect(principal).toMatchObject({ kind: 'api_key', organizationId: kept[0]!.organization.id });
  });

  it('are rolled back if their credentials cannot be stored, and created by the next start', async () => {
    const disk = new Error('The disk is full.');
    await expect(createDemoOrganizations(foundation, () => Promise.reject(disk))).rejects.toBe(disk);
    expect(await names()).toEqual([]);

    expect(await createDemoOrganizations(foundation, () => Promise.resolve())).toBe(true);
    expect(await names()).toEqual(['Demo Bank', 'Other Bank']);
  });
});
