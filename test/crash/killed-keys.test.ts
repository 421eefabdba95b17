import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import process from 'node:process';
import { sealingKeyOf } from '../../src/platform/crypto/index.js';
import type { Database } from '../../src/platform/database/index.js';
import {
  announceDataKeys,
  createMasterKeys,
  keyStatus,
  type MasterKeys,
  parseKeyUri,
  reseal,
  retireMasterKey,
  rotateMasterKey,
} from '../../src/platform/keys/index.js';
import { createDurableDatabase, type DurableDatabase } from '../kit/database/durable-database.js';
import {
  type KeyRoom,
  letSettle,
  opened,
  openKeyRoom,
  storedPieces,
  storePieces,
} from '../platform/keys/key-room.js';
import { dyingOfKeys, type Moment } from './dying.js';
import { type Place, PLACES } from './master-places.js';

/** More than one batch. */
const PIECES = 20;

type Point = readonly [when: string, moment: Moment | undefined];
const ROTATED = 'has rotated right after its commit';
const BETWEEN: Point = [
  'has not rotated between two data keys',
  { after: 'update "data_keys"', before: 'update "data_keys"' },
];
const ROTATE: readonly Point[] = [
  // The embedded database begins transactions itself.
  ...(process.env['DATABASE_URL'] === undefined
    ? []
    : ([['has not rotated before it begins its transaction', { before: 'begin' }]] as const)),
  ['has not rotated before it stores the new version', { before: 'insert into "master_keys"' }],
  BETWEEN,
  ['has not rotated before its commit', { after: 'update "data_keys"', before: 'commit' }],
  [ROTATED, undefined],
];
const IN_RESEAL: Moment = { after: 'update "report_chunks"', before: 'update "resealing"' };
const RESEAL: readonly Point[] = [
  ['before it stores data keys', { before: 'insert into "data_keys"' }],
  ['before it says that values are to be sealed again', { before: 'insert into "resealing"' }],
  ['before its first batch', { before: 'update "report_chunks"' }],
  ['between a batch and its progress', IN_RESEAL],
  ['between two batches', { after: 'update "resealing"', before: 'update "report_chunks"' }],
  [
    'before it says that a table is done',
    { after: 'with page', before: 'update "resealing" set "finished_at"' },
  ],
];
const IN_RETIRE: Moment = { after: 'update "data_keys"', before: 'update "data_keys"' };
const RETIRE: readonly Point[] = [
  ['before it destroys a data key', { before: 'update "data_keys"' }],
  ['between two data keys', IN_RETIRE],
  ['before its commit', { after: 'update "master_keys"', before: 'commit' }],
];
// Each point takes a process and a database: one place runs every point, and the others run one point of each command.
// KILL_POINTS=all runs every point for every place.
const all = process.env['KILL_POINTS'] === 'all';
const STORIES = PLACES.map(([name, open], at) => [name, open, all || at === 0] as const);

