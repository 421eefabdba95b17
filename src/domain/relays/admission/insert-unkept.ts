import { query, sql, valuesOf, type Reader } from '../../../platform/database/index.js';
import { newCapabilityId } from '../../../platform/kernel/ids.js';
import { RelayEventEntity } from '../relay.entity.js';
import type { Relay } from '../relay.js';
import { FIRST_STATUS, newRelay, type Submission } from './insert-relays.js';

/** Inserts a request whose package is not kept, and which holds no nullifier and belongs to no organization. */
export async function insertUnkept(reader: Reader, { pool, digest }: Submission): Promise<Relay> {
  const id = newCapabilityId('rly');
  // The clock of the database, as for accepted requests.
  const at = sql<Date>`now()::timestamptz(3)`;
  const [row] = await reader.rows(
    query
      .insertInto('relay_requests')
      .values({
        ...{ id, pool_selector: pool.poolSelector, program_id: pool.programId, package_digest: digest },
        ...{ status: FIRST_STATUS, sequence: 1, next_look_at: sql<Date>`now()`, failed_looks: 0 },
        ...{ fencing_token: 0, created_at: at, updated_at: at },
      })
      .returning('created_at as at'),
  );
  if (!row) throw new Error('A request was not inserted.');
  const event = {
    requestId: id,
    sequence: 1,
    status: FIRST_STATUS,
    evidence: {},
    createdAt: row.at,
  } as const;
  await reader.rows(query.insertInto('relay_events').values(valuesOf(RelayEventEntity, event)));
  return newRelay(id, pool, digest, row.at);
}
