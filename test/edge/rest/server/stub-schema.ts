import { readFileSync } from 'node:fs';
import { buildSchema, getNullableType, isObjectType, type GraphQLSchema } from 'graphql';
import { resolvers as scalars } from 'graphql-scalars';
import type { Principal } from '../../../../src/domain/access/index.js';
import { newId } from '../../../../src/platform/kernel/ids.js';
import type { ContextFactory } from '../../../../src/edge/graphql/index.js';

type FieldStub = (variables: Record<string, unknown>) => unknown;

/** Fields of the gateway's schema by name, with the behavior that a test gives them. */
export type Stubs = Readonly<Record<string, FieldStub>>;

const definitions = readFileSync(new URL('../../../../schema/schema.graphql', import.meta.url), 'utf8');

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
    // A stub returns only the values that its test is about.
    for (const field of Object.values(type.getFields())) field.type = getNullableType(field.type);
  }
  const fields = { ...query.getFields(), ...mutation.getFields() };
  for (const [name, stub] of Object.entries(stubs)) {
    fields[name]!.resolve = (_source, variables: Record<string, unknown>) => stub(variables);
  }
  return schema;
}

/**
 * Every caller has all permissions: a user's session if the route accepts one, an API key otherwise. The key `nobody` is
 * unauthenticated.
 */
export const stubContext: ContextFactory = (request, _reply, credentials) => {
  const { foreignId = 'shop' } = request.params as { readonly foreignId?: string };
  const isNobody = request.headers.authorization === 'Bearer nobody';
  return Promise.resolve({
    principal: isNobody ? undefined : credentials === 'session' ? userOf(foreignId) : API_KEY,
    requestId: request.id,
    clientAddress: request.ip,
  });
};

const EVERYTHING = { has: () => true } as unknown as ReadonlySet<string>;
const ORGANIZATION = newId('org');

const API_KEY: Principal = {
  kind: 'api_key',
  organizationId: ORGANIZATION,
  apiKeyId: newId('key'),
  name: 'stub',
  scopes: EVERYTHING,
};

function userOf(foreignId: string): Principal {
  const applicationId = newId('app');
  const buckets = { common: EVERYTHING, administrator: EVERYTHING, auditor: EVERYTHING };
  return {
    kind: 'user',
    organizationId: ORGANIZATION,
    organizationName: 'Acme',
    userId: newId('usr'),
    accountId: newId('acc'),
    sessionId: newId('ses'),
    signedInAt: new Date(0),
    factorAt: null,
    isFactorRequired: false,
    name: 'stub',
    email: 'stub@acme.example',
    grants: { owner: EVERYTHING, applications: new Map([[applicationId, buckets]]) },
    applications: new Map([[applicationId, { foreignId, name: 'Stub' }]]),
  };
}
