import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sealingKeyOf } from '../../../src/platform/crypto/index.js';
import type { Database } from '../../../src/platform/database/index.js';
import { textOf } from '../../../src/platform/database/statement.js';
import {
  announceDataKeys,
  type MasterKeys,
  reseal,
  rotateMasterKey,
} from '../../../src/platform/keys/index.js';
import { LEAD_SECONDS } from '../../../src/platform/keys/data-key-rows.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { itOnPostgresql } from '../../kit/database/on-postgresql.js';
import { type KeyRoom, opened, openGateway, openKeyRoom, storedPieces, storePieces } from './key-room.js';

describe('a gateway that reads the keys while an operator changes them', () => {
  let database: Database;
  let room: KeyRoom;
  beforeEach(async () => {
    database = await createTestDatabase();
    room = await openKeyRoom();
    await storePieces(database, (await room.gateway(database)).sealer, 'one', 2);
  });
  afterEach(async () => {
    await room[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const rotate = () => rotateMasterKey(room.operator(database));
  /** Changes the keys once, just before the `n`th read of the data keys. */
  const changing = (n: number, change: () => Promise<unknown>): Database => {
    let readings = 0;
    return {
      ...database,
      async rows(statement) {
        if (/^select .*"wrapped_key"/.test(textOf(statement).text) && (readings += 1) === n) await change();
        return database.rows(statement);
      },
    };
  };

  it.each([1, 2])(
    'starts with the new master key, rotated before it has read %i of the data keys',
    async (n) => {
      const gateway = await openGateway(changing(n, rotate), room.masterKeys);
      expect(gateway.master).toEqual({ version: 2, isReachable: true });
      expect(opened(gateway.sealer, await storedPieces(database))).toBe(2);
    },
  );

  it('continues with the new one at its next check', async () => {
    const gateway = await openGateway(changing(3, rotate), room.masterKeys);
    await gateway.refresh();
    expect(gateway.master).toEqual({ version: 2, isReachable: true });
  });

  it('seals with a new data key from its time on, even if its next check is late', async () => {
    let now = 0;
    const gateway = await openGateway(database, room.masterKeys, () => now);
    const used = () => sealingKeyOf(gateway.sealer.seal(Uint8Array.of(1), 'report_chunks/any/0'))!;
    const first = used();
    await announceDataKeys({ ...room.operator(database), leadSeconds: 25 });
    await gateway.refresh();
    now += 10_000;
    expect(used()).toBe(first);
    now += 15_000;
    expect(used()).toBeGreaterThan(first);
  });

  itOnPostgresql('seals nothing once a data key that it has not read may be in use', async () => {
    let now = 0;
    const gateway = await openGateway(database, room.masterKeys, () => now);
    const seal = () => gateway.sealer.seal(Uint8Array.of(1), 'report_chunks/any/0');
    await announceDataKeys({ ...room.operator(database), leadSeconds: LEAD_SECONDS });
    now += LEAD_SECONDS * 1_000 - 1;
    seal();
    now += 1;
    expect(seal).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
    await gateway.refresh();
    seal();
  });

  it('keeps the newest data keys, even if a check that began before they existed ends later', async () => {
    let isSlow = false;
    const slow = Promise.withResolvers<undefined>();
    const waiting = Promise.withResolvers<undefined>();
    const masterKeys: MasterKeys = {
      ...room.masterKeys,
      async find(...place) {
        if (isSlow) {
          isSlow = false;
          waiting.resolve(undefined);
          await slow.promise;
        }
        return room.masterKeys.find(...place);
      },
    };
    const gateway = await openGateway(database, masterKeys);
    const newKeys = async () => {
      await announceDataKeys(room.operator(database));
      const other = await room.gateway(database);
      await reseal({ ...room.operator(database), sealer: other.sealer });
      return other;
    };
    await newKeys();
    isSlow = true;
    const look = gateway.refresh();
    await waiting.promise;
    const other = await newKeys();
    await storePieces(database, other.sealer, 'two', 2);
    await gateway.refresh();
    expect(opened(gateway.sealer, await storedPieces(database))).toBe(4);
    slow.resolve(undefined);
    await look;
    expect(opened(gateway.sealer, await storedPieces(database))).toBe(4);
  });
});
