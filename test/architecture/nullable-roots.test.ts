import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execute, isNonNullType, parse } from 'graphql';
import { lucarneErrorIn } from '../../src/edge/graphql/index.js';
import type { Database } from '../../src/platform/database/index.js';
import { createTestDatabase } from '../kit/database.js';
import { testFoundation } from '../kit/seed.js';
import { type OpenSchema, openSchema } from './open-schema.js';

let database: Database;
let opened: OpenSchema;
beforeAll(async () => {
  database = await createTestDatabase();
  opened = openSchema(testFoundation(database));
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

it('a query field that fails does not affect the answers of other fields', async () => {
  const cookie = { token: undefined, set: () => undefined, clear: () => undefined };
  const { data, errors } = await execute({
    schema: opened.schema,
    document: parse(
      '{ signInOptions { __typename } me { __typename } relayRequest(relayRequestId: "rly_none") { __typename } }',
    ),
    contextValue: {
      ...{ principal: undefined, requestId: 'r-1', clientAddress: '192.0.2.1' },
      ...{ sessionCookie: cookie, attemptCookie: cookie },
    },
  });
  expect(data).toEqual({ signInOptions: { __typename: 'SignInOptions' }, me: null, relayRequest: null });
  const codes = (errors ?? []).map((error) => lucarneErrorIn(error)?.code);
  expect(codes.sort()).toEqual(['NOT_FOUND', 'UNAUTHENTICATED']);
});

it('a query root field is non-null only if it is never refused', () => {
  const fields = Object.values(opened.schema.getQueryType()!.getFields());
  const required = fields.filter(({ type }) => isNonNullType(type)).map(({ name }) => name);
  expect(required.sort()).toEqual(['permissionTable', 'signInOptions']);
});
