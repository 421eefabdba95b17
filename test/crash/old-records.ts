import { type Database, sql } from '../../src/platform/database/index.js';
import type { Id } from '../../src/platform/kernel/ids.js';

/** Adds the records of January 2025 with these positions, named after them. */
export const insertOldRecords = (
  database: Database,
  assetId: Id<'ast'>,
  [from, to]: readonly [number, number],
  name = 'record',
) =>
  database.rows(sql`
    insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
      public_data, ciphertexts, indexed_at)
    select ${name} || n, ${assetId}, n, 'signature' || n, '{0}', 'confidential_deposit', n, n, 'signer', '{}', '{}',
      '2025-01-01T00:00:00Z' from generate_series(${from}::integer, ${to}::integer) as n`);
