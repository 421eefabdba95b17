import { sql } from 'kysely';
import { badUserInput } from '../kernel/errors.js';
import type { Reader, Transaction } from './database.js';

/** Rows that are written once. What a trigger refuses is not granted either. */
export const APPEND_ONLY_TABLES = [
  ...['address_checks', 'data_keys', 'log_checkpoints', 'master_keys', 'mikro_orm_migrations', 'receipts'],
  ...['relay_applications', 'relay_attempts'],
  ...['relay_conclusions', 'relay_events', 'relay_receipts', 'report_chunks', 'report_files', 'reports'],
  'transactions',
] as const;

/** Rows that change and are never deleted. */
export const KEPT_TABLES = [
  ...['activity_logs', 'address_policies', 'api_keys', 'application_addresses', 'applications', 'assets'],
  ...['auditor_keys', 'case_requests', 'case_views', 'cases', 'disclosure_policies'],
  ...['disclosures', 'legal_holds', 'log_tiles', 'organizations'],
  ...['relay_organizations', 'report_downloads', 'retention_settings', 'settings', 'signing_keys', 'users'],
];

/**
 * What the serving role may do on tables where it may not read, insert, update and delete all rows. Columns limit an update:
 * of a log entry its index is set once, and its salts are erased; what was signed stays.
 */
const PRIVILEGES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(KEPT_TABLES.map((table) => [table, 'select, insert, update'])),
  ...Object.fromEntries(APPEND_ONLY_TABLES.map((table) => [table, 'select, insert'])),
  activity_entries: 'select, insert, update (log_index, salts)',
  archived_keys: 'select',
  archived_parts: 'select',
  mikro_orm_migrations: 'select',
  resealing: 'select',
  // A trigger decides which rows may be deleted: refused requests after a day, what no finished report holds, and files of
  // reports after five years.
  relay_events: 'select, insert, delete',
  report_chunks: 'select, insert, delete',
  report_files: 'select, insert, delete',
};
const OTHERS = 'select, insert, update, delete';

/** A part of a table, also while it is loaded and not attached yet. Parts are reached by the table, and need no privilege. */
const IS_PART = sql`(relispartition or relname like 'transactions\\_before\\_%')`;

const OWN_TABLES = sql`array(select relname::text from pg_class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not ${IS_PART} order by relname)`;

/**
 * Grants `role` the privileges for serving, and revokes all others in this schema: it cannot alter anything, disable
 * triggers, or update or delete append-only rows. The caller owns the tables.
 */
export async function grantServing(transaction: Transaction, role: string): Promise<void> {
  const name = sql.id(role);
  const run = (statement: ReturnType<typeof sql>) => transaction.rows(statement);
  // Raw, as all of this file: the catalog has no entities, and grants are beyond the builder.
  const [found] = await transaction.rows(
    sql<{ schema: string; tables: string[]; rules: boolean }>`select current_schema() as schema,
      ${OWN_TABLES} as tables,
      rolsuper or rolbypassrls or exists (select from pg_tables where schemaname = current_schema()
        and pg_has_role(rolname, tableowner, 'member')) as rules
      from pg_roles where rolname = ${role}`,
  );
  if (!found)
    throw badUserInput(
      `The database has no role “${role}”. Create it first: create role ${role} login password '…'`,
    );
  if (found.rules)
    throw badUserInput(
      `The role “${role}” owns the tables, is a superuser or bypasses row-level security. Serve as another role.`,
    );
  const schema = sql.id(found.schema);
  await run(sql`revoke all on schema ${schema} from ${name}`);
  await run(sql`revoke all on all tables in schema ${schema} from ${name}`);
  await run(sql`grant usage on schema ${schema} to ${name}`);
  for (const table of found.tables.toSorted())
    await run(
      sql`grant ${sql.raw(PRIVILEGES[table] ?? OTHERS)} on ${sql.id(found.schema, table)} to ${name}`,
    );
}

/**
 * What serving needs of `tables` and the connected role may not do, such as `select, insert case_views`: an upgrade adds tables,
 * which need their grants. Tables of a newer version can have other grants, and other programs can have tables in this schema.
 */
