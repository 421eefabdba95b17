import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../../../../src/domain/access/index.js';
import { createAdmission } from '../../../../src/edge/graphql/index.js';
import { isLucarneError } from '../../../../src/platform/kernel/errors.js';

const CHECK = 'mutation { checkAddress(network: solana, address: "x", applicationId: "y") { reason } }';
const member = { kind: 'user' } as Principal;
const MINUTE_MS = 60_000;

function admission() {
  let now = 0;
  const {
    admit,
    spend,
    refusal: refused,
    validated,
  } = createAdmission({ clock: { now: () => new Date(now) } });
  return {
    spend,
    refused,
    validated,
    wait: (ms: number) => (now += ms),
    refusal: (
      clientAddress: string,
      query: string,
      { principal, operationName }: { principal?: Principal; operationName?: string } = {},
    ) => {
      try {
        admit({ principal, clientAddress }, query, operationName);
        return undefined;
      } catch (thrown) {
        if (isLucarneError(thrown)) return thrown.code;
        throw thrown;
      }
    },
  };
}

describe('a caller without credentials', () => {
  it.each([
    [CHECK, undefined],
    ['{ __typename }', undefined],
    ['{ relayRequest(id: "x") { status } }', undefined],
    ['{ ... on Query { ...A } } fragment A on Query { relayRequest(id: "x") { status } }', undefined],
    ['{ this is not a document', undefined],
    ['{ ...A } fragment A on Query { ...A }', undefined],
    ['{ assets { nodes { id } } }', 'UNAUTHENTICATED'],
    ['{ hidden: assets { nodes { id } } }', 'UNAUTHENTICATED'],
    ['{ relayRequest: assets { nodes { id } } }', 'UNAUTHENTICATED'],
    ['{ __typename ... { ...A } } fragment A on Query { assets { nodes { id } } }', 'UNAUTHENTICATED'],
    ['mutation { signOut createAsset { id } }', 'UNAUTHENTICATED'],
    ['{ noSuchField }', 'UNAUTHENTICATED'],
  ])('asks %s and gets %s', (query, code) => {
    expect(admission().refusal('203.0.113.1', query)).toBe(code);
    expect(admission().refusal('203.0.113.1', query, { principal: member })).toBeUndefined();
  });

  it('may run the public operation of a document that has others', () => {
    const { refusal } = admission();
    const query = 'query Public { __typename } query Private { me { scopes } }';
    expect(refusal('203.0.113.1', query, { operationName: 'Public' })).toBeUndefined();
    expect(refusal('203.0.113.1', query, { operationName: 'Private' })).toBe('UNAUTHENTICATED');
    expect(refusal('203.0.113.1', query, { operationName: 'Public' })).toBeUndefined();
  });

  it('cannot run a private or unbounded document by sending the start of a public one as the operation name', () => {
    const { refusal } = admission();
    const begin = 'query X { __type(name: """';
    const end = ' # """) { name } }';
    for (const hidden of ['{ me { scopes } }', `{ ${'__typename '.repeat(600)} }`]) {
      expect(refusal('203.0.113.1', `${begin}\n${hidden}${end}`, { operationName: 'X' })).toBeUndefined();
      const alone = refusal('203.0.113.1', `${hidden}${end}`, { operationName: 'another' });
      for (const separator of ['\n', '\0', ''])
        expect(refusal('203.0.113.1', `${hidden}${end}`, { operationName: `X${separator}${begin}` })).toBe(
          alone,
        );
    }
  });

  it('has a budget per minute, in which new documents cost more than known ones', () => {
    const { refusal, validated, wait } = admission();
    let known = 0;
    for (; refusal('203.0.113.1', CHECK) === undefined; known += 1) validated(CHECK);
    expect(refusal('203.0.113.1', CHECK)).toBe('TOO_MANY_REQUESTS');
    // Other addresses of the client's network share the budget, other networks do not.
    expect(refusal('203.0.113.2', CHECK)).toBeUndefined();
    let fresh = 0;
    while (refusal('2001:db8::1', `{ a${fresh}: __typename }`) === undefined) fresh += 1;
    expect(refusal('2001:db8::2', CHECK)).toBe('TOO_MANY_REQUESTS');
    expect([known, fresh]).toEqual([1191, 120]);
    wait(MINUTE_MS);
    expect(refusal('203.0.113.1', CHECK)).toBeUndefined();
  });

  it('pays for a document that is not valid as for a new one, each time', () => {
    const { refusal } = admission();
    let asked = 0;
    while (refusal('203.0.113.1', '{ relayRequest { noSuchField } }') === undefined) asked += 1;
    expect(asked).toBe(120);
  });

  it('keeps its budget of documents whatever it spends on refused requests', () => {
    const { refusal, refused, spend, wait } = admission();
    let spent = 0;
    while (refused('203.0.113.1') === undefined) {
      expect(spend('203.0.113.1')).toBeUndefined();
      spent += 1;
    }
    expect(spent).toBe(1_200);
    const refusalNow = { code: 'TOO_MANY_REQUESTS', reason: 'rate_limited' };
    expect(spend('203.0.113.1')).toMatchObject(refusalNow);
    expect(refused('203.0.113.1')).toMatchObject(refusalNow);
    expect(refusal('203.0.113.1', CHECK)).toBeUndefined();
    expect(refused('203.0.113.2')).toBeUndefined();
    wait(MINUTE_MS - 30_500);
    expect(refused('203.0.113.1')).toMatchObject({ retryAfterSeconds: 31 });
    wait(30_500);
    expect(refused('203.0.113.1')).toBeUndefined();
    expect(refusal('203.0.113.1', CHECK)).toBeUndefined();
  });

  it('pays for refused requests', () => {
    const { refusal } = admission();
    const codes = Array.from({ length: 121 }, (_, index) => refusal('203.0.113.1', `{ me${index} { id } }`));
    expect([codes[0], codes[119], codes[120]]).toEqual([
      'UNAUTHENTICATED',
      'UNAUTHENTICATED',
      'TOO_MANY_REQUESTS',
    ]);
  });
});

describe('a caller with credentials', () => {
  it('has no such budget', () => {
    const { refusal } = admission();
    for (let index = 0; index < 2000; index += 1)
      expect(refusal('203.0.113.1', '{ assets { nodes { id } } }', { principal: member })).toBeUndefined();
  });

  it('is subject to the document limits', () => {
    const { refusal } = admission();
    const query = `{ ${'me { scopes } '.repeat(170)} }`;
    expect(refusal('203.0.113.1', query, { principal: member })).toBe('BAD_USER_INPUT');
    expect(refusal('203.0.113.1', query, { principal: member })).toBe('BAD_USER_INPUT');
  });
});
