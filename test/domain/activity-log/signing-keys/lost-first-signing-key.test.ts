import { beforeEach, describe, expect, it } from '@jest/globals';
import type { UserPrincipal } from '../../../../src/domain/access/index.js';
import {
  organizationSigner,
  sequenceEntries,
  verifyLogFile,
} from '../../../../src/domain/activity-log/index.js';
import { declareSigningKeyLost } from '../../../../src/domain/organizations/signing-keys/declare-signing-key-lost.js';
import type { Foundation } from '../../../../src/platform/database/index.js';
import { createKeptSigningKeys, parseKeyUri, withSignatures } from '../../../../src/platform/keys/index.js';
import { forFile } from '../../../kit/for-file.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { seedMember, seedOrganization, testFoundation, type SeededOrganization } from '../../../kit/seed.js';
import { openLocalVault } from '../../../platform/keys/stores/local-vault.js';
import { failuresOf } from '../exporting/exported-log.js';
import { act, PUBLIC_HOST, sequence } from '../kit.js';
import { opensWith, roomOf } from './log-room.js';

const AWAY = { code: 'UNAVAILABLE', reason: 'signing_key_away' };

const vault = forFile(await openLocalVault());
const database = forFile(await createTestDatabase());

describe('a first signing key that is lost before the first checkpoint', () => {
  let home: SeededOrganization;
  let room: ReturnType<typeof roomOf>;
  beforeEach(async () => {
    home = await seedOrganization(testFoundation(database));
    room = roomOf(database, home);
    await act(testFoundation(database), room.organizationId, 2);
  });
  const gateway = (uri?: string): Foundation => ({
    ...testFoundation(database),
    signingKeys: createKeptSigningKeys(vault.stores, uri === undefined ? undefined : parseKeyUri(uri), 0),
  });
  const log = () => ({ organizationId: room.organizationId, publicHost: PUBLIC_HOST });
  const declare = (foundation: Foundation, principal: UserPrincipal) =>
    declareSigningKeyLost(foundation, principal, { epoch: 1, reason: 'The token was destroyed' });

  it('is not a log key yet if it has signed nothing: another setting provides the first key', async () => {
    const lost = gateway('vault:transit/gone');
    await expect(sequenceEntries(lost, log())).rejects.toMatchObject(AWAY);
    expect(await room.places()).toEqual([]);
    await expect(declare(lost, home.owner.principal)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('The log has no signing key yet'),
    });
    expect(await sequence(gateway())).toEqual([]);
    expect(await room.waiting()).toBe(0);
    expect(await room.places()).toEqual([{ epoch: 1, store: null, sealed: true }]);
    expect(failuresOf(verifyLogFile(await room.exported(), { complete: true }))).toEqual([]);
  });

  it('is replaced if it has signed a receipt, and never signs the log', async () => {
    vault.makeKey('first', 'ed25519');
    const first = gateway('vault:transit/first');
    // A result was created while no process sequenced the log.
    await withSignatures(first.signingKeys, (signatures) =>
      database.transaction(async (transaction) => {
        const signing = { ...first, signatures };
        const signer = await organizationSigner(transaction, signing, room.organizationId, new Date());
        return signer.sign(new TextEncoder().encode('a receipt'));
      }),
    );
    expect(await room.places()).toMatchObject([{ epoch: 1, store: 'vault:transit/first' }]);
    vault.deleteKey('first');
    const lost = gateway();
    await expect(sequenceEntries(lost, log())).rejects.toMatchObject(AWAY);

    const second = await seedMember(lost, room.organizationId, { owner: ['policies:manage'] });
    await expect(declare(lost, home.owner.principal)).rejects.toMatchObject({
      reason: 'second_person_required',
    });
    const later = { ...lost, clock: { now: () => new Date(Date.now() + 61 * 60_000) } };
    const { epoch, verifierKey } = await declare(later, second.principal);
    expect({ epoch, waiting: await room.waiting() }).toEqual({ epoch: 2, waiting: 0 });
    expect(opensWith((await room.newest()).note, verifierKey)).toBe(true);
    await room.grow(later);
    expect(await room.faults()).toEqual([]);
    const file = await room.exported();
    expect(failuresOf(verifyLogFile(file, { complete: true, verifierKey }))).toEqual([]);
    // No checkpoint is older than the break, so a reader without a key cannot find one.
    expect(failuresOf(verifyLogFile(file, { complete: true }))).toEqual([]);
  });
});