export async function missingPrivileges(reader: Reader, tables: readonly string[]): Promise<string[]> {
  // Raw, as above.
  const found = await reader.rows(
    sql<{ name: string; held: string[] }>`select name, array(
        select privilege from unnest(array['select', 'insert', 'update', 'delete']) as privilege
        where case privilege when 'delete' then has_table_privilege(current_user, place, privilege)
          else has_any_column_privilege(current_user, place, privilege) end) as held
      from unnest(${OWN_TABLES}) as name, format('%I.%I', current_schema(), name) as place
      where name = any (${[...tables]}::text[])`,
  );
  return found.flatMap(({ name, held }) => {
    const needed = (PRIVILEGES[name] ?? OTHERS).replace(/ [(][^)]*[)]/g, '').split(', ');
    const missing = needed.filter((privilege) => !held.includes(privilege));
    return missing.length === 0 ? [] : [`${missing.join(', ')} ${name}`];
  });
}

/** What the connected role may do and the serving role may not, in words; empty for a serving role. */
export async function excessivePrivileges(reader: Reader): Promise<string[]> {
  // Raw, as above.
  const [found] = await reader.rows(
    sql<{
      isSuperuser: boolean;
      bypasses: boolean;
      owns: boolean;
      creates: boolean;
      unguarded: string[];
    }>`select
      (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
      (select rolbypassrls from pg_roles where rolname = current_user) as bypasses,
      exists (select from pg_tables where schemaname = current_schema()
        and pg_has_role(current_user, tableowner, 'member')) as owns,
      has_schema_privilege(current_user, current_schema(), 'create') as creates,
      array(select tablename::text from pg_policies where schemaname = current_schema()
        and not row_security_active(format('%I.%I', schemaname, tablename)) order by tablename) as unguarded`,
  );
  if (!found) return [];
  if (found.isSuperuser) return ['it is a superuser'];
  if (found.owns) return ['it owns the tables, and can alter them and disable their triggers'];
  if (found.bypasses) return ['it bypasses row-level security'];
  return [
    ...(found.creates ? ['it can create tables and functions in the schema'] : []),
    ...(await excessOfTables(reader)).map(
      ({ name, privileges }) => `it can ${privileges.join(', ')} ${name}`,
    ),
    ...(await excessOfColumns(reader)).map(
      ({ name, privilege, columns }) => `it can ${privilege} (${columns.join(', ')}) ${name}`,
    ),
    ...found.unguarded.map((table) => `it reads ${table} of every organization`),
  ];
}

/** Privileges by any way: granted to the role, to a role that it is a member of, or to everyone. Parts of a table have none. */
function excessOfTables(reader: Reader): Promise<{ name: string; privileges: string[] }[]> {
  const granted = sql`case when ${IS_PART} then ''
    else coalesce(${JSON.stringify(PRIVILEGES)}::jsonb ->> relname, ${OTHERS}) end`;
  // Raw, as above.
  return reader.rows(
    sql`select relname::text as name, array_agg(privilege order by privilege) as privileges
      from pg_class
      cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'trigger']) as privilege
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
        and has_table_privilege(current_user, pg_class.oid, privilege)
        and not privilege = any (string_to_array(${granted}, ', '))
      group by relname order by relname`,
  );
}

/** Privileges granted only on columns, which table privileges do not show. */
function excessOfColumns(reader: Reader): Promise<{ name: string; privilege: string; columns: string[] }[]> {
  const ofTables = sql`case when relispartition then ''
    else coalesce(${JSON.stringify(PRIVILEGES)}::jsonb ->> relname, ${OTHERS}) end`;
  // Raw, as above.
  return reader.rows(
    sql`select relname::text as name, privilege, array_agg(attname::text order by attname) as columns
      from pg_class
      join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      cross join unnest(array['select', 'insert', 'update']) as privilege
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
        and has_column_privilege(current_user, pg_class.oid, attnum, privilege)
        and not has_table_privilege(current_user, pg_class.oid, privilege)
        and not privilege = any (string_to_array(${ofTables}, ', '))
        and not attname = any (string_to_array(
          coalesce(substring(${ofTables} from privilege || ' [(]([^)]*)[)]'), ''), ', '))
      group by relname, privilege order by relname, privilege`,
  );
}
