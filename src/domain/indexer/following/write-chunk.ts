import {
  query,
  sql,
  type Database,
  type Transaction,
  violatedConstraint,
} from '../../../platform/database/index.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import { newId, type Id } from '../../../platform/kernel/ids.js';
import type { Address, ConfidentialEvent } from '../../../platform/ledger/index.js';
import type { AuditorKeyChange, ChunkFindings, IndexedRecord } from './chunk-findings.js';
import { underVerifiedLease, type MintLease } from '../mint-lease.js';

/** Rows of one insert statement. */
const BATCH_SIZE = 1_000;

/**
 * Commits the records of a history chunk together with the new frontier, so that the two agree if the process dies before
 * or after the commit. Existing records are not changed: the chunk is first written as if all its records were new, and
 * again without the existing ones if that violates the uniqueness of signatures.
 * @returns how many records are new
 * @throws {LeaseLost}
 */
export async function writeChunk(
  database: Database,
  lease: MintLease,
  findings: ChunkFindings,
): Promise<number> {
  try {
    return await writeRecords(database, lease, findings, 'all are new');
  } catch (thrown) {
    if (violatedConstraint(thrown) !== 'transactions_signature') throw thrown;
    return writeRecords(database, lease, findings, 'some are known');
  }
}

type Expectation = 'all are new' | 'some are known';

function writeRecords(
  database: Database,
  lease: MintLease,
  findings: ChunkFindings,
  expectation: Expectation,
): Promise<number> {
  const { assetId } = lease;
  return underVerifiedLease(database, lease, async (transaction, { recordCount }) => {
    let count = recordCount;
    for (let start = 0; start < findings.records.length; start += BATCH_SIZE) {
      const batch = findings.records.slice(start, start + BATCH_SIZE);
      count += await insertRecords(transaction, assetId, count, batch, expectation);
    }
    if (findings.kinds.size > 0) await setKinds(transaction, assetId, findings);
    if (findings.frontiers.size > 0 || findings.origins.size > 0) {
      await moveFrontiers(transaction, assetId, findings);
    }
    if (findings.keyChanges.length > 0) await insertKeyChanges(transaction, assetId, findings.keyChanges);
    return count - recordCount;
  });
}

/** Leaves out existing records. `offset 0` keeps the lookup a lookup: as a join it may read the whole table. */
const isNew = (assetId: Id<'ast'>) => sql`not exists (
  select from transactions as known
  where known.asset_id = ${assetId} and known.signature = incoming.signature and known.path = incoming.path::integer[]
  offset 0) and not is_archived(${assetId}, incoming.signature, incoming.path::integer[])`;

/**
 * Inserts the records that do not exist yet, at the positions after `recordCount`. An earlier statement locked the mint's
 * row, so this one sees every record, and positions have no gaps or duplicates. The indexing time never decreases with the
 * position, because listings convert times to positions.
 * Raw, because the whole chunk is one statement: it is the hot path of indexing. `COPY` is refused under row-level
 * security. Columns are passed as lines of text, which costs PostgreSQL as much as `COPY`; arrays of text, numbers and JSON
 * cost a quarter more. Base58, numbers and JSON contain no line end.
 */
