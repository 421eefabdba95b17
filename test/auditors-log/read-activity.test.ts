import { leafHash } from '../../src/crypto/index.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newestCheckpoint, verifyLogFile } from '../../src/activity-log/index.js';
import {
  exportActivityLog,
  LARGEST_EXPORT,
  listActivity,
  readCheckpoint,
  readConsistencyProof,
  readInclusionProof,
} from '../../src/auditors-log/index.js';
import { isConsistent } from '../../src/crypto/index.js';
import { sql, type Database, type Foundation } from '../../src/database/index.js';
import { newId } from '../../src/kernel/ids.js';
import { createApplication, operatorOf } from '../../src/organizations/index.js';
import { createTestDatabase } from '../kit/database.js';
import {
  seedMember,
  seedOrganization,
  testFoundation,
  type SeededOrganization,
  type SeededUser,
} from '../kit/seed.js';
import { act, loggedEntries, sequence } from '../activity-log/kit.js';

describe('the activity log', () => {
  let database: Database;
  let foundation: Foundation;
  let seed: SeededOrganization;
  let other: SeededOrganization;
  let viewer: SeededUser;
  const caseId = newId('cas');

  beforeAll(async () => {
    database = await createTestDatabase();
    foundation = testFoundation(database);
    seed = await seedOrganization(foundation);
    other = await seedOrganization(foundation, { name: 'Other', foreignId: 'elsewhere' });
    await createApplication(foundation, operatorOf(seed.organization.id), {
      foreignId: 'second',
      name: 'Second',
    });
    viewer = await seedMember(foundation, seed.organization.id, {
      applications: [{ foreignId: 'payments', common: ['logs:view_activity'] }],
    });
    await act(foundation, seed.organization.id, 6, { application: seed.application });
    await act(foundation, seed.organization.id, 2, {
      application: seed.application,
      caseId,
      eventType: 'case.created',
    });
    await act(foundation, other.organization.id, 3, { application: other.application });
    await sequence(foundation);
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  const owner = () => seed.owner.principal;
  const all = () => listActivity(foundation, owner(), { first: 200 });

  it('shows an owner every entry of the organization, newest first, with names in clear', async () => {
    const { nodes } = await all();
    const logged = await loggedEntries(database, seed.organization.id);
    expect(nodes.map(({ id }) => id)).toEqual(logged.map(({ id }) => id).reverse());
    expect(nodes.map(({ index }) => index)).toEqual(logged.map(({ index }) => index).reverse());
    expect(nodes[0]).toMatchObject({
      eventType: 'case.created',
      user: 'Ana Auditor',
      caseId,
      applicationForeignId: 'payments',
      object: { contact: 'ana@example.test' },
      details: { number: 1 },
    });
  });

  it('shows an entry at once, its index later', async () => {
    const [id] = await act(foundation, seed.organization.id);
    expect((await all()).nodes[0]).toMatchObject({ id, index: null });
    await sequence(foundation);
    expect((await all()).nodes[0]?.index).toEqual(expect.any(Number));
  });

  it('shows the entries of one application to who may see its activity, and nothing else', async () => {
    const { nodes } = await listActivity(foundation, viewer.principal, {
      application: 'payments',
      first: 200,
    });
    expect(nodes.length).toBeGreaterThanOrEqual(8);
    expect(new Set(nodes.map(({ applicationForeignId }) => applicationForeignId))).toEqual(
      new Set(['payments']),
    );
    for (const application of [undefined, 'second', 'elsewhere', 'nowhere']) {
      await expect(listActivity(foundation, viewer.principal, { application })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
    }
  });

  it('is for people with the permission only: no owner without a bucket, no API key, nobody unknown', async () => {
    await expect(listActivity(foundation, owner(), { application: 'payments' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(listActivity(foundation, seed.apiKey.principal, {})).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(listActivity(foundation, undefined, {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    for (const read of [
      () => readCheckpoint(foundation, viewer.principal),
      () => readInclusionProof(foundation, viewer.principal, 0),
      () => readConsistencyProof(foundation, viewer.principal, 1),
      () => exportActivityLog(foundation, viewer.principal, {}),
    ]) {
      await expect(read()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
  });

  it('narrows by type, actor, case and time', async () => {
    const nodes = async (input: Parameters<typeof listActivity>[2]) =>
      (await listActivity(foundation, owner(), { first: 200, ...input })).nodes;
    const everything = await nodes({});
    const [sample] = everything;
    for (const [input, fits] of [
      [{ eventType: 'asset.created' }, ({ eventType }) => eventType === 'asset.created'],
      [{ userId: sample!.userId }, ({ userId }) => userId === sample!.userId],
      [{ caseId }, (entry) => entry.caseId === caseId],
      [{ from: sample!.createdAt }, ({ createdAt }) => createdAt >= sample!.createdAt],
      [{ to: everything.at(-1)!.createdAt }, ({ createdAt }) => createdAt <= everything.at(-1)!.createdAt],
    ] as [Parameters<typeof listActivity>[2], (entry: (typeof everything)[number]) => boolean][]) {
      const found = await nodes(input);
      expect(found).toEqual(everything.filter(fits));
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThan(everything.length);
    }
  });

  it.each(['', 'x'.repeat(129), 'usr_\0', 'usr_\ud800'])('is of no actor whose id is %j', async (userId) => {
    await expect(listActivity(foundation, owner(), { userId })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringMatching(/^userId /),
    });
  });

  it('is read page by page without a gap, with the filters that a cursor was made with', async () => {
    const ids: string[] = [];
    let after: string | null = null;
    do {
      const page = await listActivity(foundation, owner(), { first: 3, after });
      ids.push(...page.nodes.map(({ id }) => id));
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    } while (after !== null);
    expect(ids).toEqual((await all()).nodes.map(({ id }) => id));
    const { pageInfo } = await listActivity(foundation, owner(), { first: 1 });
    await expect(
      listActivity(foundation, owner(), { after: pageInfo.endCursor, eventType: 'asset.created' }),
    ).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it.each([
    [{ eventType: 'asset.exploded' }, 'eventType must be one of'],
    [{ caseId: 'cas_1' }, 'caseId must be the id of a case'],
    [{ userId: '' }, 'userId must be'],
    [{ from: new Date(2), to: new Date(1) }, 'from must not be after to.'],
    [{ first: 0 }, 'first must be an integer from 1 to 200'],
    [{ after: '!' }, 'after is not a cursor'],
  ])('refuses %j', async (input, message) => {
    await expect(listActivity(foundation, owner(), input)).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining(message),
    });
  });

  it('proves that it continues an older checkpoint, and has no proof for what it does not hold', async () => {
    const before = await readCheckpoint(foundation, owner());
    await act(foundation, seed.organization.id, 5);
    await sequence(foundation);
    const { hashes, checkpoint } = await readConsistencyProof(foundation, owner(), before.size);
    expect(checkpoint.size).toBe(before.size + 5);
    expect(isConsistent(before, checkpoint, hashes)).toBe(true);
    for (const index of [-1, checkpoint.size])
      await expect(readInclusionProof(foundation, owner(), index)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    for (const from of [0, checkpoint.size + 1])
      await expect(readConsistencyProof(foundation, owner(), from)).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
      });
  });

  it('of an organization that is new has no checkpoint yet', async () => {
    const young = await seedOrganization(foundation, { name: 'Young', foreignId: 'young' });
    await expect(readCheckpoint(foundation, young.owner.principal)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('is exported whole, verifies offline, and says so in itself', async () => {
    await sequence(foundation);
    const exported = await exportActivityLog(foundation, owner(), {});
    const { verifierKey } = await newestCheckpoint(database, seed.organization.id);
    expect(
      verifyLogFile(exported, { complete: true, verifierKey }).checks.filter(({ passed }) => !passed),
    ).toEqual([]);
    expect((await all()).nodes[0]).toMatchObject({
      eventType: 'log.exported',
      userId: owner().userId,
      details: { format: 'json', entries: exported.entries.length, log_size: exported.entries.length },
    });
  });

  it('is exported in part for an application, and what is exported verifies', async () => {
    const exported = await exportActivityLog(foundation, viewer.principal, {
      application: 'payments',
      eventType: 'case.created',
    });
    expect(exported.entries.map(({ entry }) => entry['case_id'])).toEqual([caseId, caseId]);
    expect(verifyLogFile(exported).valid).toBe(true);
    const { nodes } = await listActivity(foundation, viewer.principal, { application: 'payments', first: 1 });
    expect(nodes[0]).toMatchObject({ eventType: 'log.exported', object: { scope: 'application' } });
  });

  it('is not exported past the bound, and then nothing is logged', async () => {
    const crowded = await seedOrganization(foundation, { name: 'Crowded', foreignId: 'crowded' });
    await sequence(foundation);
    await database.rows(sql`
      insert into activity_entries (id, organization_id, event_type, actor_id, entry, salts, leaf_hash, created_at)
      select 'log_' || n, ${crowded.organization.id}, 'asset.created', 'operator', '{}', '{}', ${leafHash('{}')}, now()
      from generate_series(1, ${LARGEST_EXPORT}) as n`);
    await sequence(foundation);
    const before = (await loggedEntries(database, crowded.organization.id)).length;
    await expect(exportActivityLog(foundation, crowded.owner.principal, {})).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: 'An export holds at most 10000 entries: narrow it with from and to.',
    });
    expect(await loggedEntries(database, crowded.organization.id)).toHaveLength(before);
    const narrowed = await exportActivityLog(foundation, crowded.owner.principal, {
      eventType: 'organization.created',
    });
    expect(verifyLogFile(narrowed).valid).toBe(true);
  });
});
