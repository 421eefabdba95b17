import {
  columnsOf,
  query,
  type Reader,
  sql,
  sqlStateOf,
  takeTurn,
  type Database,
  type Transaction,
} from '../../../platform/database/index.js';
import { badUserInput, conflict } from '../../../platform/kernel/errors.js';
import { retry } from '../../../platform/jobs/index.js';
import { ArchivedPartEntity } from './archived-part.entity.js';

/** Each read searches every part. With at most this many parts, a page costs about as much as with one table. */
const MAX_PARTS = 6;
const DAY_MS = 24 * 60 * 60_000;

/** A table that holds some of the records. */
export interface RecordPart {
  readonly name: string;
  /** The day before which its records were indexed. Null for the part that the indexer writes to. */
  readonly before: Date | null;
  /** Null for the database's own tablespace. */
  readonly tablespace: string | null;
  /** As of the last count by the database. */
  readonly estimatedRecords: number;
  readonly bytes: number;
}

/** A part in cold storage: a file, and the data about it in the database. */
export interface ArchivedPart {
  readonly name: string;
  readonly before: Date;
  readonly records: number;
  /** The SHA-256 of the file's bytes. */
  readonly sha256: string;
  /** The name of the file when it was created. */
  readonly fileName: string;
  readonly archivedAt: Date;
}

/** The parts in cold storage, the oldest first. */
export async function listArchives(reader: Reader): Promise<ArchivedPart[]> {
  const rows = await reader.rows(
    query
      .selectFrom('archived_parts')
      .select(columnsOf(ArchivedPartEntity, ['part', 'records', 'sha256', 'fileName', 'archivedAt']))
      .orderBy('part'),
  );
  return rows.map(({ part, ...row }) => {
    const before = new Date(part * DAY_MS);
    return { name: nameOf(before), before, ...row };
  });
}

/** The number in `transactions.part` for records that were indexed before `day`. */
export const partOf = (day: Date): number => day.getTime() / DAY_MS;

export const dayText = (day: Date): string => day.toISOString().slice(0, 10);

export const nameOf = (day: Date) => `transactions_before_${dayText(day).replaceAll('-', '_')}`;

/** The parts, the oldest first. */
export async function listParts(reader: Reader): Promise<RecordPart[]> {
  // Raw, as all of this file: the catalog has no entities.
  const rows = await reader.rows(sql<Omit<RecordPart, 'before'> & { part: number | null }>`
    select part.relname::text as name, spcname::text as tablespace,
      substring(pg_get_expr(part.relpartbound, part.oid) from '\\((\\d+)\\)')::integer as part,
      greatest(part.reltuples, 0)::bigint as "estimatedRecords", pg_total_relation_size(part.oid)::bigint as bytes
    from pg_inherits join pg_class as part on part.oid = inhrelid
    left join pg_tablespace on pg_tablespace.oid = part.reltablespace
    where inhparent = 'transactions'::regclass
    order by 3 nulls last`);
  return rows.map(({ part, ...row }) => ({ ...row, before: part === null ? null : new Date(part * DAY_MS) }));
}

/** Creates the part of the records that were indexed before `day`, if it does not exist. */
export async function makePart(database: Database, day: Date, tablespace: string | null): Promise<void> {
  const name = nameOf(day);
  const place = tablespace === null ? null : await placeOf(database, tablespace);
  if (await hasPart(database, name, place)) return;
  await requireNotArchived(database, day);
  await proveLivePart(database);
  await withBriefLocks(database, async (transaction) => {
    // Another operator may have created it since.
    if (await hasPart(transaction, name, place)) return;
    await requireNotArchived(transaction, day);
    await createPartTable(transaction, day, place);
    await attachPartTable(transaction, day);
  });
}

/** The table of a part, before it is attached. */
export async function createPartTable(
  transaction: Transaction,
  day: Date,
  place: Place | null,
): Promise<void> {
  const name = sql.id(nameOf(day));
  if (place?.isOther)
    await transaction.rows(sql`select set_config('default_tablespace', ${place.tablespace}, true)`);
  await transaction.rows(sql`create table ${name}
    (like transactions_live including defaults including indexes including storage)`);
  const [policy] = await transaction.rows(sql<{ qual: string }>`select qual from pg_policies
    where schemaname = current_schema() and tablename = 'transactions' and policyname = 'organization'`);
  await transaction.rows(sql`create policy organization on ${name} using (${sql.raw(policy!.qual)})`);
  await transaction.rows(sql`alter table ${name} enable row level security`);
}

