import { type SealedColumn, sealedPrefix, type Sealer, sealingKeyOf } from '../../crypto/index.js';
import { type Database, jsonb, query, sql } from '../../database/index.js';
import { conflict, isUnavailable } from '../../kernel/errors.js';
import { readDataKeys } from '../data-key-rows.js';
import { earlierWritesEnded } from './earlier-writes.js';
import { type Paced, pacedBy, type Pacing } from '../../jobs/index.js';
import { countByKey, type RowKey, sumOf } from './sealing-keys.js';

export interface ResealOptions extends Pacing {
  readonly database: Database;
  /** Seals with the newest data keys. */
  readonly sealer: Sealer;
  readonly columns: readonly SealedColumn[];
  /** Called before the first batch and after each one, with the number of values that are left of a table. */
  readonly progress?: (column: SealedColumn, left: number) => void;
}

/** More than one pass is needed if an instance sealed with the previous data key during the first pass. */
const MAX_PASSES = 10;

export interface UnfinishedColumn {
  readonly column: SealedColumn;
  readonly left: number;
}

/**
 * Reseals every value that is not sealed with the newest data key of its purpose, batch by batch, while instances read and
 * write. The progress is stored with each batch, so that a new run continues where the last one stopped. Two runs can be active
 * at the same time, and share only the rows. Returns the columns in which values are left because some process seals with
 * earlier data keys.
 */
export async function reseal(options: ResealOptions): Promise<UnfinishedColumn[]> {
  await earlierWritesEnded(options.database);
  const unfinished: UnfinishedColumn[] = [];
  const paced = pacedBy(options);
  for (const column of options.columns) {
    const left = await resealColumn(options, column, paced);
    if (left > 0) unfinished.push({ column, left });
  }
  // Purposes without values in a table have nothing left to do.
  const inTables = unfinished.map(({ column }) => column.purpose);
  await options.database.rows(
    query
      .updateTable('resealing')
      .set({ finished_at: sql<Date>`now()`, values_left: 0, reached: null })
      .where('finished_at', 'is', null)
      .$if(inTables.length > 0, (update) => update.where('purpose', 'not in', inTables)),
  );
  return unfinished;
}

/** Returns the number of values that are left. */
async function resealColumn(options: ResealOptions, column: SealedColumn, paced: Paced): Promise<number> {
  const { database } = options;
  const [state] = await database.rows(
    query
      .selectFrom('resealing')
      .select(['reached', 'values_left as valuesLeft', 'finished_at as finishedAt'])
      .where('purpose', '=', column.purpose),
  );
  if (!state || state.finishedAt) return 0;
  const newest = await newestKey(database, column.purpose);
  let left = await countOthers(database, column, { newest, paced });
  let reached = state.reached ?? undefined;
  if (left !== state.valuesLeft) await storeProgress(database, column, { reached, left });
  options.progress?.(column, left);
  for (let pass = 0; pass < MAX_PASSES && left > 0; pass += 1) {
    for (let isEnd = false; !isEnd;) {
      isEnd = await paced(async () => {
        const page = await readPage(database, column, { newest, after: reached });
        if (page.length === 0) return true;
        left = Math.max(0, left - (await resealPage(options, column, page)));
        reached = page.at(-1)!.key;
        await storeProgress(database, column, { reached, left });
        options.progress?.(column, left);
        return false;
      });
    }
    reached = undefined;
    left = await countOthers(database, column, { newest, paced });
  }
  await database.rows(
    query
      .updateTable('resealing')
      .set({ finished_at: left > 0 ? null : sql<Date>`now()`, values_left: left, reached: null })
      .where('purpose', '=', column.purpose),
  );
  options.progress?.(column, left);
  return left;
}

async function newestKey(database: Database, purpose: string): Promise<number> {
  const keys = await readDataKeys(database);
  const newest = keys.filter((key) => key.purpose === purpose && key.usableInMs <= 0).at(-1);
  if (!newest) throw new Error(`There is no separate data key for ${purpose}.`);
  return newest.id;
}

interface FoundRow {
  readonly key: RowKey;
  /** Null if it is already sealed with the newest key, or is empty. */
  readonly sealed: Uint8Array | null;
}

// Raw, like the statements below: the columns are data.
const others = (column: SealedColumn, prefix: Uint8Array) =>
  sql<boolean>`${sql.id(column.column)} is not null
    and substring(${sql.id(column.column)} from 1 for ${prefix.length}::integer) <> ${prefix}::bytea`;

