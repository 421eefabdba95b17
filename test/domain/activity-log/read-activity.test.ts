import { isConsistent, leafHash } from '../../../src/platform/crypto/index.js';
import {
  exportActivityLog,
  MAX_EXPORTED_ENTRIES,
  listActivity,
  newestCheckpoint,
  readCheckpoint,
  readConsistencyProof,
  readInclusionProof,
  verifyLogFile,
} from '../../../src/domain/activity-log/index.js';
import { listLogActors } from '../../../src/domain/activity-log/reading/list-log-actors.js';
import { sql } from '../../../src/platform/database/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { createApplication } from '../../../src/domain/organizations/index.js';
import { operatorOf } from '../../../src/domain/access/index.js';
import type { JsonObject } from '../../../src/platform/kernel/encoding/json.js';
import { type SeededUser, seedMember, seedOrganization } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';
import { act, loggedEntries, sequence } from './kit.js';
import { beforeAll, describe, expect, it } from '@jest/globals';

const { database, foundation, acme: seed, other } = await openTwoOrganizations();
await createApplication(foundation, operatorOf(seed.organization.id), {
  foreignId: 'second',
  name: 'Second',
});
const viewer = await seedMember(foundation, seed.organization.id, {
  applications: [{ foreignId: 'payments', common: ['logs:view_activity'] }],
});

