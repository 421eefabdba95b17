import { readFileSync } from 'node:fs';
import { buildSchema, getNullableType, isObjectType, type GraphQLSchema } from 'graphql';
import { resolvers as scalars } from 'graphql-scalars';
import { newId } from '../../src/kernel/ids.js';
import type { ContextFactory } from '../../src/graphql/index.js';

type FieldStub = (variables: Record<string, unknown>) => unknown;

/** Fields of the gateway's schema by name, with what a test lets them do. */
export type Stubs = Readonly<Record<string, FieldStub>>;

const definitions = readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8');

/** The gateway's printed schema without its resolvers, so that a test decides what each field does. */
export function stubSchema(stubs: Stubs, edit = (text: string) => text): GraphQLSchema {
  const schema = buildSchema(edit(definitions));
  for (const scalar of Object.values(scalars)) {
    const { serialize, parseValue, parseLiteral } = scalar;
    const named = schema.getType(scalar.name);
    if (named) Object.assign(named, { serialize, parseValue, parseLiteral });
  }
  const [query, mutation] = [schema.getQueryType()!, schema.getMutationType()!];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type === query || type === mutation || type.name.startsWith('__')) continue;
    // A stub says what its test is about, and no more.
    for (const field of Object.values(type.getFields())) field.type = getNullableType(field.type);
  }
  const fields = { ...query.getFields(), ...mutation.getFields() };
  for (const [name, stub] of Object.entries(stubs)) {
    fields[name]!.resolve = (_source, variables: Record<string, unknown>) => stub(variables);
  }
  return schema;
}

/** Everybody is an API key with no scopes; `nobody` as key is nobody. */
export const stubContext: ContextFactory = (request) =>
  Promise.resolve({
    principal:
      request.headers.authorization === 'Bearer nobody'
        ? undefined
        : { kind: 'api_key', organizationId: ORGANIZATION, apiKeyId: KEY, name: 'stub', scopes: new Set() },
    requestId: request.id,
    clientAddress: request.ip,
  });

const ORGANIZATION = newId('org');
const KEY = newId('key');