export const attachPartTable = (transaction: Transaction, day: Date) =>
  transaction.rows(
    sql`alter table transactions attach partition ${sql.id(nameOf(day))} for values in (${sql.lit(partOf(day))})`,
  );

/** With it, a part can be attached without reading the part of new records. */
export const proveLivePart = (database: Database) =>
  database.rows(sql`alter table transactions_live validate constraint transactions_live_part`);

/** @throws {LucarneError} if the part is in cold storage. */
async function requireNotArchived(reader: Reader, day: Date): Promise<void> {
  const [archived] = await reader.rows(
    query.selectFrom('archived_parts').select('part').where('part', '=', partOf(day)),
  );
  if (archived)
    throw conflict(
      `The records that were indexed before ${dayText(day)} are in cold storage. ` +
        'Move those of another day, or attach them first.',
    );
}

/** A tablespace in which a part may be created. */
export interface Place {
  readonly tablespace: string;
  /** Whether it differs from the database's own, which the catalog omits. */
  readonly isOther: boolean;
}

/** @throws {LucarneError} if no part can be created in it. The message says what to do. */
export async function placeOf(reader: Reader, tablespace: string): Promise<Place> {
  const [found] = await reader.rows(sql<{ role: string; isOther: boolean; isUsable: boolean }>`
    select quote_ident(current_user) as role,
      pg_tablespace.oid <> (select dattablespace from pg_database where datname = current_database()) as "isOther",
      has_tablespace_privilege(pg_tablespace.oid, 'create') as "isUsable"
    from pg_tablespace where spcname = ${tablespace}`);
  if (!found)
    throw badUserInput(
      `The database has no tablespace “${tablespace}”. Create it first: create tablespace … location '…'`,
    );
  if (tablespace === SHARED_TABLESPACE)
    throw badUserInput(`The tablespace “${tablespace}” is PostgreSQL’s own: name another one.`);
  const { role, isOther, isUsable } = found;
  if (isOther && !isUsable)
    throw conflict(
      `The role ${role} may not use the tablespace “${tablespace}”. ` +
        `Allow it: grant create on tablespace ${tablespace} to ${role}`,
    );
  return { tablespace, isOther };
}

/** PostgreSQL does not store tables of a database in it. */
const SHARED_TABLESPACE = 'pg_global';

/** @throws {LucarneError} if it is in another tablespace, or if there would be too many parts. */
export async function hasPart(reader: Reader, name: string, place: Place | null): Promise<boolean> {
  const parts = await listParts(reader);
  const part = parts.find((one) => one.name === name);
  if (!part && parts.length > MAX_PARTS)
    throw badUserInput(
      `There can be at most ${MAX_PARTS} parts with old records. Move the records of more days at once.`,
    );
  if (part && place && part.tablespace !== (place.isOther ? place.tablespace : null))
    throw conflict(
      `The part ${name} is already in ${part.tablespace === null ? 'the database’s own tablespace' : `the tablespace “${part.tablespace}”`}. ` +
        'Move records without --tablespace.',
    );
  return part !== undefined;
}

const LOCK_NOT_AVAILABLE = '55P03';
const MAX_LOCK_ATTEMPTS = 1_200;
const STAYS_LOCKED =
  'Another session keeps the records locked, for example a vacuum or a backup. Nothing was changed. Run the command again when that session has ended.';

/**
 * Runs `work` in a transaction that waits only briefly for each lock, because all later statements would wait with it. It is
 * repeated until it has the locks.
 */
export async function withBriefLocks(
  database: Database,
  work: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  const attempt = () =>
    database.transaction(async (transaction) => {
      await takeTurn(transaction, 'moving records');
      await transaction.rows(sql`set local lock_timeout = '50ms'`);
      await work(transaction);
    });
  await retry(attempt, (thrown, failures) => {
    if (sqlStateOf(thrown) !== LOCK_NOT_AVAILABLE) throw thrown;
    if (failures === MAX_LOCK_ATTEMPTS) throw conflict(STAYS_LOCKED, { cause: thrown });
    return 200;
  });
}
