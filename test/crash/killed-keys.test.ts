import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sealingKeyOf } from '../../src/platform/crypto/index.js';
import type { Database } from '../../src/platform/database/index.js';
import {
  announceDataKeys,
  keyStatus,
  parseKeyUri,
  reseal,
  retireMasterKey,
  rotateMasterKey,
} from '../../src/platform/keys/index.js';
import type { VaultConfiguration } from '../../src/platform/keys/vault/vault-client.js';
import { createDurableDatabase, type DurableDatabase } from '../kit/durable-database.js';
import {
  type KeyRoom,
  letSettle,
  opened,
  openKeyRoom,
  storedPieces,
  storePieces,
} from '../platform/keys/key-room.js';
import { type LocalVault, openLocalVault } from '../platform/keys/local-vault.js';
import { dyingOfKeys, type Moment } from './dying.js';

/** More than one batch. */
const PIECES = 20;

describe('an operator’s command that is killed while it changes keys', () => {
  let durable: DurableDatabase;
  let room: KeyRoom;
  let vault: LocalVault;
  beforeEach(async () => {
    durable = await createDurableDatabase();
    vault = await openLocalVault();
    room = await openKeyRoom(vault.stores);
    await inDatabase(async (database) => {
      const { sealer } = await room.gateway(database);
      await storePieces(database, sealer, 'one', PIECES);
    });
  });
  afterEach(async () => {
    await room[Symbol.asyncDispose]();
    await vault[Symbol.asyncDispose]();
    await durable[Symbol.asyncDispose]();
  });

  async function inDatabase<Result>(run: (database: Database) => Promise<Result>): Promise<Result> {
    await using database = await durable.open();
    return await run(database);
  }
  const killed = (work: 'rotate' | 'reseal' | 'retire', moment?: Moment, vault?: VaultConfiguration) =>
    dyingOfKeys({
      ...{ target: durable.target, file: room.file, work },
      ...(moment && { moment }),
      ...(vault && { vault }),
    });
  /** A gateway that starts now opens everything. */
  const expectOpen = async (database: Database) => {
    const { sealer } = await room.gateway(database);
    expect(opened(sealer, await storedPieces(database))).toBe(PIECES);
  };
  const versionsOf = async (database: Database) => {
    const { masterKeys, dataKeys } = await keyStatus(database);
    return { all: masterKeys.length, wrapping: new Set(dataKeys.map(({ masterVersion }) => masterVersion)) };
  };
  const sealingKeys = async (database: Database) =>
    new Set((await storedPieces(database)).map(({ sealed }) => sealingKeyOf(sealed)));
  const resealAll = async (database: Database) => {
    const operator = room.operator(database);
    await announceDataKeys(operator);
    await reseal({ ...operator, sealer: (await room.gateway(database)).sealer });
  };

  describe.each(['a line of the file', 'a key in Vault'])('to %s', (place) => {
    const inVault = place === 'a key in Vault';
    const to = inVault ? parseKeyUri('vault:transit/master') : undefined;
    const rotating = (moment?: Moment) => killed('rotate', moment, inVault ? vault.configuration : undefined);

    it.each<[string, Moment]>([
      ['before it begins its transaction', { before: 'begin' }],
      ['before it stores the new version', { before: 'insert into "master_keys"' }],
      ['between two data keys', { after: 'update "data_keys"', before: 'update "data_keys"' }],
      ['before its commit', { after: 'update "data_keys"', before: 'commit' }],
    ])('has not rotated: %s', async (_, moment) => {
      // The embedded database begins transactions by itself.
      if (moment.before === 'begin' && !('url' in durable.target)) return;
      await rotating(moment);
      await inDatabase(async (database) => {
        expect(await versionsOf(database)).toEqual({ all: 1, wrapping: new Set([1]) });
        await expectOpen(database);
        // The key that it made is the one that the next call takes.
        await rotateMasterKey(room.operator(database), to);
        expect(await versionsOf(database)).toEqual({ all: 2, wrapping: new Set([2]) });
        await expectOpen(database);
      });
    });

    it('has rotated: right after its commit', async () => {
      await rotating();
      await inDatabase(async (database) => {
        expect(await versionsOf(database)).toEqual({ all: 2, wrapping: new Set([2]) });
        await expectOpen(database);
      });
    });
  });

  it.each<[string, Moment]>([
    ['before it stores data keys', { before: 'insert into "data_keys"' }],
    ['before it says that values are to be sealed again', { before: 'insert into "resealing"' }],
    ['before its first batch', { before: 'update "report_chunks"' }],
    ['between a batch and its progress', { after: 'update "report_chunks"', before: 'update "resealing"' }],
    ['between two batches', { after: 'update "resealing"', before: 'update "report_chunks"' }],
    [
      'before it says that a table is done',
      { after: 'select count(*)', before: 'update "resealing" set "finished_at"' },
    ],
  ])('seals the rest again when it is run again: %s', async (_, moment) => {
    await killed('reseal', moment);
    await inDatabase(async (database) => {
      await expectOpen(database);
      await resealAll(database);
      expect((await sealingKeys(database)).size).toBe(1);
      await expectOpen(database);
    });
  });

  it.each<[string, Moment]>([
    ['before it destroys a data key', { before: 'update "data_keys"' }],
    ['between two data keys', { after: 'update "data_keys"', before: 'update "data_keys"' }],
    ['before its commit', { after: 'update "master_keys"', before: 'commit' }],
  ])('has destroyed nothing, and does when it is run again: %s', async (_, moment) => {
    await inDatabase(async (database) => {
      await rotateMasterKey(room.operator(database));
      await resealAll(database);
      await letSettle(database);
    });
    await killed('retire', moment);
    await inDatabase(async (database) => {
      const destroyed = async () =>
        (await keyStatus(database)).dataKeys.filter(({ destroyedAt }) => destroyedAt !== null).length;
      expect(await destroyed()).toBe(0);
      await expectOpen(database);
      expect(await retireMasterKey(room.operator(database), 1)).toBeGreaterThan(0);
      expect(await destroyed()).toBeGreaterThan(0);
      await expectOpen(database);
    });
  });
});
