import { expect, it } from '@jest/globals';
import { execute, isNonNullType, parse } from 'graphql';
import { lucarneErrorIn } from '../../src/edge/graphql/index.js';
import { forFile } from '../kit/for-file.js';
import { createTestDatabase } from '../kit/database/database.js';
import { testFoundation } from '../kit/seed.js';
import { openSchema } from './things/open-schema.js';

const database = forFile(await createTestDatabase());
const opened = forFile(openSchema(testFoundation(database)));

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
