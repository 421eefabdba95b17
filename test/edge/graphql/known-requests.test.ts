import { ApolloServer } from '@apollo/server';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import { bearer, graphql, sessionOf, startTestApp, type TestApp } from '../../kit/app.js';
import { seedAsset, seedRecords } from '../../kit/ledger/confidential-records.js';
import { fc } from '../../kit/properties.js';
import { seedApiKey } from '../../kit/seed.js';

const REQUESTS = 200;

/** A form of the header that Apollo handles. */
const APOLLO_TYPE = 'application/json; charset="utf-8"';
const PLAIN_TYPES = ['application/json', 'application/json; charset=utf-8', 'application/json;charset=UTF-8'];

interface Request {
  readonly type: string;
  readonly accept: string | undefined;
  readonly credentials: Record<string, string>;
  readonly body: Record<string, unknown>;
}

type Caller = 'key' | 'session' | 'other' | 'foreign page' | 'wrong' | 'none';

describe('requests of known operations', () => {
  let app: TestApp;
  let assetId: string;
  let cursor: unknown;
  const page = (nodes: string, others = '') => `query Page($asset: ID!, $first: Int = 3, $after: String,
    $type: ConfidentialEventType, $account: String, $from: DateTimeISO) {
    page: transactions(assetId: $asset, first: $first, after: $after, type: $type, account: $account, from: $from) {
      nodes { ${nodes} } pageInfo { more: hasNextPage endCursor }
    }
  } ${others}`;
  const throughApollo = jest.spyOn(ApolloServer.prototype, 'executeHTTPGraphQLRequest');
  beforeAll(async () => {
    app = await startTestApp();
    const { foundation } = app.application;
    const asset = await seedAsset(foundation, app.organization.organization.id);
    assetId = asset.id;
    await seedRecords(foundation, asset, [
      {},
      { blockTime: null, sourceAccount: null },
      { destinationAccount: null },
      { type: 'confidential_deposit', publicData: { amount: '5', decimals: 2 } },
      { type: 'update_mint', publicData: { auditorElGamalPubkey: null, autoApproveNewAccounts: true } },
    ]);
    const first = await graphql(app, page('id'), {
      variables: { asset: assetId, first: 2 },
      headers: bearer(app.organization.apiKey.secret),
    });
    cursor = (first.data?.['page'] as { pageInfo: { endCursor: string } }).pageInfo.endCursor;
  }, 480_000);
  afterAll(async () => app[Symbol.asyncDispose]());

  let sent = 0;
  async function send({ accept, credentials, body }: Request, type: string, isObserved = false) {
    const before = isObserved ? await observations() : undefined;
    const length = app.logged().length;
    sent += 1;
    const requestId = `sent-${sent}`;
    const answer = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': type,
        'x-request-id': requestId,
        ...(accept === undefined ? {} : { accept }),
        ...credentials,
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    const lines = await linesOf(requestId, length);
    const isItsOwn = answer.headers.get('x-request-id') === requestId;
    return {
      status: answer.status,
      headers: {
        ...Object.fromEntries(answer.headers),
        date: 'now',
        'x-request-id': isItsOwn ? 'its own' : 'another',
      },
      body: withoutIds(text),
      logged: lines,
      observed: before ? difference(before, await observations()) : [],
    };
  }

  /** The log lines of a request, once the last one, with the status, is written. */
  async function linesOf(requestId: string, from: number): Promise<unknown[]> {
    for (;;) {
      const lines = app
        .logged()
        .slice(from)
        .split('\n')
        .filter((line) => line.includes(`"${requestId}"`))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      if (lines.some(({ msg }) => msg === 'request'))
        return lines.map((line) => ({
          ...line,
          time: 0,
          seconds: 0,
          at: 0,
          requestId: '',
          err: String(line['err']),
        }));
      await new Promise(setImmediate);
    }
  }

  async function observations(): Promise<ReadonlyMap<string, number>> {
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    const counted = metrics.matchAll(/^(lucarne_http_\w+_count{.*\/graphql.*}) (\d+)$/gm);
    return new Map([...counted].map(([, name = '', value]) => [name, Number(value)]));
  }

  const difference = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) =>
    [...after].flatMap(([name, value]) => {
      const change = value - (before.get(name) ?? 0);
      return change === 0 ? [] : [`${name} ${change}`];
    });

  const withoutIds = (text: string) =>
    text.replaceAll(/\b(ast|aud)_[0-9a-z]{26}\b/g, '$1_').replaceAll(/\d{4}-[\d-]{5}T[\d:.]+Z/g, 'time');

  const PAGE = page(
    'id networkTransactionId kind: type slot blockTime indexedAt signer sourceAccount destinationAccount',
  );
  const PAGE_OF_DETAILS = page(
    `id assetId network publicData { instructionPath decimals amount auditorElGamalPubkey credits enabled }
    ciphertexts { auditor { hi lo } }`,
  );
  const PAGE_BY_FRAGMENT = page('...Part', 'fragment Part on IndexedTransaction { signer id }');
  const ASSETS = '{ assets(first: 2) { nodes { id name status } pageInfo { hasNextPage } } }';
  const TWO = `query Mine { me { organization { name } } }
    query Assets($first: Int) { assets(first: $first) { nodes { id } } }`;
  const CREATE = 'mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id status } }';
  const PARTLY = '{ permissionTable { name } members { nodes { id } } }';

  // Most values are valid, so that most requests have at most one error.
  const mostly = <Value>(good: readonly Value[], others: readonly Value[]) =>
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...good) },
      { weight: 1, arbitrary: fc.constantFrom(...others) },
    );
  const body: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
    fc.record({
      query: fc.constantFrom(PAGE, PAGE_OF_DETAILS, PAGE_BY_FRAGMENT),
      variables: fc.record(
        {
          asset: mostly<unknown>([() => assetId], ['ast_00000000000000000000000000', 7, null]),
          first: mostly<unknown>([1, 2, 200, null], [0, 201, '2', 2.5]),
          after: mostly<unknown>([() => cursor], [null, '', 'AAAA', 5]),
          type: mostly<unknown>([null, 'confidential_transfer', 'update_mint'], ['other']),
          account: mostly<unknown>([null], ['not an account']),
          from: mostly<unknown>(['2020-01-01T00:00:00Z', null], ['2999-01-01T00:00:00Z', 'now', 5]),
          unknown: fc.constant([[[]]]),
        },
        { requiredKeys: ['asset'] },
      ),
      operationName: mostly<unknown>([undefined, 'Page', null], ['Other', '']),
    }),
    fc.record({
      query: mostly([ASSETS, PARTLY, '{ __typename }'], ['{ noSuchField }', '{', '']),
      variables: mostly<unknown>([undefined, null, {}], [[], 'text']),
    }),
    fc.record({
      query: fc.constant(TWO),
      operationName: mostly<unknown>(['Mine', 'Assets'], [undefined, '__proto__', 5]),
      variables: mostly<unknown>([{}, { first: 1 }], [{ first: -1 }]),
      extensions: mostly<unknown>([undefined], [null, {}, { persistedQuery: { version: 1 } }]),
    }),
    fc.record({
      query: fc.constant(CREATE),
      variables: fc.constantFrom<unknown>(
        { input: { name: 'Euro', symbol: 'EUR', decimals: 2 } },
        { input: { name: 'Euro', symbol: 'X'.repeat(17), decimals: 2 } },
        { input: { name: 'Euro' } },
      ),
    }),
  );
  const accept = mostly<string | undefined>(
    [undefined, '*/*', 'application/graphql-response+json,application/json;q=0.9'],
    ['application/json', 'text/html', '', 'application/json;q=0', 'text/*, */*;q=0.1'],
  );
  const caller = mostly<Caller>(['key', 'session'], ['other', 'foreign page', 'wrong', 'none']);

  function credentialsOf(kind: Caller): Record<string, string> {
    switch (kind) {
      case 'key':
        return bearer(app.organization.apiKey.secret);
      case 'other':
        return bearer(app.other.apiKey.secret);
      case 'wrong':
        return bearer('lck_nonsense');
      case 'session':
        return sessionOf(app, app.organization.owner.sessionToken);
      case 'foreign page':
        return {
          ...sessionOf(app, app.organization.owner.sessionToken),
          origin: 'https://evil.example',
        };
      case 'none':
        return {};
    }
  }

  it(`are answered as Apollo answers them: ${REQUESTS} requests`, async () => {
    const drawn = fc.sample(
      fc.record({ type: fc.constantFrom(...PLAIN_TYPES), accept, caller, body }),
      REQUESTS,
    );
    let past = 0;
    for (const { caller: kind, body: drawnBody, ...others } of drawn) {
      const variables = drawnBody['variables'] as Record<string, unknown> | null | undefined;
      for (const [name, value] of Object.entries(variables ?? {}))
        if (typeof value === 'function') variables![name] = (value as () => unknown)();
      const request: Request = { ...others, credentials: credentialsOf(kind), body: drawnBody };
      // Interpreted, then compiled, and the form of its answer learned.
      await send(request, request.type);
      await send(request, request.type);
      const reference = await send(request, APOLLO_TYPE, true);
      throughApollo.mockClear();
      const answered = await send(request, request.type, true);
      expect({ request, ...answered }).toEqual({ request, ...reference });
      const isPlain = answered.body.startsWith('{"data"') && request.body['extensions'] === undefined;
      expect({ request, calls: throughApollo.mock.calls.length }).toEqual({
        request,
        calls: isPlain ? 0 : 1,
      });
      if (isPlain) past += 1;
    }
    expect(past).toBeGreaterThan(REQUESTS / 5);
  }, 480_000);

  it('are executed once, even if Apollo reports the failure', async () => {
    const query = `mutation ($good: CreateAssetInput!, $bad: CreateAssetInput!) {
      good: createAsset(input: $good) { id } bad: createAsset(input: $bad) { id }
    }`;
    const good = { name: 'Once', symbol: 'ONCE', decimals: 0 };
    const ask = () =>
      graphql(app, query, {
        variables: { good, bad: { ...good, symbol: 'X'.repeat(17) } },
        headers: bearer(app.organization.apiKey.secret),
      });
    for (let times = 1; times <= 4; times += 1) {
      expect(await ask()).toMatchObject({ status: 200, errors: [{ path: ['bad'] }] });
      const listed = await graphql(app, '{ assets(first: 200) { nodes { name } } }', {
        headers: bearer(app.organization.apiKey.secret),
      });
      const { nodes } = listed.data?.['assets'] as { readonly nodes: { readonly name: string }[] };
      expect(nodes.filter(({ name }) => name === 'Once')).toHaveLength(times);
    }
  });

  it('are refused on the next request after a key was revoked', async () => {
    const { foundation } = app.application;
    const { secret, apiKey } = await seedApiKey(foundation, app.organization.organization.id);
    const ask = () => graphql(app, ASSETS, { headers: bearer(secret) });
    for (let times = 0; times < 3; times += 1) expect(await ask()).toMatchObject({ status: 200 });
    throughApollo.mockClear();
    expect(await ask()).toMatchObject({ status: 200 });
    expect(throughApollo).not.toHaveBeenCalled();
    await app.database.rows(sql`update api_keys set revoked_at = now() where id = ${apiKey.id}`);
    expect(await ask()).toMatchObject({ status: 401 });
  });
});