/** The number of values that another data key sealed. */
async function countOthers(
  database: Database,
  column: SealedColumn,
  { newest, paced }: { readonly newest: number; readonly paced: Paced },
): Promise<number> {
  const counts = await countByKey(database, column, paced);
  return sumOf(counts) - (counts.get(newest) ?? 0);
}

async function readPage(
  database: Database,
  column: SealedColumn,
  { newest, after }: { readonly newest: number; readonly after: RowKey | undefined },
): Promise<FoundRow[]> {
  const key = sql.join(column.key.map((name) => sql.id(name)));
  const following = after ? sql`where (${key}) > (${sql.join([...after])})` : sql``;
  const rows = await database.rows(
    sql<Record<string, unknown>>`select ${key},
      case when ${others(column, sealedPrefix(newest))} then ${sql.id(column.column)} end as sealed_value
      from ${sql.table(column.table)} ${following} order by ${key} limit ${column.rows}`,
  );
  return rows.map((row) => ({
    key: column.key.map((name) => row[name] as string | number),
    sealed: row['sealed_value'] as Uint8Array | null,
  }));
}

/** The beginning of a sealed value, which identifies it: its key and its nonce. */
const HEAD_BYTES = 17;

/** Overwrites only the values that it read: a value that was written meanwhile is already sealed with the newest key. */
async function resealPage(
  options: ResealOptions,
  sealedColumn: SealedColumn,
  page: readonly FoundRow[],
): Promise<number> {
  const { database, sealer } = options;
  const { table, column, key: names, context } = sealedColumn;
  const resealed: { readonly key: RowKey; readonly head: Uint8Array; readonly again: Uint8Array }[] = [];
  for (const { key, sealed } of page) {
    if (!sealed) continue;
    const plaintext = await openValue(options, sealedColumn, key, sealed);
    const again = sealer.seal(plaintext, context(key));
    plaintext.fill(0);
    resealed.push({ key, head: sealed.subarray(0, HEAD_BYTES), again });
  }
  if (resealed.length === 0) return 0;
  // Arrays, so that batches of any size are one statement, which is planned once.
  const keys = names.map((_, at) => arrayOf(resealed.map(({ key }) => key[at]!)));
  const columns = sql.join(names.map((name) => sql.id(name)));
  const same = sql.join(
    names.map((name) => sql`${sql.id(table, name)} = resealed.${sql.id(name)}`),
    sql` and `,
  );
  const written = await database.rows(
    sql`update ${sql.table(table)} set ${sql.id(column)} = resealed.again
      from unnest(${sql.join(keys)}, ${resealed.map(({ head }) => head)}::bytea[],
        ${resealed.map(({ again }) => again)}::bytea[]) as resealed (${columns}, head, again)
      where ${same} and substring(${sql.id(table, column)} from 1 for ${HEAD_BYTES}::integer) = resealed.head
      returning 1 as written`,
  );
  return written.length;
}

/** @throws `CONFLICT` that names a value that was changed, was sealed for another place, or has no existing data key. */
async function openValue(
  { database, sealer }: ResealOptions,
  { table, column, key: names, context }: SealedColumn,
  key: RowKey,
  sealed: Uint8Array,
): Promise<Uint8Array> {
  try {
    return sealer.open(sealed, context(key));
  } catch (thrown) {
    if (isUnavailable(thrown) && (await readDataKeys(database)).some(({ id }) => id === sealingKeyOf(sealed)))
      throw thrown;
    const place = names.map((name, at) => `${name} ${key[at]}`).join(', ');
    throw conflict(
      `The value of ${column} in ${table} at ${place} cannot be opened. Restore it from a backup, or remove what cannot be ` +
        'restored, and run the command again.',
      { cause: thrown },
    );
  }
}

const arrayOf = (values: readonly (string | number)[]) =>
  typeof values[0] === 'number' ? sql`${values}::integer[]` : sql`${values}::text[]`;

function storeProgress(
  database: Database,
  { purpose }: SealedColumn,
  { reached, left }: { readonly reached: RowKey | undefined; readonly left: number },
) {
  return database.rows(
    query
      .updateTable('resealing')
      .set({ reached: reached ? jsonb([...reached]) : null, values_left: left })
      .where('purpose', '=', purpose),
  );
}
