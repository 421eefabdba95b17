import { beforeEach, describe, expect, it } from '@jest/globals';
import type { UserPrincipal } from '../../../../src/domain/access/index.js';
import { sequenceEntries, verifyLogFile } from '../../../../src/domain/activity-log/index.js';
import { declareSigningKeyLost } from '../../../../src/domain/organizations/signing-keys/declare-signing-key-lost.js';
import { type Foundation, sql } from '../../../../src/platform/database/index.js';
import { createKeptSigningKeys, parseKeyUri } from '../../../../src/platform/keys/index.js';
import { forFile } from '../../../kit/for-file.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import {
  seedMember,
  seedOrganization,
  testFoundation,
  type SeededOrganization,
  type SeededUser,
} from '../../../kit/seed.js';
import { openLocalVault } from '../../../platform/keys/stores/local-vault.js';
import { failuresOf } from '../exporting/exported-log.js';
import { act, PUBLIC_HOST, sequence } from '../kit.js';
import { opensWith, roomOf } from './log-room.js';

const AWAY = { code: 'UNAVAILABLE', reason: 'signing_key_away' };

const vault = forFile(await openLocalVault());
const database = forFile(await createTestDatabase());

describe('a lost signing key', () => {
  let gateway: Foundation;
  let home: SeededOrganization;
  let second: SeededUser;
  let room: ReturnType<typeof roomOf>;
  beforeEach(async () => {
    vault.makeKey('log', 'ed25519');
    const signingKeys = createKeptSigningKeys(vault.stores, parseKeyUri('vault:transit/log'));
    gateway = { ...testFoundation(database), signingKeys };
    home = await seedOrganization(gateway);
    second = await seedMember(gateway, home.organization.id, { owner: ['policies:manage'] });
    room = roomOf(database, home);
    await room.grow(gateway);
  });
  const log = () => ({ organizationId: room.organizationId, publicHost: PUBLIC_HOST });
  const declare = (foundation: Foundation, principal: UserPrincipal, epoch = 1) =>
    declareSigningKeyLost(foundation, principal, { epoch, reason: 'The token was destroyed' });
  const later = (foundation: Foundation, minutes: number): Foundation => ({
    ...foundation,
    clock: { now: () => new Date(Date.now() + minutes * 60_000) },
  });
  const withoutKey = (uri?: string): Foundation => ({
    ...gateway,
    signingKeys: createKeptSigningKeys(vault.stores, uri === undefined ? undefined : parseKeyUri(uri), 0),
  });
  /** Two owners declare the loss, an hour apart. */
  async function lose(foundation: Foundation) {
    await expect(declare(foundation, home.owner.principal)).rejects.toMatchObject({
      reason: 'second_person_required',
    });
    return declare(later(foundation, 61), second.principal);
  }

  it('is replaced by a new key that signs the waiting entries, and verifiers report where the chain is broken', async () => {
    const { note: since, verifierKey: before } = await room.newest();
    vault.deleteKey('log');
    const lost = withoutKey();
    await act(lost, room.organizationId, 3);
    await expect(sequenceEntries(lost, log())).rejects.toMatchObject(AWAY);
    const { epoch, verifierKey } = await lose(lost);
    expect({ epoch, waiting: await room.waiting() }).toEqual({ epoch: 2, waiting: 0 });
    const { note } = await room.newest();
    expect([opensWith(note, before), opensWith(note, verifierKey)]).toEqual([false, true]);
    await room.grow(later(lost, 62));
    expect(await room.faults()).toEqual([]);

    const file = await room.exported();
    expect(failuresOf(verifyLogFile(file, { complete: true, verifierKey, since }))).toEqual([]);
    expect(failuresOf(verifyLogFile(file, { verifierKey: before }))).toEqual([
      expect.stringContaining('The chain of keys is broken after the expected key'),
    ]);
    const [entry] = file.key_changes.map((change) => change.entry);
    expect(entry).toMatchObject({
      event_type: 'signing_key.lost',
      user_id: second.principal.userId,
      object: { type: 'signing_key', epoch: 1 },
      details: {
        reason: 'The token was destroyed',
        verifier_key: verifierKey,
        previous_verifier_key: before,
      },
    });
  });

  it('is replaced by a key in a store, which signs one checkpoint of all waiting entries', async () => {
    vault.deleteKey('log');
    vault.makeKey('next', 'ed25519');
    const lost = withoutKey('vault:transit/next');
    await act(lost, room.organizationId, 1);
    await database.rows(sql`
      insert into activity_entries (id, organization_id, event_type, actor_id, entry, salts, leaf_hash, created_at)
      select id || number, organization_id, event_type, actor_id, entry, salts, leaf_hash, created_at
      from activity_entries, generate_series(1, 1500) as number
      where organization_id = ${room.organizationId} and log_index is null`);
    const { verifierKey } = await lose(lost);
    expect(await room.waiting()).toBe(0);
    expect(vault.requests.filter((request) => request === 'POST transit/sign/next')).toHaveLength(2);
    const { note, size } = await room.newest();
    expect(opensWith(note, verifierKey)).toBe(true);
    expect(size).toBeGreaterThan(1_500);
  });

  it('cannot be declared while the key can sign, for a key that is not in use, or without permission to rotate it', async () => {
    await expect(declare(gateway, second.principal)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('The key still signs, so it is not lost. Call rotateSigningKey'),
    });
    await expect(declare(gateway, second.principal, 7)).rejects.toMatchObject({ code: 'CONFLICT' });
    const member = await seedMember(gateway, room.organizationId, { owner: ['members:manage'] });
    await expect(declare(gateway, member.principal)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const sealed = await seedOrganization({ ...gateway, signingKeys: createKeptSigningKeys({}) });
    await sequence({ ...gateway, signingKeys: createKeptSigningKeys({}) });
    await expect(declare(gateway, sealed.owner.principal)).rejects.toThrow('The key still signs');
    expect(await room.places()).toHaveLength(1);
  });

  it('remains in place while the new key is unavailable, too', async () => {
    vault.deleteKey('log');
    const lost = withoutKey('vault:transit/log');
    await expect(lose(lost)).rejects.toMatchObject(AWAY);
    expect(await room.places()).toHaveLength(1);
  });

  it('is declared by two owners an hour apart, regardless of the organization’s second-person rule', async () => {
    vault.deleteKey('log');
    const lost = withoutKey();
    const owner = home.owner.principal;
    const refused = { code: 'CONFLICT', reason: 'second_person_required' };
    await expect(declare(lost, owner)).rejects.toMatchObject(refused);
    await expect(declare(later(lost, 59), second.principal)).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(
        /^Another person proposed this. You can make the same request from 20\d\d-/,
      ),
    });
    await expect(declare(later(lost, 61), owner)).rejects.toMatchObject(refused);
    expect(await room.places()).toHaveLength(1);
    expect(await declare(later(lost, 62), second.principal)).toMatchObject({ epoch: 2 });
  });

  it('can be declared although the first owner repeats the proposal again and again to prevent it', async () => {
    vault.deleteKey('log');
    const lost = withoutKey();
    for (const minutes of [0, 30, 60, 90])
      await expect(declare(later(lost, minutes), home.owner.principal)).rejects.toMatchObject({
        reason: 'second_person_required',
      });
    expect(await declare(later(lost, 91), second.principal)).toMatchObject({ epoch: 2 });
  });

  it('is not lost if it is available again before the second owner declares it', async () => {
    const withoutStore = { ...gateway, signingKeys: createKeptSigningKeys({}, undefined, 0) };
    await expect(declare(withoutStore, home.owner.principal)).rejects.toMatchObject({
      reason: 'second_person_required',
    });
    await expect(declare(later(gateway, 61), second.principal)).rejects.toThrow('The key still signs');
    expect(await room.places()).toHaveLength(1);
  });
});
