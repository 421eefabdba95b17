import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  checkpointOfNow,
  sequenceEntries,
  verifyLogFile,
} from '../../../../src/domain/activity-log/index.js';
import { findDisclosure, verifyDisclosureFile } from '../../../../src/domain/disclosures/index.js';
import { declareSigningKeyCompromised } from '../../../../src/domain/organizations/signing-keys/declare-signing-key-compromised.js';
import { type KeptSigningKeys } from '../../../../src/platform/crypto/index.js';
import { sql, type Database, type Foundation } from '../../../../src/platform/database/index.js';
import { createKeptSigningKeys, parseKeyUri } from '../../../../src/platform/keys/index.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { seedOrganization, testFoundation, type SeededOrganization } from '../../../kit/seed.js';
import { openLocalVault, type LocalVault } from '../../../platform/keys/stores/local-vault.js';
import { SIGNING_STORES, type SigningStore } from '../../../platform/keys/stores/signing-stores.js';
import { disclosureDesk, disclosureFile, seedTransfers } from '../../disclosures/kit.js';
import { failuresOf } from '../exporting/exported-log.js';
import { act, loggedEntries, PUBLIC_HOST, sequence } from '../kit.js';
import { opensWith, roomOf } from './log-room.js';

const AWAY = { code: 'UNAVAILABLE', reason: 'signing_key_away' };

describe.each(SIGNING_STORES)('the signing key of a log in %s', (_, open) => {
  const parts = new AsyncDisposableStack();
  let store: SigningStore;
  let database: Database;
  let sealing: Foundation;
  let home: SeededOrganization;
  let room: ReturnType<typeof roomOf>;
  beforeAll(async () => {
    store = parts.use(await open());
    database = parts.use(await createTestDatabase());
    sealing = testFoundation(database);
  });
  afterAll(() => parts.disposeAsync());
  beforeEach(async () => {
    home = await seedOrganization(sealing);
    room = roomOf(database, home);
  });
  /** A gateway whose next keys are at this place. */
  const keeping = (uri: string): Foundation => ({
    ...sealing,
    signingKeys: createKeptSigningKeys(store.stores, parseKeyUri(uri), 0),
  });
  /** A gateway whose next keys are sealed, and that can reach the store. */
  const back = (): Foundation => ({
    ...sealing,
    signingKeys: createKeptSigningKeys(store.stores, undefined, 0),
  });

  it('moves there, to another key and back by rotations, and both keys sign each rotation', async () => {
    const [one, two] = store.uris;
    expect(await sequence(sealing)).toEqual([]);
    const [first] = await room.keys();
    for (const gateway of [keeping(one), keeping(two), back()]) {
      const [before] = await room.keys();
      const { verifierKey } = await room.rotate(gateway, { overlapDays: 7 });
      for (const { note } of [await room.newest(), await room.grow(gateway)])
        for (const key of [before!, verifierKey]) expect(opensWith(note, key)).toBe(true);
    }
    expect(await room.places()).toEqual([
      { epoch: 1, store: null, sealed: true },
      { epoch: 2, store: one, sealed: false },
      { epoch: 3, store: two, sealed: false },
      { epoch: 4, store: null, sealed: true },
    ]);
    const file = await room.exported();
    for (const verifierKey of await room.keys())
      expect(failuresOf(verifyLogFile(file, { verifierKey, complete: true }))).toEqual([]);
    expect(first).toBe((await room.keys()).at(-1));
    await expect(room.rotate(keeping(one))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('has signed this log before'),
    });
    expect(await room.faults()).toEqual([]);
  });

  it('can be the first key of a log, which waits for an unavailable store', async () => {
    const gateway = keeping(store.uris[0]);
    await store.setPresent(false);
    expect(await sequence(gateway)).toEqual(['signer']);
    await store.setPresent(true);
    const { size, verifierKey } = await room.grow(gateway);
    expect(await room.places()).toEqual([{ epoch: 1, store: store.uris[0], sealed: false }]);
    const other = await seedOrganization(sealing);
    expect(await sequence(sealing)).toEqual([]);

    await store.setPresent(false);
    // Actions succeed and the log can be read, but it does not grow.
    await act(gateway, room.organizationId, 3);
    await act(gateway, other.organization.id, 1);
    expect(await sequence(gateway)).toEqual(['signer']);
    expect(await room.waiting()).toBe(3);
    expect(await room.newest()).toMatchObject({ size, verifierKey });
    const log = { organizationId: room.organizationId, publicHost: PUBLIC_HOST };
    await expect(checkpointOfNow(gateway, log)).rejects.toMatchObject(AWAY);
    await expect(room.rotate(gateway)).rejects.toMatchObject(AWAY);
    // A log that needs no store does not wait.
    expect((await loggedEntries(database, other.organization.id)).every(({ index }) => index !== null)).toBe(
      true,
    );
    await store.setPresent(true);
    expect(await sequence(gateway)).toEqual([]);
    expect(await room.waiting()).toBe(0);
    expect(await room.places()).toHaveLength(1);
    expect(await room.faults()).toEqual([]);
  });

  it('signs receipts, which wait for an unavailable store', async () => {
    const gateway = keeping(store.uris[0]);
    expect(await sequence(gateway)).toEqual([]);
    const desk = disclosureDesk(gateway);
    await desk.policy(home.owner.principal);
    const { asset, ids } = await seedTransfers(gateway, home, [7n], 'open');
    const input = { assetId: asset.id, purpose: 'Audit', format: 'json' };
    const scope = { transactionIds: ids, fields: ['amount'] };
    await store.setPresent(false);
    const asked = await desk.request(home.apiKey.principal, { ...input, scope });
    expect(asked).toMatchObject({ status: 'pending', decision: 'authorize' });
    await store.setPresent(true);
    await database.rows(sql`update disclosures set next_attempt_at = null where id = ${asked.id}`);
    await desk.fulfilment.fulfill(asked.id);
    const available = await findDisclosure(gateway, home.apiKey.principal, asked.id);
    const file = disclosureFile(available, await desk.result(available));
    expect(verifyDisclosureFile(file).valid).toBe(true);
    const [receipt] = await database.rows(sql<{ epoch: number; at: string }>`
      select signing_key_epoch as epoch, body ->> 'receiptId' as at from receipts where disclosure_id = ${asked.id}`);
    expect(receipt).toMatchObject({ epoch: 1 });
    expect(await sequence(gateway)).toEqual([]);
    expect(await room.faults()).toEqual([]);
  });
});

