import { expect, it } from '@jest/globals';
import { sealingKeyOf } from '../../../src/platform/crypto/index.js';
import { type Database, query } from '../../../src/platform/database/index.js';
import type { Statement } from '../../../src/platform/database/statement.js';
import { announceDataKeys, reseal } from '../../../src/platform/keys/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { openKeyRoom, storedPieces, storePieces } from './key-room.js';

/** Of eight to a batch. */
const PIECES = 80;
const FREE_MS = 1_000;

const isWriting = (statement: Statement<unknown>) =>
  'isRawBuilder' in statement && statement.compile(query).sql.startsWith('update "report_chunks"');

it.each([
  ['a quarter of its time', 0.25],
  ['half of its time', 0.5],
  ['all of its time', 1],
])('reseal that may work %s rests after slow batches in proportion', async (_, share) => {
  await using database = await createTestDatabase();
  await using room = await openKeyRoom();
  await storePieces(database, (await room.gateway(database)).sealer, 'one', PIECES);
  const operator = room.operator(database);
  await announceDataKeys(operator);
  const { sealer } = await room.gateway(database);
  let [now, worked, rested] = [0, 0, 0];
  const time = {
    elapsedMs: () => now,
    pause(ms: number) {
      now += ms;
      rested += ms;
      return Promise.resolve();
    },
  };
  const took: number[] = [];
  /** Each batch is slower than the one before; nothing else takes time. */
  const slow: Database = {
    ...database,
    async rows(statement) {
      const rows = await database.rows(statement);
      if (isWriting(statement)) {
        took.push(100 * (took.length + 1));
        now += took.at(-1)!;
        worked += took.at(-1)!;
      }
      return rows;
    },
  };
  await reseal({ ...operator, database: slow, sealer, share, time });
  expect(new Set((await storedPieces(database)).map(({ sealed }) => sealingKeyOf(sealed))).size).toBe(1);
  expect(took).toHaveLength(PIECES / 8);
  // Beyond the first second, which needs no rest, it worked for its share of the time, whether batches were fast or slow.
  const wanted = share < 1 ? (worked - FREE_MS) / share + took[0]! - worked : 0;
  expect(rested).toBeCloseTo(wanted);
});