async function insertRecords(
  transaction: Transaction,
  assetId: Id<'ast'>,
  recordCount: number,
  records: readonly IndexedRecord[],
  expectation: Expectation,
): Promise<number> {
  const column = (valueOf: (record: IndexedRecord) => string | number | null | undefined) =>
    sql`string_to_array(${records.map((record) => valueOf(record) ?? '').join('\n')}, chr(10), '')`;
  const [result] = await transaction.rows(sql<{ inserted: number }>`
    with fresh as (
      select incoming.*, ${recordCount}::bigint + row_number() over (order by ordinal) as position
      from unnest(
        ${column(() => newId('txn'))},
        ${column(({ signature }) => signature)},
        ${column(({ event }) => `{${event.path.join(',')}}`)},
        ${column(({ event }) => event.type)},
        ${column(({ slot }) => slot)},
        ${column(({ blockTime }) => blockTime)},
        ${column(({ signer }) => signer)},
        ${column(({ event }) => event.sourceAccount)},
        ${column(({ event }) => event.destinationAccount)},
        ${column(({ event }) => JSON.stringify(event.publicData))},
        ${column(({ event }) => JSON.stringify(ciphertextsOf(event)))}
      ) with ordinality as incoming(
        id, signature, path, type, slot, block_time, signer, source, destination, public_data, ciphertexts, ordinal)
      where ${expectation === 'all are new' ? sql`true` : isNew(assetId)}
    ), inserted as (
      insert into transactions (id, asset_id, organization_id, position, signature, path, type, slot, block_time, signer,
        source_account, destination_account, public_data, ciphertexts, indexed_at)
      select id, ${assetId}, (select organization_id from assets where id = ${assetId}), position, signature,
        path::integer[], type, slot::bigint, block_time::bigint, signer, source, destination, public_data::jsonb,
        ciphertexts::jsonb, greatest(now(), (select last_indexed_at from indexed_mints where asset_id = ${assetId}))
      from fresh order by position
      returning position, slot, block_time, signature
    ), latest as (
      select slot, block_time, signature from inserted order by slot desc, position desc limit 1
    )
    update indexed_mints set
      record_count = record_count + (select count(*) from inserted),
      last_indexed_at = greatest(now(), last_indexed_at),
      latest_slot = case when newer then latest.slot else latest_slot end,
      latest_block_time = case when newer then latest.block_time else latest_block_time end,
      latest_signature = case when newer then latest.signature else latest_signature end
    from latest, lateral (
      select mint.latest_slot is null or latest.slot >= mint.latest_slot as newer
      from indexed_mints as mint where mint.asset_id = ${assetId}) as comparison
    where asset_id = ${assetId}
    returning (select count(*) from inserted) as "inserted"`);
  return result?.inserted ?? 0;
}

function ciphertextsOf({ ciphertexts: { auditor } }: ConfidentialEvent) {
  return auditor ? { auditor: { lo: base64.encode(auditor.lo), hi: base64.encode(auditor.hi) } } : {};
}

async function setKinds(
  transaction: Transaction,
  assetId: Id<'ast'>,
  { kinds }: ChunkFindings,
): Promise<void> {
  const learnedAt = sql<Date>`now()`;
  await transaction.rows(
    query
      .insertInto('followed_addresses')
      .values(
        [...kinds].map(([address, kind]) => ({ asset_id: assetId, address, kind, learned_at: learnedAt })),
      )
      .onConflict((known) =>
        known
          .columns(['asset_id', 'address'])
          .doUpdateSet((incoming) => ({ kind: incoming.ref('excluded.kind') })),
      ),
  );
}

async function moveFrontiers(
  transaction: Transaction,
  assetId: Id<'ast'>,
  { frontiers, origins }: ChunkFindings,
): Promise<void> {
  const rows = [...new Set([...frontiers.keys(), ...origins])].map((address) => {
    const move = frontiers.get(address);
    return {
      address,
      signature: move?.signature ?? null,
      slot: move?.slot ?? null,
      oldest: move?.oldest ?? null,
      origin: origins.has(address),
    };
  });
  // Raw: one statement moves many rows, each to different values.
  await transaction.rows(sql`
    update followed_addresses as followed set
      frontier_signature = coalesce(moved.signature, frontier_signature),
      frontier_slot = coalesce(moved.slot, frontier_slot),
      oldest_signature = coalesce(oldest_signature, moved.oldest),
      origin_seen = origin_seen or moved.origin
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as moved(address text, signature text, slot bigint, oldest text, origin boolean)
    where followed.asset_id = ${assetId} and followed.address = moved.address`);
}

async function insertKeyChanges(
  transaction: Transaction,
  assetId: Id<'ast'>,
  changes: readonly AuditorKeyChange[],
): Promise<void> {
  await transaction.rows(
    query
      .insertInto('mint_auditor_keys')
      .values(
        changes.map(({ slot, path, publicKey, signature }) => ({
          asset_id: assetId,
          from_slot: slot,
          path: [...path],
          public_key: publicKey,
          signature,
          // Each change of the key and each encrypted amount names the mint, so their positions are in the ledger's order.
          position: sql<number>`coalesce((select position from transactions where asset_id = ${assetId}
            and signature = ${signature} and path = ${`{${path.join(',')}}`}::integer[]), 0)`,
        })),
      )
      .onConflict((known) => known.doNothing()),
  );
}

/** A history older than the indexed one was found, so the address is walked again from its beginning. */
export function forgetFrontier(database: Database, lease: MintLease, address: Address): Promise<void> {
  return underVerifiedLease(database, lease, async (transaction) => {
    await transaction.rows(
      query
        .updateTable('followed_addresses')
        .set({ frontier_signature: null, frontier_slot: null, oldest_signature: null })
        .where('asset_id', '=', lease.assetId)
        .where('address', '=', address),
    );
  });
}
