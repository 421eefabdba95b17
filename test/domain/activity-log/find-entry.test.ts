import { beforeAll, describe, expect, it } from '@jest/globals';
import { verifyLogFile } from '../../../src/domain/activity-log/index.js';
import { findEntry } from '../../../src/domain/activity-log/reading/find-entry.js';
import type { JsonObject } from '../../../src/platform/kernel/encoding/json.js';
import { type Id, newId } from '../../../src/platform/kernel/ids.js';
import { type SeededUser, seedMember } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';
import { codeOf } from '../cases/kit.js';
import { act, loggedEntries, sequence } from './kit.js';

const { database, foundation, acme: seed, other } = await openTwoOrganizations();
const viewer = await seedMember(foundation, seed.organization.id, {
  applications: [{ foreignId: 'payments', common: ['logs:view_activity'] }],
});

describe('one entry of the activity log', () => {
  /** An entry of the application, and its index. */
  let id: Id<'log'>;
  let index: number;

  beforeAll(async () => {
    [id] = (await act(foundation, seed.organization.id, 1, { application: seed.application })) as [Id<'log'>];
    await act(foundation, seed.organization.id, 2);
    await sequence(foundation);
    const logged = await loggedEntries(database, seed.organization.id);
    index = logged.find((entry) => entry.id === id)!.index!;
  });

  it('is found by its id and by its index, with a proof under its own checkpoint', async () => {
    for (const { principal } of [seed.owner, viewer])
      for (const place of [{ id }, { index }]) {
        const found = await findEntry(foundation, principal, place);
        expect(found).toMatchObject({ id, index, user: 'Ana Auditor', foreignId: 'payments' });
        const { entry, salts, inclusion, checkpoint } = (await found.logged)!;
        const { origin, verifierKey, note } = checkpoint;
        const shown = { index, entry: JSON.parse(entry) as JsonObject, salts, proof: inclusion };
        const file = { origin, verifier_key: verifierKey, checkpoint: note, entries: [shown] };
        expect(verifyLogFile(file, { verifierKey })).toMatchObject({ valid: true });
        expect(verifyLogFile({ ...file, entries: [{ ...shown, index: 0 }] }).valid).toBe(false);
      }
  });

  it('is found before it is sequenced, without a proof', async () => {
    const [waiting] = await act(foundation, seed.organization.id);
    const found = await findEntry(foundation, seed.owner.principal, { id: waiting });
    expect(found).toMatchObject({ id: waiting, index: null });
    expect(await found.logged).toBeUndefined();
    await sequence(foundation);
  });

  it('does not exist for those who may not read it, like an unknown one', async () => {
    const [ofNoApplication] = await act(foundation, seed.organization.id);
    await sequence(foundation);
    const code = (user: SeededUser, place: Parameters<typeof findEntry>[2]) =>
      codeOf(findEntry(foundation, user.principal, place));
    for (const place of [{ id: newId('log') }, { id: 'log_1' }, { index: -1 }, { index: 2_000_000_000 }])
      expect(await code(seed.owner, place)).toBe('NOT_FOUND');
    expect(await code(other.owner, { id })).toBe('NOT_FOUND');
    expect(await code(viewer, { id: ofNoApplication })).toBe('NOT_FOUND');
    expect(await code(viewer, { index: 0 })).toBe('NOT_FOUND');
    expect(await code(seed.owner, { index: 0 })).toBe('DONE');
  });

  it('needs a permission, and either the id or the index', async () => {
    const nobody = await seedMember(foundation, seed.organization.id);
    expect(await codeOf(findEntry(foundation, nobody.principal, { id }))).toBe('FORBIDDEN');
    expect(await codeOf(findEntry(foundation, seed.apiKey.principal, { id }))).toBe('FORBIDDEN');
    expect(await codeOf(findEntry(foundation, undefined, { id }))).toBe('UNAUTHENTICATED');
    for (const place of [{}, { id, index }])
      await expect(findEntry(foundation, seed.owner.principal, place)).rejects.toMatchObject({
        ...{ code: 'BAD_USER_INPUT', members: [{ member: 'id' }] },
      });
  });
});