describe('while a store signs a log', () => {
  const parts = new AsyncDisposableStack();
  let vault: LocalVault;
  let database: Database;
  let gateway: Foundation;
  let home: SeededOrganization;
  let room: ReturnType<typeof roomOf>;
  /** Runs before each signature, like the work of another process. */
  let meanwhile: () => Promise<void>;
  let signatures: number;
  beforeAll(async () => {
    vault = parts.use(await openLocalVault());
    database = parts.use(await createTestDatabase());
  });
  afterAll(() => parts.disposeAsync());
  beforeEach(async () => {
    vault.makeKey('log', 'ed25519');
    meanwhile = () => Promise.resolve();
    signatures = 0;
    const keys = createKeptSigningKeys(vault.stores, parseKeyUri('vault:transit/log'));
    const signingKeys: KeptSigningKeys = {
      ...keys,
      async sign(key, message) {
        signatures += 1;
        await meanwhile();
        return keys.sign(key, message);
      },
    };
    gateway = { ...testFoundation(database), signingKeys };
    home = await seedOrganization(gateway);
    room = roomOf(database, home);
    await room.grow(gateway);
    signatures = 0;
  });
  const log = () => ({ organizationId: room.organizationId, publicHost: PUBLIC_HOST });

  it('no transaction is open: another process can lock the log and append entries, which wait for the next checkpoint', async () => {
    let isFree = true;
    meanwhile = async () => {
      await act(gateway, room.organizationId, 1);
      const locked = await database.transaction((transaction) =>
        transaction.rows(sql`select origin from activity_logs
          where organization_id = ${room.organizationId} for update skip locked`),
      );
      isFree &&= locked.length === 1;
    };
    await act(gateway, room.organizationId, 2);
    expect(await sequenceEntries(gateway, log())).toBe(2);
    expect({ isFree, signatures, waiting: await room.waiting() }).toEqual({
      ...{ isFree: true, signatures: 1, waiting: 1 },
    });
    vault.rotate('log');
    await room.rotate(gateway);
    // For the waiting entries, the statement and its checkpoint, with one key or both.
    expect(signatures).toBe(1 + 1 + 2 + 2);
    meanwhile = () => Promise.resolve();
    await room.grow(gateway);
    expect(await room.waiting()).toBe(0);
    expect(await room.faults()).toEqual([]);
  });

  it('no other process requests a signature for the same log; if the process dies, the log waits for half a minute', async () => {
    const other: number[] = [];
    meanwhile = async () => {
      meanwhile = () => Promise.resolve();
      other.push(await sequenceEntries(gateway, log()));
    };
    await act(gateway, room.organizationId, 1);
    expect(await sequenceEntries(gateway, log())).toBe(1);
    expect({ signatures, other }).toEqual({ signatures: 1, other: [0] });

    const lease = (interval: string) =>
      database.rows(sql`update activity_logs set lease_owner = 'dead', lease_expires_at = now() + ${interval}::interval
        where organization_id = ${room.organizationId}`);
    await lease('30 seconds');
    await act(gateway, room.organizationId, 1);
    expect(await sequenceEntries(gateway, log())).toBe(0);
    expect(await room.waiting()).toBe(1);
    await lease('-1 second');
    expect(await sequenceEntries(gateway, log())).toBe(1);
  });

  it('a rotation that loses a race is refused, and the log has one history', async () => {
    vault.rotate('log');
    let overtaken = false;
    meanwhile = async () => {
      if (overtaken) return;
      overtaken = true;
      // It seals its key, so it neither asks a store nor waits for one.
      await database.rows(sql`update activity_logs set lease_owner = null`);
      meanwhile = () => Promise.resolve();
      await room.rotate(gateway);
    };
    await expect(room.rotate(gateway, { fromEpoch: 1 })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await room.places()).toHaveLength(2);
    await room.grow(gateway);
    expect(await room.faults()).toEqual([]);
  });

  it('a new version of a Vault key is the next key, while the previous version also signs', async () => {
    const [before] = await room.keys();
    await expect(room.rotate(gateway)).rejects.toThrow('has signed this log before');
    vault.rotate('log');
    // Until the rotation, the previous version signs, even in a process that starts now.
    const fresh = { ...gateway, signingKeys: createKeptSigningKeys(vault.stores) };
    expect((await room.grow(fresh)).verifierKey).toBe(before);
    await room.rotate(gateway);
    const { note, verifierKey } = await room.grow(fresh);
    for (const key of [before!, verifierKey]) expect(opensWith(note, key)).toBe(true);
    expect(verifierKey).not.toBe(before);
  });

  it('a different key in place of the log’s key signs nothing', async () => {
    vault.deleteKey('log');
    vault.makeKey('log', 'ed25519');
    const fresh = { ...gateway, signingKeys: createKeptSigningKeys(vault.stores) };
    await act(fresh, room.organizationId, 1);
    const refused = await sequenceEntries(fresh, log()).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({
      ...AWAY,
      cause: { message: expect.stringContaining('is not the key that signed the log') },
    });
    expect(await room.waiting()).toBe(1);
  });

  it('a key whose store was given up is replaced by a declaration that does not wait for the store', async () => {
    const sealed = { ...gateway, signingKeys: createKeptSigningKeys(vault.stores) };
    await room.rotate(sealed, { overlapDays: 30 });
    const { size } = await room.newest();
    vault.deleteKey('log');
    const lost = { ...gateway, signingKeys: createKeptSigningKeys(vault.stores) };
    await act(lost, room.organizationId, 1);
    await expect(sequenceEntries(lost, log())).rejects.toMatchObject(AWAY);
    await declareSigningKeyCompromised(lost, home.owner.principal, {
      ...{ epoch: 1, fromIndex: size, reason: 'The store was given up' },
    });
    await act(lost, room.organizationId, 1);
    expect(await sequenceEntries(lost, log())).toBe(1);
    expect(failuresOf(verifyLogFile(await room.exported(), { complete: true }))).toEqual([]);
  });
});
