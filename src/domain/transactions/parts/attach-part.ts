import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type Database, query, sql, takeTurn } from '../../../platform/database/index.js';
import { badUserInput, conflict } from '../../../platform/kernel/errors.js';
import { openArchive } from './archive-file.js';
import {
  type ArchivedPart,
  attachPartTable,
  createPartTable,
  hasPart,
  listArchives,
  nameOf,
  partOf,
  type Place,
  placeOf,
  proveLivePart,
  withBriefLocks,
} from './parts.js';

export interface AttachPartOptions {
  /** The file that `archivePart` created. */
  readonly file: string;
  /** The tablespace of the new table. Null for the database's own. */
  readonly tablespace: string | null;
  readonly progress?: (records: number) => void;
}

/**
 * Puts an archived part back. Its records are loaded into a separate table, and all of them become readable at the same
 * moment. If it is stopped at any point, the next call continues it. The caller owns the tables.
 *
 * @returns the part; undefined if it is attached already
 */
export async function attachPart(
  database: Database,
  { file, tablespace, progress }: AttachPartOptions,
): Promise<ArchivedPart | undefined> {
  await using archive = await openArchive(file);
  const day = new Date(`${archive.before}T00:00:00Z`);
  const archived = (await listArchives(database)).find(({ before }) => before.getTime() === day.getTime());
  const place = tablespace === null ? null : await placeOf(database, tablespace);
  if (!archived) {
    if (!(await hasPart(database, nameOf(day), null)))
      throw badUserInput('No part of this database was archived to this file.');
    // A stopped run may have left them.
    await forgetKeys(database, day);
    return undefined;
  }
  if ((await digestOf(file)) !== archived.sha256)
    throw badUserInput(
      `The file is not the one that was archived as ${archived.fileName}: its SHA-256 must be ${archived.sha256}.`,
    );
  // Whether it would exceed the maximum number of parts.
  await hasPart(database, archived.name, place);
  await makeTable(database, archived, place);
  const table = sql.id(archived.name);
  let records = 0;
  for await (const { json, count } of archive.batches) {
    // Raw, as all of this file: the builder does not know the table of a part, and the table has no entity.
    await database.rows(sql`insert into ${table} select * from jsonb_populate_recordset(null::${table}, ${json}::jsonb)
      on conflict (id) do nothing`);
    records += count;
    progress?.(records);
  }
  // The bytes that were loaded, even if another file has the name since.
  if (archive.digest() !== archived.sha256) {
    await dropUnattached(database, archived);
    throw badUserInput('The file was changed while it was read. Run the command again.');
  }
  await database.rows(sql`vacuum (analyze) ${table}`);
  await proveLivePart(database);
  await withBriefLocks(database, async (transaction) => {
    // Another operator may have attached it since.
    if (await hasPart(transaction, archived.name, null)) return;
    const [loaded] = await transaction.rows(
      sql<{ records: number }>`select count(*) as records from ${table}`,
    );
    if (loaded?.records !== archived.records)
      throw conflict(
        `${loaded?.records} of ${archived.records} records were loaded into ${archived.name}. Drop that table, and run the command again.`,
      );
    // Readers take this lock first, so that a later statement sees both the part and that it is not archived.
    await transaction.rows(sql`lock table transactions in access exclusive mode`);
    await attachPartTable(transaction, day);
    await transaction.rows(sql`
      update assets set archived = (
        select jsonb_agg(away) from jsonb_array_elements(archived) as away where away ->> 'before' <> ${archive.before})
      where archived @> ${JSON.stringify([{ before: archive.before }])}::jsonb`);
    await transaction.rows(query.deleteFrom('archived_parts').where('part', '=', partOf(day)));
  });
  await forgetKeys(database, day);
  return archived;
}

/** Creates the table with the constraint. Otherwise, the attachment would read the whole part and block every reader. */
async function makeTable(
  database: Database,
  { name, before }: ArchivedPart,
  place: Place | null,
): Promise<void> {
  await withBriefLocks(database, async (transaction) => {
    const [found] = await transaction.rows(
      sql<{ table: string | null }>`select to_regclass(${name})::text as table`,
    );
    if (found?.table) return;
    await createPartTable(transaction, before, place);
    await transaction.rows(sql`alter table ${sql.id(name)}
      add constraint ${sql.id(`${name}_part`)} check (part = ${sql.lit(partOf(before))}),
      add constraint transactions_asset_fkey foreign key (asset_id, organization_id) references assets (id, organization_id)`);
  });
}

/** Drops a table with records that were not archived. */
const dropUnattached = (database: Database, { name }: ArchivedPart) =>
  withBriefLocks(database, async (transaction) => {
    // Another operator may have attached it since.
    if (await hasPart(transaction, name, null)) return;
    await transaction.rows(sql`drop table if exists ${sql.id(name)}`);
  });

/** Deletes the keys of a part that is attached. If another operator has archived it since, its keys stay. */
const forgetKeys = (database: Database, day: Date) =>
  database.transaction(async (transaction) => {
    await takeTurn(transaction, 'moving records');
    const archives = await listArchives(transaction);
    if (archives.some(({ before }) => before.getTime() === day.getTime())) return;
    await transaction.rows(query.deleteFrom('archived_keys').where('part', '=', partOf(day)));
  });

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
