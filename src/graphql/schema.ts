import 'reflect-metadata';
import { lexicographicSortSchema, printSchema, type GraphQLSchema } from 'graphql';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';

/** Builds the executable schema from resolver instances, made by hand in the composition root. */
export function executableSchema(resolvers: readonly object[]): GraphQLSchema {
  const instances = new Map<object, object>(resolvers.map((resolver) => [resolver.constructor, resolver]));
  const schema = buildSchemaSync({
    resolvers: resolvers.map((resolver) => resolver.constructor) as unknown as NonEmptyArray<() => unknown>,
    container: { get: (wanted: object) => instances.get(wanted) },
    // Each operation parses its own input and names the member; class-validator would be a second set of rules.
    validate: false,
    // type-graphql asks for one as soon as there is a subscription; each subscription here brings its own iterator.
    pubSub: { publish: noTopics, subscribe: noTopics },
  });
  describeRoots(schema);
  return schema;
}

// type-graphql makes these types of many resolvers, and takes no description of the whole.
function describeRoots(schema: GraphQLSchema): void {
  const roots = [
    [schema.getQueryType(), 'What can be read. Everything is of the caller’s organization.'],
    [schema.getMutationType(), 'What can be done. Each checks its own permission first.'],
    [schema.getSubscriptionType(), 'What can be followed over WebSocket, without losing anything.'],
  ] as const;
  for (const [type, description] of roots) if (type) type.description = description;
}

function noTopics(): never {
  throw new Error('A subscription reads its rows by sequence number; there are no topics.');
}

/** The schema as text, as `schema/schema.graphql` holds it. */
export function printSortedSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
