import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LogExporter } from '../../../src/domain/activity-log/index.js';
import type { Database, Foundation } from '../../../src/platform/database/index.js';
import { createTestDatabase } from '../../kit/database.js';
import { openGate } from '../../kit/gate.js';
import { type SeededOrganization, seedOrganization, testFoundation } from '../../kit/seed.js';
import { sequence } from './kit.js';

describe('exports of a log', () => {
  let database: Database;
  let foundation: Foundation;
  let seed: SeededOrganization;
  let other: SeededOrganization;

  beforeAll(async () => {
    database = await createTestDatabase();
    foundation = testFoundation(database);
    seed = await seedOrganization(foundation);
    other = await seedOrganization(foundation, { name: 'Other', foreignId: 'elsewhere' });
    await sequence(foundation);
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  it('take turns in one organization, and do not wait for another organization', async () => {
    const { principal } = seed.owner;
    const exporter = new LogExporter(foundation);
    const gate = openGate();
    const held = exporter.export({ principal, callerNow: () => gate.until().then(() => principal) }, {});
    await gate.arrived;
    const ended: string[] = [];
    const waiting = exporter.export({ principal }, {}).then(() => ended.push('the same organization'));
    await exporter.export({ principal: other.owner.principal }, {});
    ended.push('another organization');
    gate.release();
    await Promise.all([held, waiting]);
    expect(ended).toEqual(['another organization', 'the same organization']);
  });

  it('are refused if the permissions of the caller end while the export waits for its turn', async () => {
    const { principal } = seed.owner;
    const changed = { ...principal, name: 'Somebody else' };
    await expect(
      new LogExporter(foundation).export({ principal, callerNow: () => Promise.resolve(changed) }, {}),
    ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});
