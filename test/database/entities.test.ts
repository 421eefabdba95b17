import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityProperty } from '@mikro-orm/core';
import { sql, type Database } from '../../src/database/index.js';
import { entities } from '../../src/entities.js';
import { createTestDatabase } from '../kit/database.js';

interface Column {
  readonly type: string;
  readonly nullable: boolean;
  readonly isWrittenByDatabase: boolean;
}

describe('the entities and the tables that the migrations make', () => {
  let database: Database;
  let columns: Map<string, Map<string, Column>>;
  let keys: Map<string, string[]>;
  let properties: Map<string, EntityProperty[]>;

  beforeAll(async () => {
    database = await createTestDatabase();
    columns = new Map();
    const rows = await database.rows(sql<Column & { table: string; name: string }>`
      select table_name as "table", column_name as name, is_nullable = 'YES' as nullable,
        format_type(atttypid, atttypmod) as type,
        column_default is not null or is_identity = 'YES' as "isWrittenByDatabase"
      from information_schema.columns
      join pg_attribute on attrelid = quote_ident(table_name)::regclass and attname = column_name
      where table_schema = 'public'`);
    for (const { table, name, ...column } of rows)
      columns.set(table, (columns.get(table) ?? new Map<string, Column>()).set(name, column));
    const constraints = await database.rows(sql<{ table: string; names: string[] }>`
      select table_name as "table", array_agg(column_name::text order by ordinal_position) as names
      from information_schema.table_constraints
      join information_schema.key_column_usage using (constraint_name, table_name)
      where constraint_type = 'PRIMARY KEY' group by table_name`);
    keys = new Map(constraints.map(({ table, names }) => [table, names]));
    await database.transaction((transaction) => {
      const metadata = [...transaction.em.getMetadata().getAll().values()];
      properties = new Map(metadata.map((entity) => [entity.tableName, entity.props]));
      return Promise.resolve();
    });
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  const tables = entities.map((entity) => entity.meta.tableName);
  const nameOf = (property: EntityProperty) => property.fieldNames[0]!;

  it('are each of a table of their own', () => {
    expect(new Set(tables).size).toBe(entities.length);
    expect(tables.filter((table) => !columns.has(table))).toEqual([]);
  });

  it.each(tables)('%s: agree in columns, types and nullability', (table) => {
    const declared = properties.get(table)!.map((property) => ({
      name: nameOf(property),
      type: property.columnTypes[0],
      nullable: property.nullable ?? false,
    }));
    const actual = declared.map(({ name }) => {
      const column = columns.get(table)?.get(name);
      return { name, type: column && spellAsOrm(column.type), nullable: column?.nullable };
    });
    expect(declared).toEqual(actual);
  });

  it.each(tables)('%s: leave nothing out that an insert must give', (table) => {
    const declared = new Set(properties.get(table)!.map(nameOf));
    const missing = [...columns.get(table)!].filter(
      ([name, { nullable, isWrittenByDatabase }]) => !nullable && !isWrittenByDatabase && !declared.has(name),
    );
    expect(missing).toEqual([]);
  });

  it.each(tables)('%s: agree in the primary key', (table) => {
    const declared = properties.get(table)!.filter(({ primary }) => primary);
    expect(declared.map(nameOf)).toEqual(keys.get(table));
  });
});

/** PostgreSQL's full names of types as MikroORM writes them. */
function spellAsOrm(type: string): string {
  return type === 'integer' ? 'int' : type.replace(/^timestamp\((\d)\) with time zone$/, 'timestamptz($1)');
}
