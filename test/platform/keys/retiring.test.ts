import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Database, query } from '../../../src/platform/database/index.js';
import type { Statement } from '../../../src/platform/database/statement.js';
import {
  announceDataKeys,
  keyStatus,
  reseal,
  retireMasterKey,
  rotateMasterKey,
} from '../../../src/platform/keys/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { type KeyRoom, letSettle, opened, openKeyRoom, storedPieces, storePieces } from './key-room.js';

const PIECES = 20;
const FREE_MS = 1_000;

const isCount = (statement: Statement<unknown>) =>
  'isRawBuilder' in statement && statement.compile(query).sql.includes('count(*)');

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

  it('happens once for two concurrent operators, and loses no value', async () => {
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

  it('rests after the tables that it reads, in proportion to the time that they take', async () => {
    const [share, aTable] = [0.25, 500];
    let [now, worked, rested] = [0, 0, 0];
    const time = {
      elapsedMs: () => now,
      pause(ms: number) {
        now += ms;
        rested += ms;
        return Promise.resolve();
      },
    };
    const slow: Database = {
      ...database,
      rows(statement) {
        if (isCount(statement)) [now, worked] = [now + aTable, worked + aTable];
        return database.rows(statement);
      },
    };
    const operator = room.operator(database);
    expect(await retireMasterKey({ ...operator, database: slow, share, time }, 1)).toBeGreaterThan(0);
    expect(worked).toBe(operator.columns.length * aTable);
    // Beyond the first second, it worked for its share of the time.
    expect(rested).toBeCloseTo((worked - FREE_MS) / share + aTable - worked);
  });

  it('scans each table once, for any number of destroyed data keys', async () => {
    let statements = 0;
    const counted: Database = {
      ...database,
      rows(statement) {
        if (isCount(statement)) statements += 1;
        return database.rows(statement);
      },
    };
    const operator = room.operator(database);
    expect(await retireMasterKey({ ...operator, database: counted }, 1)).toBeGreaterThan(1);
    expect(statements).toBe(operator.columns.length);
  });
});
