import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sealingKeyOf } from '../../../src/platform/crypto/index.js';
import type { Database } from '../../../src/platform/database/index.js';
import {
  announceDataKeys,
  keyStatus,
  reseal,
  retireMasterKey,
  rotateMasterKey,
} from '../../../src/platform/keys/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import {
  type KeyRoom,
  letSettle,
  opened,
  openKeyRoom,
  sealAsBefore,
  storedPieces,
  storePieces,
} from './key-room.js';

const NEW = 'report_chunks';
const PIECES = 3;

describe('a purpose that an upgrade adds to a database from before data keys existed', () => {
  let database: Database;
  let room: KeyRoom;
  beforeEach(async () => {
    database = await createTestDatabase();
    room = await openKeyRoom();
    await sealAsBefore(database, room.firstKey);
    await room.gateway(database);
    await rotateMasterKey(room.operator(database));
  });
  afterEach(async () => {
    await room[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  type Operator = ReturnType<KeyRoom['operator']>;
  const operator = () => room.operator(database);
  /** What the previous version knows. */
  const operatorBefore = (): Operator => {
    const { purposes, columns, ...others } = operator();
    return {
      ...others,
      purposes: purposes.filter((purpose) => purpose !== NEW),
      columns: columns.filter(({ purpose }) => purpose !== NEW),
    };
  };
  const resealAs = async (as: Operator) => {
    await announceDataKeys(as);
    await reseal({ ...as, sealer: (await room.gateway(database)).sealer });
    await letSettle(database);
  };
  const destroyed = async () =>
    (await keyStatus(database)).dataKeys.filter(({ destroyedAt }) => destroyedAt !== null).length;

  it('keeps its data key until it has a newer one', async () => {
    await resealAs(operatorBefore());
    const upgraded = await room.gateway(database);
    await expect(retireMasterKey(operator(), 1)).rejects.toThrow(
      'Version 1 wrapped data keys that are in use. Run “lucarne master-key reseal” first.',
    );
    expect(await destroyed()).toBe(0);
    await upgraded.refresh();
    await storePieces(database, upgraded.sealer, 'one', PIECES);
    await resealAs(operator());
    expect(await retireMasterKey(operator(), 1)).toBeGreaterThan(0);
    await upgraded.refresh();
    await storePieces(database, upgraded.sealer, 'two', PIECES);
    expect(opened((await room.gateway(database)).sealer, await storedPieces(database))).toBe(2 * PIECES);
  });

  it('is resealed with the others, even if the previous version had begun', async () => {
    await announceDataKeys(operatorBefore());
    const upgraded = await room.gateway(database);
    await storePieces(database, upgraded.sealer, 'one', PIECES);
    await resealAs(operator());
    const pieces = await storedPieces(database);
    const own = (await keyStatus(database)).dataKeys.find(({ purpose }) => purpose === NEW);
    expect(new Set(pieces.map(({ sealed }) => sealingKeyOf(sealed)))).toEqual(new Set([own?.id]));
    expect(await announceDataKeys(operator())).toBe(true);
    expect(opened((await room.gateway(database)).sealer, pieces)).toBe(PIECES);
  });

  it('keeps its data keys when the previous version retires the master key', async () => {
    await resealAs(operator());
    const upgraded = await room.gateway(database);
    await storePieces(database, upgraded.sealer, 'one', PIECES);
    await retireMasterKey(operator(), 1);
    await rotateMasterKey(operator());
    // The previous version finishes what a newer one began, without seeing the table of the new purpose.
    await announceDataKeys(operator());
    await resealAs(operatorBefore());
    await expect(retireMasterKey(operatorBefore(), 2)).rejects.toThrow(
      /^Data key \d+ is for “report_chunks”, which this version does not know\. Run the command of the newest version/,
    );
    expect(opened((await room.gateway(database)).sealer, await storedPieces(database))).toBe(PIECES);
  });
});
