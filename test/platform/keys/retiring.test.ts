import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Database, query } from '../../../src/platform/database/index.js';
import {
  announceDataKeys,
  keyStatus,
  reseal,
  retireMasterKey,
  rotateMasterKey,
} from '../../../src/platform/keys/index.js';
import { createTestDatabase } from '../../kit/database.js';
import { type KeyRoom, letSettle, opened, openKeyRoom, storedPieces, storePieces } from './key-room.js';

const PIECES = 20;

describe('retiring a version of the master key', () => {
  let database: Database;
  let room: KeyRoom;
  beforeEach(async () => {
    database = await createTestDatabase();
    room = await openKeyRoom();
    await storePieces(database, (await room.gateway(database)).sealer, 'one', PIECES);
    const operator = room.operator(database);
    await rotateMasterKey(operator);
    await announceDataKeys(operator);
    await reseal({ ...operator, sealer: (await room.gateway(database)).sealer });
    await letSettle(database);
  });
  afterEach(async () => {
    await room[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const retire = (version: number) => retireMasterKey(room.operator(database), version);

  it('by two concurrent operators happens once, and loses no value', async () => {
    const done = await Promise.allSettled([retire(1), retire(1)]);
    const counts = done.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(counts).toHaveLength(1);
    for (const each of done)
      if (each.status === 'rejected')
        expect(String(each.reason)).toMatch(/Another operator changed the keys|is already retired/);
    const { masterKeys, dataKeys } = await keyStatus(database);
    expect(masterKeys.map(({ retiredAt }) => retiredAt !== null)).toEqual([true, false]);
    expect(dataKeys.filter(({ destroyedAt }) => destroyedAt !== null)).toHaveLength(counts[0]!);
    expect(opened((await room.gateway(database)).sealer, await storedPieces(database))).toBe(PIECES);
  });

  it('scans each table once, for any number of destroyed data keys', async () => {
    let statements = 0;
    const counted: Database = {
      ...database,
      rows(statement) {
        if ('isRawBuilder' in statement && statement.compile(query).sql.includes('count(*)')) statements += 1;
        return database.rows(statement);
      },
    };
    const operator = room.operator(database);
    expect(await retireMasterKey({ ...operator, database: counted }, 1)).toBeGreaterThan(1);
    expect(statements).toBe(operator.columns.length);
  });
});
