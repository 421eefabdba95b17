import { type Database, sql } from '../../../src/platform/database/index.js';

/** Each table of the database with a digest of its rows. */
export async function databaseContents(database: Database): Promise<ReadonlyMap<string, string>> {
  const tables = await database.rows(sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`);
  const digests = await database.rows(
    sql<{ name: string; digest: string }>`${sql.join(
      tables.map(
        ({ name }) => sql`
          select ${name} as name, md5(coalesce(string_agg(t::text, ' ' order by t::text), '')) as digest
          from ${sql.ref(name)} as t`,
      ),
      sql` union all `,
    )}`,
  );
  return new Map(digests.map(({ name, digest }) => [name, digest]));
}
