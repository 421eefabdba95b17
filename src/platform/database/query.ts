import { JsonType, type EntitySchemaWithMeta } from '@mikro-orm/core';
import type { InferKyselyTable, SnakeCase } from '@mikro-orm/sql';
import {
  DummyDriver,
  isExpression,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Compilable,
  type Insertable,
  type InsertObject,
  type Selectable,
} from 'kysely';
import { jsonb } from './sql.js';

/**
 * The tables by name. Each entity file adds its own, so that the entity is the one description of its table:
 *
 *     declare module '…/platform/database/query.js' {
 *       interface Tables {
 *         assets: TableOf<typeof AssetEntity>;
 *       }
 *     }
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface Tables {}

/** The columns of an entity's table, as statements name them (`organization_id`). */
export type TableOf<Entity extends EntitySchemaWithMeta> = InferKyselyTable<Entity>;

/**
 * Writes statements that are typed by the entities: a column that was renamed does not compile. It is connected to
 * nothing; a statement runs by `reader.rows(query.selectFrom(…)…)`.
 */
export const query = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** A statement of {@link query}. */
export type TypedStatement<Row> = Compilable<Row>;

/** A row of an entity's table with the names of the entity's properties (`organizationId`). */
export type RowOf<Entity extends EntitySchemaWithMeta> = Readonly<
  Selectable<InferKyselyTable<Entity, { columnNamingStrategy: 'property' }>>
>;

// A conditional type, so that it is made for each property and not for every pair of two.
type Selected<Property extends string, Prefix extends string> = Property extends string
  ? `${Prefix}${SnakeCase<Property>} as ${Property}`
  : never;

/**
 * What a statement of {@link query} selects so that its rows have the names of the entity's properties: all of them,
 * or those named. A statement that joins says the table's alias.
 */
export function columnsOf<Entity extends EntitySchemaWithMeta, Property extends keyof RowOf<Entity> & string>(
  entity: Entity,
  properties: readonly Property[] = propertiesOf(entity) as Property[],
): Selected<Property, ''>[] {
  return properties.map((property) => `${snakeCase(property)} as ${property}` as Selected<Property, ''>);
}

/** {@link columnsOf} of a table that the statement calls `alias`. */
export function aliasedColumnsOf<
  Alias extends string,
  Entity extends EntitySchemaWithMeta,
  Property extends keyof RowOf<Entity> & string,
>(
  alias: Alias,
  entity: Entity,
  properties: readonly Property[] = propertiesOf(entity) as Property[],
): Selected<Property, `${Alias}.`>[] {
  return properties.map(
    (property) => `${alias}.${snakeCase(property)} as ${property}` as Selected<Property, `${Alias}.`>,
  );
}

/**
 * A new row with the names of the entity's properties. A property that can be null or has a default may be left out, and a
 * value may be an expression, such as `sql<Date>`now()``.
 */
export type NewRowOf<Entity extends EntitySchemaWithMeta> = InsertObject<
  { row: InferKyselyTable<Entity, { columnNamingStrategy: 'property' }> },
  'row'
>;

/** The values of a new row as `insertInto(…).values(…)` takes them: by column, and JSON as `jsonb`. */
export function valuesOf<Entity extends EntitySchemaWithMeta>(
  entity: Entity,
  row: NewRowOf<Entity>,
): Insertable<TableOf<Entity>> {
  const { properties } = describedBy(entity);
  const values = Object.entries(row).map(([property, value]: [string, unknown]) => {
    const isPlainJson = properties[property]?.type === JsonType && value != null && !isExpression(value);
    return [snakeCase(property), isPlainJson ? jsonb(value) : value];
  });
  return Object.fromEntries(values) as Insertable<TableOf<Entity>>;
}

const propertiesOf = (entity: EntitySchemaWithMeta): string[] => Object.keys(describedBy(entity).properties);

// The type of a property says so only at run time.
const describedBy = (entity: EntitySchemaWithMeta) =>
  (entity as unknown as { readonly meta: Description }).meta;

interface Description {
  readonly properties: Readonly<Record<string, { readonly type: unknown }>>;
}

const snakeCase = (property: string) => property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
