import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import process from 'node:process';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { operatorOf, PERMISSIONS } from '../../src/domain/access/index.js';
import {
  auditorKeysOf,
  createAsset,
  importAuditorKey,
  withAuditorSecret,
} from '../../src/domain/assets/index.js';
import { exportAuditorKey } from '../../src/domain/assets/auditor-keys/export-auditor-key.js';
import { rotateAuditorKey } from '../../src/domain/assets/auditor-keys/rotate-auditor-key.js';
import { formatElGamalKeypair, generateElGamalKeypair } from '../../src/platform/crypto/index.js';
import type { Foundation } from '../../src/platform/database/index.js';
import {
  createMasterKeys,
  type MasterKeyPlace,
  parseKeyUri,
  rotateMasterKey,
} from '../../src/platform/keys/index.js';
import { loggedEntries, PUBLIC_HOST } from '../domain/activity-log/kit.js';
import { EURO } from '../domain/assets/kit.js';
import { createDurableDatabase, type DurableDatabase } from '../kit/database/durable-database.js';
import {
  type SeededOrganization,
  type SeededUser,
  seedMember,
  seedOrganization,
  testFoundation,
} from '../kit/seed.js';
import { openGateway, openKeyRoom } from '../platform/keys/key-room.js';
import { dying, type Moment, type Work } from './dying.js';
import { type Place, PLACES, settingOf } from './master-places.js';

const ENTRY = 'insert into "activity_entries"';
/** Every statement that creates a new key. */
const NEW_KEY: readonly Moment[] = [
  { before: 'insert into "auditor_keys"' },
  { after: 'insert into "auditor_keys"', before: ENTRY },
  { after: ENTRY, before: 'commit' },
];
const EXPORT: readonly Moment[] = [{ before: ENTRY }, { after: ENTRY, before: 'commit' }];

// Each point takes a process: the file has every point, and each store one of each operation. KILL_POINTS=all has all.
const all = process.env['KILL_POINTS'] === 'all';
const STORIES = PLACES.map(([name, open], at) => [name, open, all || at === 0] as const);

