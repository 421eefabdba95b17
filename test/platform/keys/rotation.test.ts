import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendFile, chmod, readFile, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { type Database, sql } from '../../../src/platform/database/index.js';
import { sealingKeyOf } from '../../../src/platform/crypto/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import {
  announceDataKeys,
  keyStatus,
  reseal,
  retireMasterKey,
  rotateMasterKey,
  WrongMasterKey,
} from '../../../src/platform/keys/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import {
  type KeyRoom,
  letSettle,
  onlyKey,
  opened,
  openGateway,
  openKeyRoom,
  sealAsBefore,
  storedPieces,
  storePieces,
} from './key-room.js';

const PIECES = 20;

describe('changing keys', () => {
  let database: Database;
  let room: KeyRoom;
  beforeEach(async () => {
    database = await createTestDatabase();
    room = await openKeyRoom();
  });
  afterEach(async () => {
    await room[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const rotate = () => rotateMasterKey(room.operator(database));
  const lines = async () => (await readFile(room.file, 'utf8')).trim().split('\n');
  const usedKeys = async () => {
    const pieces = await storedPieces(database);
    return [...new Set(pieces.map(({ sealed }) => sealingKeyOf(sealed)))];
  };
  /** Announces new data keys and reseals, like the command. */
  const resealAll = async () => {
    const operator = room.operator(database);
    await announceDataKeys(operator);
    const keyring = await room.gateway(database);
    await reseal({ ...operator, sealer: keyring.sealer });
  };

  describe('rotate', () => {
    it('adds a key to the file and wraps every data key with it, and gateways continue', async () => {
      const gateway = await room.gateway(database);
      await storePieces(database, gateway.sealer, 'one', PIECES);
      const before = await storedPieces(database);
      const { version, dataKeys } = await rotate();
      expect(version).toBe(2);
      expect(dataKeys).toBe((await keyStatus(database)).dataKeys.length);
      expect((await lines()).length).toBe(2);
      // The running gateway has the keys that it needs, and sees the version at its next check.
      expect(opened(gateway.sealer, before)).toBe(PIECES);
      await gateway.refresh();
      expect(gateway.master).toEqual({ version: 2, isReachable: true });
      // Nothing is resealed.
      expect(await storedPieces(database)).toEqual(before);
      expect(opened((await room.gateway(database)).sealer, before)).toBe(PIECES);
    });

    it('names the versions that were not retired, and also wraps their data keys with the new key', async () => {
      await room.gateway(database);
      expect((await rotate()).notRetired).toEqual([]);
      await resealAll();
      expect((await rotate()).notRetired).toEqual([1]);
      await resealAll();
      await letSettle(database);
      await retireMasterKey(room.operator(database), 2);
      expect((await rotate()).notRetired).toEqual([]);
    });

    it('prevents a start with the old key', async () => {
      await room.gateway(database);
      await rotate();
      await expect(openGateway(database, onlyKey(room.firstKey))).rejects.toBeInstanceOf(WrongMasterKey);
      const [, second] = await lines();
      await openGateway(database, onlyKey(base64.decode(second!)!));
    });

    it('warns a gateway without the new key, which continues to serve', async () => {
      const gateway = await openGateway(database, onlyKey(room.firstKey));
      await storePieces(database, gateway.sealer, 'one', 2);
      await rotate();
      await expect(gateway.refresh()).rejects.toBeInstanceOf(WrongMasterKey);
      expect(gateway.master).toEqual({ version: 1, isReachable: false });
      expect(opened(gateway.sealer, await storedPieces(database))).toBe(2);
    });

    it('lets a gateway without the new key encrypt as long as its data keys are current', async () => {
      let now = 0;
      const gateway = await openGateway(database, onlyKey(room.firstKey), () => now);
      await rotate();
      now = 25_000;
      await expect(gateway.refresh()).rejects.toBeInstanceOf(WrongMasterKey);
      now = 50_000;
      await storePieces(database, gateway.sealer, 'one', 2);
      // Data keys that it cannot open may be in use by now, so on a server it does not seal with the previous ones.
      await announceDataKeys(room.operator(database));
      await expect(gateway.refresh()).rejects.toBeInstanceOf(WrongMasterKey);
      now = 80_000;
      if (database.engine === 'postgresql')
        await expect(storePieces(database, gateway.sealer, 'two', 2)).rejects.toMatchObject({
          code: 'UNAVAILABLE',
        });
    });

    it('shows a gateway within a minute that the current key is unavailable, and that it is back', async () => {
      let now = 0;
      const gateway = await openGateway(database, room.masterKeys, () => now);
      const wasLookedAt = async () => {
        await gateway.refresh().catch(() => undefined);
        return gateway.master;
      };
      const text = await readFile(room.file, 'utf8');
      await writeFile(room.file, `${base64.encode(randomBytes(32))}\n`);
      now = 50_000;
      expect(await wasLookedAt()).toEqual({ version: 1, isReachable: true });
      now = 60_000;
      expect(await wasLookedAt()).toEqual({ version: 1, isReachable: false });
      await storePieces(database, gateway.sealer, 'one', 2);
      await writeFile(room.file, text);
      now = 120_000;
      expect(await wasLookedAt()).toEqual({ version: 1, isReachable: true });
      expect(opened(gateway.sealer, await storedPieces(database))).toBe(2);
    });

    it('accepts a key that is already in the file and was never used', async () => {
      await room.gateway(database);
      const prepared = base64.encode(randomBytes(32));
      await appendFile(room.file, `${prepared}\n`);
      await rotate();
      expect((await lines())[1]).toBe(prepared);
      expect(await lines()).toHaveLength(2);
      await openGateway(database, onlyKey(base64.decode(prepared)!));
    });

    it('adds a key to a file without a final newline', async () => {
      await writeFile(room.file, base64.encode(room.firstKey));
      await room.gateway(database);
      await rotate();
      expect(await lines()).toHaveLength(2);
    });

    it('explains what to do if the new key cannot be stored', async () => {
      const fixed = { database, masterKeys: onlyKey(room.firstKey) };
      await openGateway(database, fixed.masterKeys);
      await expect(rotateMasterKey(fixed)).rejects.toThrow(/holds no new master key\. Add one after a comma/);
      await chmod(room.file, 0o400);
      // Root can write anywhere.
      if (process.getuid?.() !== 0) await expect(rotate()).rejects.toThrow(/cannot be added to the file/);
      expect((await keyStatus(database)).masterKeys).toHaveLength(1);
    });

    it('is refused if another operator rotated since it began', async () => {
      await room.gateway(database);
      let isFirst = true;
      const raced: Database = {
        ...database,
        async rows(statement) {
          const rows = await database.rows(statement);
          if (isFirst) {
            isFirst = false;
            await rotate();
          }
          return rows;
        },
      };
      await expect(rotateMasterKey({ ...room.operator(database), database: raced })).rejects.toThrow(
        /Another operator changed the keys in the meantime/,
      );
      expect((await keyStatus(database)).masterKeys).toHaveLength(2);
    });

    it('happens once, or twice in sequence, for two concurrent operators', async () => {
      const gateway = await room.gateway(database);
      await storePieces(database, gateway.sealer, 'one', 2);
      const done = await Promise.allSettled([rotate(), rotate(), rotate()]);
      const succeeded = done.filter(({ status }) => status === 'fulfilled').length;
      expect(succeeded).toBeGreaterThanOrEqual(1);
      for (const each of done)
        if (each.status === 'rejected')
          expect(String(each.reason)).toMatch(/Another operator changed the keys in the meantime/);
      const { masterKeys, dataKeys } = await keyStatus(database);
      expect(masterKeys).toHaveLength(1 + succeeded);
      expect(new Set(dataKeys.map(({ masterVersion }) => masterVersion))).toEqual(new Set([1 + succeeded]));
      expect(opened((await room.gateway(database)).sealer, await storedPieces(database))).toBe(2);
    });
  });

  describe('reseal', () => {
    it('reseals everything with new data keys, including values from before there were any', async () => {
      const old = await sealAsBefore(database, room.firstKey);
      await storePieces(database, old, 'old', PIECES);
      const gateway = await room.gateway(database);
      await storePieces(database, gateway.sealer, 'new', PIECES);
      expect(await usedKeys()).toEqual([1]);
      await resealAll();
      const [used, ...others] = await usedKeys();
      expect(used).toBeGreaterThan(2);
      expect(others).toEqual([]);
      const pieces = await storedPieces(database);
      expect(opened((await room.gateway(database)).sealer, pieces)).toBe(2 * PIECES);
      expect(opened(old, pieces)).toBe(0);
      expect((await keyStatus(database)).resealing.every(({ finishedAt }) => finishedAt !== null)).toBe(true);
    });

    it('continues where it stopped, with the same data keys', async () => {
      const gateway = await room.gateway(database);
      await storePieces(database, gateway.sealer, 'one', PIECES);
      const operator = room.operator(database);
      expect(await announceDataKeys(operator)).toBe(true);
      const { sealer } = await room.gateway(database);
      const stopped = reseal({
        ...{ ...operator, sealer },
        progress: ({ table }, left) => {
          if (table === 'report_chunks' && left < PIECES) throw new Error('Stopped.');
        },
      });
      await expect(stopped).rejects.toThrow('Stopped.');
      expect(await usedKeys()).toHaveLength(2);
      const left = (await keyStatus(database)).resealing.find(({ purpose }) => purpose === 'report_chunks');
      expect(left).toMatchObject({ finishedAt: null });
      expect(left!.valuesLeft).toBeLessThan(PIECES);
      const made = (await keyStatus(database)).dataKeys.length;
      expect(await announceDataKeys(operator)).toBe(false);
      await reseal({ ...operator, sealer });
      expect((await keyStatus(database)).dataKeys).toHaveLength(made);
      expect(await usedKeys()).toHaveLength(1);
      expect(opened(sealer, await storedPieces(database))).toBe(PIECES);
    });

    it('reseals every value, and none twice, for two concurrent operators', async () => {
      const gateway = await room.gateway(database);
      await storePieces(database, gateway.sealer, 'one', PIECES);
      const operator = room.operator(database);
      const announced = await Promise.allSettled([announceDataKeys(operator), announceDataKeys(operator)]);
      expect(announced.some(({ status }) => status === 'fulfilled')).toBe(true);
      const keyrings = [await room.gateway(database), await room.gateway(database)];
      await Promise.all(keyrings.map(({ sealer }) => reseal({ ...operator, sealer })));
      expect(await usedKeys()).toHaveLength(1);
      expect(opened(keyrings[0]!.sealer, await storedPieces(database))).toBe(PIECES);
    });

    it('lets gateways write meanwhile, and never overwrites their changes', async () => {
      const gateway = await room.gateway(database);
      await storePieces(database, gateway.sealer, 'one', PIECES);
      const operator = room.operator(database);
      await announceDataKeys(operator);
      const { sealer } = await room.gateway(database);
      let written: Promise<void> | undefined;
      // The gateway has not checked yet: it seals with the previous data keys.
      const progress = () => {
        written ??= storePieces(database, gateway.sealer, 'two', PIECES);
      };
      await reseal({ ...operator, sealer, progress });
      await written;
      await gateway.refresh();
      const pieces = await storedPieces(database);
      expect(opened(gateway.sealer, pieces)).toBe(2 * PIECES);
    });

    it('continues while another operator rotates the master key twice, and every value opens with the last one', async () => {
      const gateway = await room.gateway(database);
      await storePieces(database, gateway.sealer, 'one', PIECES);
      const operator = room.operator(database);
      await announceDataKeys(operator);
      const { sealer } = await room.gateway(database);
      let rotated: Promise<unknown> | undefined;
      const progress = () => void (rotated ??= rotate().then(rotate));
      await reseal({ ...operator, sealer, progress });
      await rotated;
      const { masterKeys, dataKeys } = await keyStatus(database);
      expect(masterKeys).toHaveLength(3);
      expect(new Set(dataKeys.map(({ masterVersion }) => masterVersion))).toEqual(new Set([3]));
      expect(await usedKeys()).toHaveLength(1);
      expect(opened((await room.gateway(database)).sealer, await storedPieces(database))).toBe(PIECES);
    });

    it('names a value that cannot be opened, and reseals the rest once it is removed', async () => {
      const gateway = await room.gateway(database);
      await storePieces(database, gateway.sealer, 'one', PIECES);
      await database.rows(sql`update report_chunks set sealed_bytes = set_byte(sealed_bytes, 30,
        get_byte(sealed_bytes, 30) # 1) where chunk_index = 3`);
      await expect(resealAll()).rejects.toThrow(
        'The value of sealed_bytes in report_chunks at content_id one, chunk_index 3 cannot be opened.',
      );
      await database.rows(sql`delete from report_chunks where chunk_index = 3`);
      await resealAll();
      expect(await usedKeys()).toHaveLength(1);
      expect(opened((await room.gateway(database)).sealer, await storedPieces(database))).toBe(PIECES - 1);
    });

    it('gives gateways time to read a data key before anything is sealed with it', async () => {
      const gateway = await room.gateway(database);
      await announceDataKeys({ ...room.operator(database), leadSeconds: 3_600 });
      const other = await room.gateway(database);
      await storePieces(database, other.sealer, 'one', 2);
      expect(opened(gateway.sealer, await storedPieces(database))).toBe(2);
      await letSettle(database);
      await other.refresh();
      await storePieces(database, other.sealer, 'two', 2);
      // A gateway that knows the key in time opens the value. Otherwise it answers 503 until it checks again.
      const [piece] = (await storedPieces(database)).filter(({ content }) => content === 'two');
      expect(() => gateway.sealer.open(piece!.sealed, 'report_chunks/two/0')).toThrow(
        expect.objectContaining({ code: 'UNAVAILABLE' }),
      );
      await gateway.refresh();
      expect(opened(gateway.sealer, await storedPieces(database))).toBe(4);
    });
  });

  describe('retire', () => {
    const retire = (version: number) => retireMasterKey(room.operator(database), version);

    it('is refused while the version, or a data key that it wrapped, is in use', async () => {
      const gateway = await room.gateway(database);
      await storePieces(database, gateway.sealer, 'one', PIECES);
      await expect(retire(7)).rejects.toThrow('The database has no master key of version 7.');
      await expect(retire(1)).rejects.toThrow(/^Version 1 is in use/);
      await rotate();
      await expect(retire(1)).rejects.toThrow(/^Version 1 wrapped data keys that are in use/);
      await announceDataKeys(room.operator(database));
      await expect(retire(1)).rejects.toThrow(/in use for less than 300 s/);
      await letSettle(database);
      await expect(retire(1)).rejects.toThrow(/^20 values of report_chunks are sealed with data key/);
      expect((await keyStatus(database)).dataKeys.some(({ destroyedAt }) => destroyedAt)).toBe(false);
    });

    it.each(['data keys', 'none'])(
      'protects values sealed later from an old backup with the old master key (earlier database: %s)',
      async (kind) => {
        const before = kind === 'none' ? await sealAsBefore(database, room.firstKey) : undefined;
        const gateway = await room.gateway(database);
        await storePieces(database, before ?? gateway.sealer, 'one', PIECES);
        // An attacker with the old key and the old rows has these data keys.
        const stolen = await openGateway(database, onlyKey(room.firstKey));
        expect(opened(stolen.sealer, await storedPieces(database))).toBe(PIECES);
        await rotate();
        await resealAll();
        await letSettle(database);
        const destroyed = await retire(1);
        expect(destroyed).toBeGreaterThan(0);
        const later = await room.gateway(database);
        await storePieces(database, later.sealer, 'two', PIECES);
        const pieces = await storedPieces(database);
        expect(opened(stolen.sealer, pieces)).toBe(0);
        expect(opened(later.sealer, pieces)).toBe(2 * PIECES);
        await expect(retire(1)).rejects.toThrow('Version 1 is already retired.');
        // Digests do not change, because stored values are found by them.
        expect(later.sealer.digest('a', 'b')).toEqual(stolen.sealer.digest('a', 'b'));
        const [{ wrapped } = { wrapped: 1 }] = await database.rows(
          sql<{ wrapped: number }>`select count(wrapped_key)::integer as wrapped from data_keys
            where destroyed_at is not null`,
        );
        expect(wrapped).toBe(0);
        // A gateway forgets destroyed keys.
        await gateway.refresh();
        await stolen.refresh().catch(() => undefined);
        expect(opened(gateway.sealer, pieces)).toBe(2 * PIECES);
      },
    );
  });
});