describe('the activity log', () => {
  const caseId = newId('cas');

  beforeAll(async () => {
    await act(foundation, seed.organization.id, 6, { application: seed.application });
    await act(foundation, seed.organization.id, 2, {
      application: seed.application,
      caseId,
      eventType: 'case.created',
    });
    await act(foundation, other.organization.id, 3, { application: other.application });
    await sequence(foundation);
  });

  const owner = () => seed.owner.principal;
  const all = () => listActivity(foundation, owner(), { first: 200 });

  it('shows an owner every entry of the organization, newest first, with names in plaintext', async () => {
    const { nodes } = await all();
    const logged = await loggedEntries(database, seed.organization.id);
    expect(nodes.map(({ id }) => id)).toEqual(logged.map(({ id }) => id).reverse());
    expect(nodes.map(({ index }) => index)).toEqual(logged.map(({ index }) => index).reverse());
    expect(nodes[0]).toMatchObject({
      eventType: 'case.created',
      user: 'Ana Auditor',
      caseId,
      foreignId: 'payments',
      object: { contact: 'ana@example.test' },
      details: { number: 1 },
    });
  });

  it('shows an entry immediately, and its index later', async () => {
    const [id] = await act(foundation, seed.organization.id);
    expect((await all()).nodes[0]).toMatchObject({ id, index: null });
    await sequence(foundation);
    expect((await all()).nodes[0]?.index).toEqual(expect.any(Number));
  });

  it('shows only the entries of one application to callers who may see only its activity', async () => {
    const { nodes } = await listActivity(foundation, viewer.principal, {
      foreignId: 'payments',
      first: 200,
    });
    expect(nodes.length).toBeGreaterThanOrEqual(8);
    expect(new Set(nodes.map(({ foreignId }) => foreignId))).toEqual(new Set(['payments']));
    for (const foreignId of [undefined, 'second', 'elsewhere', 'nowhere']) {
      await expect(listActivity(foundation, viewer.principal, { foreignId })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
    }
  });

  it('can be filtered by object', async () => {
    const found = async (objectId: string, principal = owner(), foreignId?: string) =>
      (await listActivity(foundation, principal, { objectId, foreignId })).nodes.map(
        ({ eventType }) => eventType,
      );
    expect(await found(viewer.principal.userId)).toEqual(['member.added']);
    expect(await found('second')).toEqual(['application.created']);
    expect(await found(newId('ast'))).toEqual([]);
    // Actions of another organization on the same object are in another log.
    expect(await found(viewer.principal.userId, viewer.principal, 'payments')).toEqual([]);
    await expect(found('')).rejects.toThrow('objectId');
  });

  it('lists its actors, each once, page by page', async () => {
    await act(foundation, seed.organization.id);
    const inWhole = await listLogActors(foundation, owner(), {});
    const acted = (await all()).nodes.map(({ userId }) => userId);
    expect(inWhole.nodes.map(({ id }) => id)).toEqual([...new Set(acted)].sort());
    const first = await listLogActors(foundation, owner(), { first: 1 });
    const { endCursor: after } = first.pageInfo;
    const rest = await listLogActors(foundation, owner(), { after });
    expect([...first.nodes, ...rest.nodes]).toEqual(inWhole.nodes);
    const inApplication = await listLogActors(foundation, viewer.principal, { foreignId: 'payments' });
    const { nodes } = await listActivity(foundation, viewer.principal, { foreignId: 'payments', first: 200 });
    expect(inApplication.nodes.map(({ id }) => id)).toEqual(
      [...new Set(nodes.map(({ userId }) => userId))].sort(),
    );
    expect(inApplication.nodes[1]).toMatchObject({ name: 'Ana Auditor' });
    expect(inApplication.nodes.length).toBeLessThan(inWhole.nodes.length);
    for (const foreignId of [undefined, 'second', 'elsewhere'])
      await expect(listLogActors(foundation, viewer.principal, { foreignId })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
  });

  it('proves all entries of a page with one checkpoint, to anyone who may read the log', async () => {
    await act(foundation, seed.organization.id, 1, { application: seed.application });
    await sequence(foundation);
    // This entry waits: the page shows it, but its proof does not exist yet.
    await act(foundation, seed.organization.id, 1, { application: seed.application });
    for (const [principal, foreignId] of [
      [owner(), undefined],
      [viewer.principal, 'payments'],
    ] as const) {
      const page = await listActivity(foundation, principal, { foreignId, first: 4 });
      const [waiting, ...nodes] = page.nodes;
      expect(waiting).toMatchObject({ index: null });
      expect(await waiting!.logged).toBeUndefined();
      const { origin, verifierKey, note } = (await page.checkpoint)!;
      const entries = await Promise.all(
        nodes.map(async ({ index, logged }) => {
          const { entry, salts, inclusion } = (await logged)!;
          return { index: index!, entry: JSON.parse(entry) as JsonObject, salts, proof: inclusion };
        }),
      );
      const file = { origin, verifier_key: verifierKey, checkpoint: note, entries: entries.reverse() };
      expect(verifyLogFile(file, { verifierKey })).toMatchObject({ valid: true });
      expect(verifyLogFile({ ...file, entries: [{ ...entries[0]!, index: 0 }] }).valid).toBe(false);
    }
    await sequence(foundation);
  });

  it('does not reveal an erased personal value in a proof', async () => {
    const leaver = await seedMember(foundation, seed.organization.id, {}, 'Lea Leaver');
    const actor = { id: leaver.principal.userId, name: 'Lea Leaver' };
    await act(foundation, seed.organization.id, 1, { actor, object: { type: 'asset' } });
    await sequence(foundation);
    await database.rows(sql`update activity_entries set salts = '{}' where actor_id = ${actor.id}`);
    const [entry] = (await listActivity(foundation, owner(), { userId: actor.id })).nodes;
    expect(entry).toMatchObject({ user: null });
    expect(await entry!.logged).toMatchObject({ salts: {} });
    expect((await entry!.logged)!.entry).not.toContain('Lea Leaver');
  });

  it('requires the permission: owners without it, API keys and callers without credentials are refused', async () => {
    await expect(listActivity(foundation, owner(), { foreignId: 'payments' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(listActivity(foundation, seed.apiKey.principal, {})).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(listActivity(foundation, undefined, {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const reads = {
      checkpoint: (reader: SeededUser) => readCheckpoint(foundation, reader.principal),
      consistency: (reader: SeededUser) => readConsistencyProof(foundation, reader.principal, 1),
      inclusion: (reader: SeededUser) => readInclusionProof(foundation, reader.principal, 0),
      export: (reader: SeededUser) => exportActivityLog(foundation, reader.principal, {}),
    };
    // Anyone who may read some of the log may know how large the whole log is, and that it grew.
    const nobody = await seedMember(foundation, seed.organization.id);
    const refused = async (reader: SeededUser, names: readonly (keyof typeof reads)[]) => {
      for (const name of names)
        await expect(reads[name](reader)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    };
    await refused(nobody, ['checkpoint', 'consistency', 'inclusion', 'export']);
    await refused(viewer, ['inclusion', 'export']);
    expect((await reads.checkpoint(viewer)).size).toBeGreaterThan(0);
    await expect(reads.consistency(viewer)).resolves.toMatchObject({ from: 1 });
  });

  it('can be filtered by type, actor, case and time', async () => {
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

  it.each(['', 'x'.repeat(129), 'usr_\0', 'usr_\ud800'])('has no actor with the id %j', async (userId) => {
    await expect(listActivity(foundation, owner(), { userId })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringMatching(/^userId /),
    });
  });

  it('is read page by page without gaps, with the filters of the cursor', async () => {
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
    [{ from: new Date('0000-06-01T00:00:00Z') }, 'from must be an ISO 8601 timestamp of the years 1 to 9999'],
    [{ to: new Date(-8.64e15) }, 'to must be an ISO 8601 timestamp of the years 1 to 9999'],
    [{ first: 0 }, 'first must be an integer from 1 to 200'],
    [{ after: '!' }, 'after is not a cursor'],
  ])('refuses %j', async (input, message) => {
    await expect(listActivity(foundation, owner(), input)).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining(message),
    });
  });

  it.each(['-271821-04-20T00:00:00.000Z', '+275760-09-13T00:00:00.000Z', '0000-01-01T00:00:00.000Z'])(
    'does not fail for a forged cursor of %s',
    async (time) => {
      const { pageInfo, nodes } = await listActivity(foundation, owner(), { first: 1 });
      const binding = Buffer.from(pageInfo.endCursor!, 'base64url').subarray(0, 8);
      const key = Buffer.from(JSON.stringify(`${time}/${nodes[0]!.id}`));
      const after = Buffer.concat([binding, key]).toString('base64url');
      await expect(listActivity(foundation, owner(), { after })).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
        message: 'after is not a cursor of this listing.',
      });
    },
  );

  it('proves consistency with an older checkpoint, and with no checkpoint that it does not contain', async () => {
    await sequence(foundation);
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
    // Between two signed checkpoints, whatever was signed since.
    await act(foundation, seed.organization.id);
    await sequence(foundation);
    const between = await readConsistencyProof(foundation, owner(), before.size, checkpoint.size);
    expect(between.checkpoint.note).toBe(checkpoint.note);
    expect(isConsistent(before, between.checkpoint, between.hashes)).toBe(true);
    for (const to of [-1, before.size + 1, 1_000_000])
      await expect(readConsistencyProof(foundation, owner(), 1, to)).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
        message: expect.stringContaining('to must be the size of a checkpoint'),
      });
  });

  it('has no checkpoint for a new organization', async () => {
    const young = await seedOrganization(foundation, { name: 'Young', foreignId: 'young' });
    await expect(readCheckpoint(foundation, young.owner.principal)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('is exported in full and verifies offline, and the export is logged in itself', async () => {
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

  it('is exported in part for an application, and the export verifies', async () => {
    const exported = await exportActivityLog(foundation, viewer.principal, {
      foreignId: 'payments',
      eventType: 'case.created',
    });
    expect(exported.entries.map(({ entry }) => entry['case_id'])).toEqual([caseId, caseId]);
    expect(verifyLogFile(exported).valid).toBe(true);
    const { nodes } = await listActivity(foundation, viewer.principal, { foreignId: 'payments', first: 1 });
    expect(nodes[0]).toMatchObject({ eventType: 'log.exported', object: { scope: 'application' } });
  });

  it('is not exported beyond the limit, and then nothing is logged', async () => {
    const crowded = await seedOrganization(foundation, { name: 'Crowded', foreignId: 'crowded' });
    await sequence(foundation);
    await database.rows(sql`
      insert into activity_entries (id, organization_id, event_type, actor_id, entry, salts, leaf_hash, created_at)
      select 'log_' || n, ${crowded.organization.id}, 'asset.created', 'operator', '{}', '{}', ${leafHash('{}')}, now()
      from generate_series(1, ${MAX_EXPORTED_ENTRIES}) as n`);
    await sequence(foundation);
    const before = (await loggedEntries(database, crowded.organization.id)).length;
    await expect(exportActivityLog(foundation, crowded.owner.principal, {})).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: 'from and to must narrow the export to at most 10000 entries.',
      members: [{ member: 'from' }],
    });
    expect(await loggedEntries(database, crowded.organization.id)).toHaveLength(before);
    const narrowed = await exportActivityLog(foundation, crowded.owner.principal, {
      eventType: 'organization.created',
    });
    expect(verifyLogFile(narrowed).valid).toBe(true);
  });
});
