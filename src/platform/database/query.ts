import type { EntitySchemaWithMeta } from '@mikro-orm/core';
import type { InferKyselyTable, SnakeCase } from '@mikro-orm/sql';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Compilable,
  type Selectable,
} from 'kysely';

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

const propertiesOf = (entity: EntitySchemaWithMeta): string[] =>
  Object.keys((entity as unknown as { readonly meta: { readonly properties: object } }).meta.properties);

const snakeCase = (property: string) => property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
