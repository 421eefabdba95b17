import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  type Database,
  query,
  type Reader,
  sql,
  type Transaction,
} from '../../../platform/database/index.js';
import { conflict } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { flushArchive, openArchive, writeArchive } from './archive-file.js';
import {
  type ArchivedPart,
  dayText,
  listArchives,
  listParts,
  nameOf,
  partOf,
  withBriefLocks,
} from './parts.js';

export interface ArchivePartOptions {
  /** The day before which the records of the part were indexed. */
  readonly before: Date;
  /** The file to create. A complete file from an earlier run is reused. */
  readonly file: string;
  /** Called with the number of compared records. */
  readonly progress?: (records: number) => void;
  readonly batchSize?: number;
}

const BATCH_SIZE = 1_000;

/**
 * Moves a part of old records from the database into a file. The file is written, read back, and compared with every record
 * before the part is dropped. If it is stopped at any point, the next call continues it. The caller owns the tables.
 */
export async function archivePart(
  database: Database,
  { before, file, progress, batchSize = BATCH_SIZE }: ArchivePartOptions,
): Promise<ArchivedPart> {
  const isArchived = ({ before: day }: { readonly before: Date | null }) =>
    day?.getTime() === before.getTime();
  const known = (await listArchives(database)).find(isArchived);
  if (known) return known;
  if (!(await listParts(database)).some(isArchived))
    throw conflict(
      `There is no part of records that were indexed before ${dayText(before)}. \`lucarne records parts\` lists them.`,
    );
  if (!existsSync(file)) await writeArchive(file, dayText(before), linesOf(database, before, batchSize));
  await flushArchive(file);
  const { records, sha256 } = await verify(database, before, file, progress);
  const away = await readAway(database, before);
  await requireAllOf(database, before, records, away);
  await withBriefLocks(database, async (transaction) => {
    // Another operator may have archived it since.
    if ((await listArchives(transaction)).some(isArchived)) return;
    await detach(transaction, { before, file, records, sha256 }, away);
  });
  const [archived] = (await listArchives(database)).filter(isArchived);
  return archived!;
}

/** The records in the order of the file. Nothing stays open between two batches, because records never change. */
async function* linesOf(
  database: Database,
  before: Date,
  batchSize: number,
): AsyncGenerator<string[], void, undefined> {
  let last = { assetId: '' as Id<'ast'>, position: 0 };
  for (;;) {
    // Raw, as all of this file: the builder does not know the table of a part, and the table has no entity.
    const rows = await database.rows(sql<typeof last & { line: string }>`
      select asset_id as "assetId", position, to_jsonb(held)::text as line from ${sql.id(nameOf(before))} as held
      where (asset_id, position) > (${last.assetId}, ${last.position}::bigint)
      order by asset_id, position limit ${batchSize}`);
    const end = rows.at(-1);
    if (!end) return;
    yield rows.map(({ line }) => line);
    last = end;
  }
}

/** Reads the file like `attachPart`, compares each record with the part's, and stores its key. */
async function verify(
  database: Database,
  before: Date,
  file: string,
  progress: ArchivePartOptions['progress'],
): Promise<Pick<ArchivedPart, 'records' | 'sha256'>> {
  await using archive = await openArchive(file);
  const different = () =>
    conflict(`The file ${file} exists and does not hold the records of the part. Name another file.`);
  if (archive.before !== dayText(before)) throw different();
  const part = sql.id(nameOf(before));
  let records = 0;
  for await (const { json, count } of archive.batches) {
    const [same] = await database.rows(sql<{ count: number }>`
      with same as (
        select held.asset_id, held.signature, held.path from jsonb_populate_recordset(null::${part}, ${json}::jsonb) as line
        join ${part} as held on held.id = line.id where held is not distinct from line
      ), kept as (
        insert into archived_keys (part, key)
        select ${partOf(before)}, archived_key(asset_id, signature, path) from same on conflict do nothing)
      select count(*) as count from same`);
    if (same?.count !== count) throw different();
    records += count;
    progress?.(records);
  }
  return { records, sha256: archive.digest() };
}

/** The data about a part that stay in the database. */
interface Away {
  readonly records: number;
  /** JSON for each asset: its id, and its entry. */
  readonly entries: string;
}

/** Reads the whole part once, before anything is locked, even if the locks are tried several times. */
async function readAway(database: Database, before: Date): Promise<Away> {
  const [away] = await database.rows(sql<Away>`
    select coalesce(sum(records), 0)::bigint as records,
      coalesce(jsonb_agg(jsonb_build_object('asset_id', asset_id, 'entry', entry)), '[]')::text as entries
    from (select asset_id, count(*) as records, jsonb_build_object('before', ${dayText(before)}::text,
        'first', min(position), 'last', max(position), 'earliest', min(block_time), 'latest', max(block_time),
        'from', min(indexed_at), 'to', max(indexed_at)) as entry
      from ${sql.id(nameOf(before))} group by asset_id) as held`);
  return away!;
}

async function requireAllOf(database: Database, before: Date, records: number, away: Away): Promise<void> {
  if (away.records !== records)
    throw conflict(
      `The file holds ${records} of the ${away.records} records of the part. Remove the file, and run the command again.`,
    );
  await requireKeys(database, before, records);
}

/** Without its key, a record that is indexed again while the part is away would be written twice. */
async function requireKeys(reader: Reader, before: Date, records: number): Promise<void> {
  const [kept] = await reader.rows(
    sql<{ keys: number }>`select count(*) as keys from archived_keys where part = ${partOf(before)}`,
  );
  if (kept?.keys !== records)
    throw conflict(
      `${kept?.keys} of ${records} records have a key. Another operator attached the part meanwhile. Run the command again.`,
    );
}

interface Detached extends Pick<ArchivedPart, 'records' | 'sha256' | 'before'> {
  readonly file: string;
}

/** In one transaction, so that each read either has the records or learns that they are archived. */
async function detach(
  transaction: Transaction,
  { before, file, records, sha256 }: Detached,
  { entries }: Away,
): Promise<void> {
  const part = sql.id(nameOf(before));
  const away = sql`jsonb_to_recordset(${entries}::jsonb) as away (asset_id text, entry jsonb)`;
  // Nobody moves records meanwhile, because the caller holds the lock for moves. The records of an asset are moved in the
  // order of their positions.
  const grown = await transaction.rows(sql`
    select from assets left join ${away} on away.asset_id = assets.id
    where exists (select from ${part} as held
      where held.asset_id = assets.id and held.position > coalesce((away.entry ->> 'last')::bigint, 0)) limit 1`);
  if (grown.length > 0)
    throw conflict('Records were moved into the part meanwhile. Remove the file, and run the command again.');
  await requireKeys(transaction, before, records);
  // Readers take this lock first: a statement that runs after it sees both the part and its entry, or neither.
  await transaction.rows(sql`lock table transactions in access exclusive mode`);
  await transaction.rows(sql`
    update assets set archived = coalesce(archived, '[]') || jsonb_build_array(away.entry)
    from ${away} where assets.id = away.asset_id`);
  await transaction.rows(
    query.insertInto('archived_parts').values({
      part: partOf(before),
      records,
      sha256,
      file_name: path.basename(file),
      archived_at: sql<Date>`now()`,
    }),
  );
  await transaction.rows(sql`alter table transactions detach partition ${part}`);
  await transaction.rows(sql`drop table ${part}`);
}