describe('an operator command that is killed while it changes keys', () => {
  let durable: DurableDatabase;
  let room: KeyRoom;
  beforeEach(async () => {
    durable = await createDurableDatabase();
    room = await openKeyRoom();
    await inDatabase(async (database) => {
      const { sealer } = await room.gateway(database);
      await storePieces(database, sealer, 'one', PIECES);
    });
  });
  afterEach(async () => {
    await room[Symbol.asyncDispose]();
    await durable[Symbol.asyncDispose]();
  });

  async function inDatabase<Result>(run: (database: Database) => Promise<Result>): Promise<Result> {
    await using database = await durable.open();
    return await run(database);
  }
  const versionsOf = async (database: Database) => {
    const { masterKeys, dataKeys } = await keyStatus(database);
    return { all: masterKeys.length, wrapping: new Set(dataKeys.map(({ masterVersion }) => masterVersion)) };
  };
  const sealingKeys = async (database: Database) =>
    new Set((await storedPieces(database)).map(({ sealed }) => sealingKeyOf(sealed)));
  const destroyed = async (database: Database) =>
    (await keyStatus(database)).dataKeys.filter(({ destroyedAt }) => destroyedAt !== null).length;

  describe.each(STORIES)('when the master key is being or has been changed to %s', (_, open, takesAll) => {
    let place: Place;
    let masterKeys: MasterKeys;
    beforeEach(async () => {
      place = await open();
      masterKeys = createMasterKeys({ kind: 'file', name: 'the file', file: room.file }, place.stores);
    });
    afterEach(async () => place[Symbol.asyncDispose]());
    const [atEveryPoint, once] = takesAll ? [describe, it.skip] : [describe.skip, it];
    const killed = (work: 'rotate' | 'reseal' | 'retire', moment?: Moment) =>
      dyingOfKeys({
        ...{ target: durable.target, file: room.file, work },
        ...(moment && { moment }),
        ...place.told,
      });
    /** A gateway that starts now can open everything. */
    const expectOpen = async (database: Database) => {
      const { sealer } = await room.gateway(database, masterKeys);
      expect(opened(sealer, await storedPieces(database))).toBe(PIECES);
    };
    const operator = (database: Database) => ({ ...room.operator(database), masterKeys });
    const rotate = (database: Database) =>
      rotateMasterKey(operator(database), place.to === undefined ? undefined : parseKeyUri(place.to));
    const resealAll = async (database: Database) => {
      await announceDataKeys(operator(database));
      const { sealer } = await room.gateway(database, masterKeys);
      await reseal({ ...operator(database), sealer });
    };
    const AFTER = { all: 2, wrapping: new Set([2]) };

    async function expectNotRotated(database: Database): Promise<void> {
      expect(await versionsOf(database)).toEqual({ all: 1, wrapping: new Set([1]) });
      await expectOpen(database);
      // The next call uses the key that it created.
      await rotate(database);
      expect(await versionsOf(database)).toEqual(AFTER);
      await expectOpen(database);
    }
    /** Nothing is lost, and a second run completes it. */
    async function expectResealed(database: Database): Promise<void> {
      await expectOpen(database);
      await resealAll(database);
      expect((await sealingKeys(database)).size).toBe(1);
      await expectOpen(database);
    }
    /** Nothing was destroyed, and a second run retires the version. */
    async function expectRetired(database: Database): Promise<void> {
      expect(await destroyed(database)).toBe(0);
      await expectOpen(database);
      expect(await retireMasterKey(operator(database), 1)).toBeGreaterThan(0);
      expect(await destroyed(database)).toBeGreaterThan(0);
      await expectOpen(database);
    }

    atEveryPoint('at every point', () => {
      it.each(ROTATE)('%s', async (when, moment) => {
        await killed('rotate', moment);
        await inDatabase(async (database) => {
          if (when !== ROTATED) return expectNotRotated(database);
          expect(await versionsOf(database)).toEqual(AFTER);
          await expectOpen(database);
        });
      });

      it.each(RESEAL)('reseals the rest when it is run again: %s', async (_, moment) => {
        await inDatabase(rotate);
        await killed('reseal', moment);
        await inDatabase(expectResealed);
      });

      it.each(RETIRE)('has destroyed nothing, and completes when it is run again: %s', async (_, moment) => {
        await inDatabase(async (database) => {
          await rotate(database);
          await resealAll(database);
          await letSettle(database);
        });
        await killed('retire', moment);
        await inDatabase(expectRetired);
      });
    });

    once('loses nothing where each command is killed, and run again', async () => {
      await killed('rotate', BETWEEN[1]);
      await inDatabase(expectNotRotated);
      await killed('reseal', IN_RESEAL);
      await inDatabase(async (database) => {
        await expectResealed(database);
        await letSettle(database);
      });
      await killed('retire', IN_RETIRE);
      await inDatabase(expectRetired);
    });
  });
});
