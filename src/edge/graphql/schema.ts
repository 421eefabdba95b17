import 'reflect-metadata';
import { getNullableType, lexicographicSortSchema, printSchema, type GraphQLSchema } from 'graphql';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';
import { renewCallers, widenRoots } from './caller-scope.js';
import { CALLER_ROOT_FIELDS, PUBLIC_ROOT_FIELDS } from './public-fields.js';

/** Builds the executable schema from resolver instances, which the composition root creates. */
export function executableSchema(resolvers: readonly object[]): GraphQLSchema {
  const instances = new Map<object, object>(resolvers.map((resolver) => [resolver.constructor, resolver]));
  const schema = buildSchemaSync({
    resolvers: resolvers.map((resolver) => resolver.constructor) as unknown as NonEmptyArray<() => unknown>,
    container: { get: (wanted: object) => instances.get(wanted) },
    // Each operation parses its own input and names the member. class-validator would be a second set of rules.
    validate: false,
    // The first operation that is compiled checks the schema.
    skipCheck: true,
    // type-graphql requires one if there is a subscription. Each subscription here has its own iterator.
    pubSub: { publish: noTopics, subscribe: noTopics },
  });
  describeRoots(schema);
  makePermittedRootsNullable(schema);
  renewCallers(schema);
  widenRoots(schema);
  return schema;
}

// type-graphql builds these types from many resolvers, and has no option for their description.
function describeRoots(schema: GraphQLSchema): void {
  const roots = [
    [schema.getQueryType(), 'All operations that read. They are limited to the caller’s organization.'],
    [schema.getMutationType(), 'All operations that change something. Each first checks its permission.'],
    [schema.getSubscriptionType(), 'All operations that send changes, over WebSocket.'],
  ] as const;
  for (const [type, description] of roots) if (type) type.description = description;
}

/**
 * A root field that needs a permission is nullable, so that one refused field does not null the whole response (GraphQL
 * specification, section 6.4.4). A subscription has only one root field.
 */
function makePermittedRootsNullable(schema: GraphQLSchema): void {
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      const needsPermission = !PUBLIC_ROOT_FIELDS.has(field.name) && !CALLER_ROOT_FIELDS.has(field.name);
      if (needsPermission) field.type = getNullableType(field.type);
    }
  }
}

function noTopics(): never {
  throw new Error('A subscription reads its rows by sequence number; there are no topics.');
}

/** The schema as text, as stored in `schema/schema.graphql`. */
export function printSortedSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
