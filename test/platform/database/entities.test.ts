import { beforeAll, describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { EntityProperty } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import { sql } from '../../../src/platform/database/index.js';
import { entities } from '../../../src/app/storage/entities.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { forFile } from '../../kit/for-file.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
/** The ORM's table of applied migrations. */
const WITHOUT_ENTITY = ['mikro_orm_migrations'];

interface Column {
  readonly type: string;
  readonly nullable: boolean;
  readonly isWrittenByDatabase: boolean;
}

const database = forFile(await createTestDatabase());
const columns = new Map<string, Map<string, Column>>();

describe('the entities and the tables of the migrations', () => {
  let keys: Map<string, string[]>;
  let uniqueOf: Map<string, string[]>;
  let properties: Map<string, EntityProperty[]>;

  beforeAll(async () => {
    const rows = await database.rows(sql<Column & { table: string; name: string }>`
      select table_name as "table", column_name as name, is_nullable = 'YES' as nullable,
        format_type(atttypid, atttypmod) as type,
        column_default is not null or is_identity = 'YES' as "isWrittenByDatabase"
      from information_schema.columns
      join pg_attribute on attrelid = quote_ident(table_name)::regclass and attname = column_name
      where table_schema = 'public' and not exists (select from pg_inherits where inhrelid = attrelid)`);
    for (const { table, name, ...column } of rows)
      columns.set(table, (columns.get(table) ?? new Map<string, Column>()).set(name, column));
    const constraints = await database.rows(sql<{ table: string; type: string; names: string[] }>`
      select constraint_type as type, coalesce(whole.relname::text, table_name) as "table", array_agg(column_name::text order by ordinal_position) as names
      from information_schema.table_constraints
      join information_schema.key_column_usage using (constraint_name, table_name)
      -- A part has the keys of its table: an index holds one part.
      left join pg_inherits on inhrelid = quote_ident(table_name)::regclass
      left join pg_class as whole on whole.oid = inhparent
      where constraint_type in ('PRIMARY KEY', 'UNIQUE')
      group by table_name, whole.relname, constraint_type, constraint_name`);
    const columnsOf = (type: string) =>
      new Map(constraints.filter((one) => one.type === type).map(({ table, names }) => [table, names]));
    keys = columnsOf('PRIMARY KEY');
    uniqueOf = columnsOf('UNIQUE');
    await using orm = await MikroORM.init({ entities: [...entities], dbName: 'lucarne' });
    const metadata = [...orm.getMetadata().getAll().values()];
    properties = new Map(metadata.map((entity) => [entity.tableName, entity.props]));
  });

  const tables = entities.map((entity) => entity.meta.tableName);
  const nameOf = (property: EntityProperty) => property.fieldNames[0]!;

  it('correspond one to one', () => {
    expect(new Set(tables).size).toBe(entities.length);
    expect(tables.filter((table) => !columns.has(table))).toEqual([]);
    const described = new Set([...tables, ...WITHOUT_ENTITY]);
    expect([...columns.keys()].filter((table) => !described.has(table))).toEqual([]);
  });

  it('are each used by a statement', () => {
    // Without the declarations of entities and the lists of a folder's entities.
    const source = sources()
      .filter(({ file }) => !/(\.entity|\/index|\/entities)\.ts$|\/migrations\//.test(file))
      .map(({ text }) => text)
      .join('\n');
    const unused = entities.filter(({ meta: { className, tableName } }) => {
      const builder = `(selectFrom|insertInto|updateTable|deleteFrom|[jJ]oin)\\(\\s*'${tableName}\\b`;
      return !new RegExp(`\\b${className}(Entity)?\\b[,)]|${builder}`).test(source);
    });
    expect(unused.map(({ meta }) => meta.className)).toEqual([]);
  });

  it('are written by statements only: the entity manager gives the connection and nothing else', () => {
    const uses = sources().flatMap(({ file, text }) =>
      [...text.matchAll(/\bem\b(\.\w+)?|\w*Entity(Manager|Repository)\w*/g)].map(
        ([use]) => `${file}: ${use}`,
      ),
    );
    expect(uses).toEqual(['src/platform/database/database.ts: em.getConnection']);
  });

  it.each(tables)('%s: agree in columns, types and nullability', (table) => {
    const declared = properties.get(table)!.map((property) => ({
      name: nameOf(property),
      type: property.columnTypes[0]?.replace('serial', 'int'),
      nullable: property.nullable ?? false,
    }));
    const actual = declared.map(({ name }) => {
      const column = columns.get(table)?.get(name);
      return { name, type: column && spellAsOrm(column.type), nullable: column?.nullable };
    });
    expect(declared).toEqual(actual);
  });

  it.each(tables)('%s: include every column that an insert requires', (table) => {
    const declared = new Set(properties.get(table)!.map(nameOf));
    const missing = [...columns.get(table)!].filter(
      ([name, { nullable, isWrittenByDatabase }]) => !nullable && !isWrittenByDatabase && !declared.has(name),
    );
    expect(missing).toEqual([]);
  });

  it.each(tables)('%s: agree in the primary key', (table) => {
    const declared = properties.get(table)!.filter(({ primary }) => primary);
    // A table without a primary key has a unique constraint: the ORM takes its columns that are never null.
    if (keys.has(table)) expect(declared.map(nameOf)).toEqual(keys.get(table));
    else expect(uniqueOf.get(table)).toEqual(expect.arrayContaining(declared.map(nameOf)));
  });
});

const sources = () =>
  globSync('src/**/*.ts', { cwd: ROOT }).map((file) => ({
    file,
    text: readFileSync(path.join(ROOT, file), 'utf8'),
  }));

/** PostgreSQL's full names of types as MikroORM writes them. */
function spellAsOrm(type: string): string {
  return type === 'integer' ? 'int' : type.replace(/^timestamp\((\d)\) with time zone$/, 'timestamptz($1)');
}