describe.each(STORIES)('a process that is killed, whose master key is %s', (_, open, takesAll) => {
  const parts = new AsyncDisposableStack();
  let durable: DurableDatabase;
  let place: Place;
  let setting: MasterKeyPlace;
  let home: SeededOrganization;
  let second: SeededUser;
  beforeAll(async () => {
    durable = parts.use(await createDurableDatabase());
    place = parts.use(await open());
    const room = parts.use(await openKeyRoom(place.stores));
    setting = settingOf(place, room.file);
    // Moves it there, as an operator does.
    await using database = await durable.open();
    await room.gateway(database);
    await rotateMasterKey(
      room.operator(database),
      place.to === undefined ? undefined : parseKeyUri(place.to),
    );
  });
  afterAll(() => parts.disposeAsync());
  beforeEach(() =>
    opened(async (foundation) => {
      home = await seedOrganization(foundation);
      second = await seedMember(foundation, home.organization.id, { owner: PERMISSIONS.owner });
      await createAsset(foundation, home.apiKey.principal, EURO);
    }),
  );

  async function opened<Result>(run: (foundation: Foundation) => Promise<Result>): Promise<Result> {
    await using database = await durable.open();
    await using keyring = await openGateway(database, createMasterKeys(setting, place.stores));
    return await run({ ...testFoundation(database), sealer: keyring.sealer });
  }
  const log = () => ({ organizationId: home.organization.id, publicHost: PUBLIC_HOST });
  const killed = (work: Work, moment?: Moment) =>
    dying({
      ...{ target: durable.target, masterKey: setting, work },
      ...(place.told.stores && { stores: place.told.stores }),
      ...(moment && { moment }),
    });
  const atEveryPoint = takesAll ? it : it.skip;
  /** The last of the points where the others of a store are left out. */
  const chosen = (moments: readonly Moment[]) => (takesAll ? moments : moments.slice(-1));
  /** The epochs whose secrets can be opened, and the entries of this type. */
  const stateOf = async ({ database, sealer }: Foundation, eventType: string) => {
    const { id } = home.organization;
    const epochs: number[] = [];
    for (const { epoch } of await auditorKeysOf(database, id))
      await withAuditorSecret(database, sealer, id, epoch, () => Promise.resolve(epochs.push(epoch)));
    const entries = (await loggedEntries(database, id)).filter(
      ({ entry }) => entry['event_type'] === eventType,
    );
    return { epochs, entries: entries.length };
  };

  describe('while it rotates an auditor key', () => {
    const work = (): Work => ({
      kind: 'rotateAuditorKey',
      sessionToken: home.owner.sessionToken,
      log: log(),
    });

    it('has created no key if it dies at any statement before the commit, and a repeated request rotates the key', async () => {
      for (const moment of chosen(NEW_KEY)) await killed(work(), moment);
      await opened(async (foundation) => {
        expect(await stateOf(foundation, 'auditor_key.rotated')).toEqual({ epochs: [1], entries: 0 });
        await rotateAuditorKey(foundation, home.owner.principal, { reason: 'Again', fromEpoch: 1 });
        expect(await stateOf(foundation, 'auditor_key.rotated')).toEqual({ epochs: [2, 1], entries: 1 });
      });
    });

    atEveryPoint(
      'has created one key, which the log records, if it dies right after the commit',
      async () => {
        await killed(work());
        await opened(async (foundation) => {
          expect(await stateOf(foundation, 'auditor_key.rotated')).toEqual({ epochs: [2, 1], entries: 1 });
          const again = rotateAuditorKey(foundation, home.owner.principal, { reason: 'Again', fromEpoch: 1 });
          await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
        });
      },
    );
  });

  describe('while it imports an auditor key', () => {
    const keypair = formatElGamalKeypair(generateElGamalKeypair());
    const work = (): Work => ({ kind: 'importAuditorKey', keypair, log: log() });
    const again = (foundation: Foundation) =>
      importAuditorKey(foundation, operatorOf(home.organization.id), { keypair, reason: 'Again' });

    it('has stored nothing if it dies at any statement before the commit, and a repeated import succeeds', async () => {
      for (const moment of chosen(NEW_KEY)) await killed(work(), moment);
      await opened(async (foundation) => {
        expect(await stateOf(foundation, 'auditor_key.imported')).toEqual({ epochs: [1], entries: 0 });
        await again(foundation);
        expect(await stateOf(foundation, 'auditor_key.imported')).toEqual({ epochs: [2, 1], entries: 1 });
      });
    });

    atEveryPoint(
      'has stored the key if it dies right after the commit, and a repeated import reports it',
      async () => {
        await killed(work());
        await opened(async (foundation) => {
          expect(await stateOf(foundation, 'auditor_key.imported')).toEqual({ epochs: [2, 1], entries: 1 });
          await expect(again(foundation)).rejects.toMatchObject({ code: 'CONFLICT' });
        });
      },
    );
  });

  describe('while it exports an auditor key for the second owner', () => {
    const input = async () => ({
      ...{ epoch: 1, reason: 'For the escrow' },
      recipients: [await identityToRecipient(await generateIdentity())],
    });
    const ask = (foundation: Foundation, owner: SeededUser, order: Awaited<ReturnType<typeof input>>) =>
      exportAuditorKey(foundation, owner.principal, true, order);
    const asked = async () => {
      const order = await input();
      await opened((foundation) =>
        expect(ask(foundation, home.owner, order)).rejects.toMatchObject({
          reason: 'second_person_required',
        }),
      );
      const { sessionToken } = second;
      const work: Work = {
        kind: 'exportAuditorKey',
        sessionToken,
        recipient: order.recipients[0]!,
        log: log(),
      };
      return { order, work };
    };

    it('has exported nothing if it dies at any statement before the commit, and the first owner’s request stays valid', async () => {
      const { order, work } = await asked();
      for (const moment of chosen(EXPORT)) expect(await killed(work, moment)).toEqual([]);
      await opened(async (foundation) => {
        expect((await stateOf(foundation, 'auditor_key.exported')).entries).toBe(0);
        expect((await ask(foundation, second, order)).ageFile).toContain('BEGIN AGE ENCRYPTED FILE');
        expect((await stateOf(foundation, 'auditor_key.exported')).entries).toBe(1);
      });
    });

    atEveryPoint('has logged the file that it exported if it dies right after the commit', async () => {
      const { order, work } = await asked();
      expect((await killed(work))[0]).toContain('BEGIN AGE ENCRYPTED FILE');
      await opened(async (foundation) => {
        expect((await stateOf(foundation, 'auditor_key.exported')).entries).toBe(1);
        // Another file needs two owners again.
        await expect(ask(foundation, second, order)).rejects.toMatchObject({
          reason: 'second_person_required',
        });
      });
    });
  });
});
