import { expect } from '@jest/globals';
import { sealingKeyOf } from '../../../src/platform/crypto/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { announceDataKeys, reseal } from '../../../src/platform/keys/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { itOnPostgresql } from '../../kit/database/on-postgresql.js';
import { opened, openKeyRoom, storedPieces, storePieces } from './key-room.js';

itOnPostgresql(
  'reseal waits for a transaction that stores what it sealed with the previous data key',
  async () => {
    await using database = await createTestDatabase();
    await using room = await openKeyRoom();
    const before = await room.gateway(database);
    await storePieces(database, before.sealer, 'one', 1);
    const [stored, held] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const late = database.transaction(async (transaction) => {
      const sealed = before.sealer.seal(new TextEncoder().encode('piece 0'), 'report_chunks/late/0');
      await transaction.rows(sql`insert into report_chunks (content_id, chunk_index, sealed_bytes)
        values ('late', 0, ${sealed})`);
      stored.resolve(undefined);
      await held.promise;
    });
    await stored.promise;
    const operator = room.operator(database);
    await announceDataKeys(operator);
    const { sealer } = await room.gateway(database);
    // Much longer than it takes to reseal the value that is committed.
    setTimeout(() => held.resolve(undefined), 2_000);
    expect(await reseal({ ...operator, sealer })).toEqual([]);
    await late;
    const pieces = await storedPieces(database);
    expect(pieces).toHaveLength(2);
    expect(new Set(pieces.map(({ sealed }) => sealingKeyOf(sealed))).size).toBe(1);
    expect(opened(sealer, pieces)).toBe(2);
  },
);
