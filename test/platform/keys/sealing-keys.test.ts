import { expect, it } from '@jest/globals';
import { sealedPrefix } from '../../../src/platform/crypto/index.js';
import { type Database, query, sql } from '../../../src/platform/database/index.js';
import type { Paced } from '../../../src/platform/jobs/index.js';
import { countByKey, sumOf } from '../../../src/platform/keys/rotation/sealing-keys.js';
import { SEALED_CHUNKS } from '../../../src/domain/reports/index.js';
import { createTestDatabase } from '../../kit/database/database.js';

const CONTENTS = 3;
const CHUNKS = 4_000;

it('counts the values of a large table by their data keys, each once, in statements of a bounded number of rows', async () => {
  await using database = await createTestDatabase();
  const store = (prefix: Uint8Array, from: number, to: number) =>
    database.rows(sql`insert into report_chunks (content_id, chunk_index, sealed_bytes)
      select 'content ' || content, chunk, ${prefix}::bytea || decode(md5(chunk::text), 'hex')
      from generate_series(1, ${CONTENTS}::integer) content, generate_series(${from}::integer, ${to}::integer) chunk`);
  await store(sealedPrefix(1), 0, 999);
  await store(sealedPrefix(7), 1_000, CHUNKS - 2);
  await store(Uint8Array.of(0x7f), CHUNKS - 1, CHUNKS - 1);
  let statements = 0;
  const counted: Database = {
    ...database,
    rows(statement) {
      statements += 1;
      if ('isRawBuilder' in statement) expect(statement.compile(query).sql).toContain('limit');
      return database.rows(statement);
    },
  };
  let pieces = 0;
  const paced: Paced = (work) => {
    pieces += 1;
    return work();
  };
  const counts = await countByKey(counted, SEALED_CHUNKS, paced);
  expect(Object.fromEntries(counts)).toEqual({
    1: CONTENTS * 1_000,
    7: CONTENTS * (CHUNKS - 1_001),
    undefined: CONTENTS,
  });
  expect(sumOf(counts)).toBe(CONTENTS * CHUNKS);
  expect([statements, pieces]).toEqual([3, 3]);
});
