import { beforeEach, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { once } from 'node:events';
import { forFile } from '../../kit/for-file.js';
import { fc } from '../../kit/properties.js';
import { routes } from '../../../src/edge/rest/routes.js';
import { startRestServer, type RestAnswer } from './server/rest-server.js';
import { stubContext, stubSchema } from './server/stub-schema.js';

const asset = { name: 'Euro', symbol: 'EUR', decimals: 6 };
const page = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };
let seen: Record<string, unknown>[] = [];

const answering = (answer: unknown) => (variables: Record<string, unknown>) => {
  seen.push(structuredClone(variables));
  return answer;
};
const viewer = {
  organization: { id: 'org_1', name: 'Acme' },
  ownerPermissions: [],
  applicationPermissions: [],
};
const schema = stubSchema({
  asset: answering({ id: 'ast_1', indexerStatus: { assetId: 'ast_1' } }),
  createAsset: answering({ id: 'ast_1' }),
  bindMint: answering({ id: 'ast_1' }),
  transactions: answering(page),
  transaction: answering({ id: 'txn_1' }),
  disclosure: answering({ id: 'dsc_1', result: null }),
  requestDisclosure: answering({ id: 'dsc_1', result: null }),
  signIn: answering(viewer),
  signOut: answering(true),
  startOidcSignIn: answering('https://provider.test/authorize'),
  completeOidcSignIn: answering({ returnTo: '/cases' }),
  me: answering(viewer),
  disclosureRegistry: answering(page),
  cases: answering(page),
  createCaseRequest: answering({ id: 'crq_1' }),
  withdrawCaseRequest: answering({ id: 'crq_1' }),
  approveCaseRequest: answering({ id: 'cas_1' }),
  closeCaseRequest: answering({ id: 'crq_1' }),
  activityLog: answering({ nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }),
  logCheckpoint: answering({ note: 'example.test/log/org_1\n' }),
  logInclusionProof: answering({ file: 'c2sp.org/tlog-proof@v1\n' }),
  logVerifierKey: answering('example.test+00000000+AA=='),
  caseActivityLog: answering(page),
  reports: answering(page),
  generateCaseReport: answering({ report: { id: 'rpt_1' } }),
  generateLogReport: answering({ report: { id: 'rpt_1' } }),
  reportFile: answering({
    reportId: 'rpt_1',
    fileName: 'report.csv',
    contentType: 'text/csv',
    sizeBytes: 0,
    sha256: '00',
  }),
  submitRelayRequest: answering({ relayRequestId: 'rly_1' }),
  relayRequest: answering({ relayRequestId: 'rly_1' }),
  retryRelayRequest: answering({ relayRequestId: 'rly_1' }),
  checkAddress: answering({ approved: false, checkId: 'chk_1', metadataHash: '', reason: 'revoked' }),
});
const server = forFile(await startRestServer({ schema, contextFor: stubContext }));

beforeEach(() => {
  seen = [];
});

const expectRefusal = (answer: RestAnswer, status: number, message: string | RegExp) => {
  expect(answer.body).toEqual({
    statusCode: status,
    message: expect.stringMatching(message),
    error: expect.any(String),
  });
  expect(answer.status).toBe(status);
  expect(seen).toEqual([]);
};

describe('a valid request', () => {
  it('passes its path, query, body and Idempotency-Key to the document', async () => {
    await server.call('GET', '/v1/assets/ast_7/transactions?limit=7&cursor=c&type=confidential_transfer');
    await server.call('POST', '/v1/assets', { body: asset, headers: { 'idempotency-key': 'once' } });
    await server.call('PATCH', '/v1/assets/ast_7/mint', { body: { mintAddress: 'm' } });
    expect(seen).toEqual([
      { assetId: 'ast_7', first: 7, after: 'c', type: 'confidential_transfer' },
      { input: { ...asset, idempotencyKey: 'once' } },
      {
        input: {
          ...{ assetId: 'ast_7', mintAddress: 'm' },
          ...{ deploymentSignature: null, deploymentStatus: null, observe: null },
        },
      },
    ]);
  });

  it('answers 201 for a creation and 200 otherwise, not cacheable', async () => {
    const created = await server.call('POST', '/v1/assets', { body: asset });
    const read = await server.call('GET', '/v1/assets/ast_7');
    expect([created.status, read.status]).toEqual([201, 200]);
    for (const answer of [created, read]) {
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });

  it('is answered with the location, not cacheable, if a browser is redirected', async () => {
    const answer = await fetch(`${server.url}/auth/oidc/start?return_to=/cases`, { redirect: 'manual' });
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('https://provider.test/authorize');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(seen).toEqual([{ returnTo: '/cases' }]);
  });

  it('may have unknown parameters where an identity provider adds them', async () => {
    const path = '/auth/oidc/callback?state=s&code=c&session_state=x&session_state=y';
    const answer = await fetch(`${server.url}${path}`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/cases']);
    expect(seen).toEqual([{ input: { state: 's', code: 'c', error: null, iss: null } }]);
  });

  it('may name the charset of its JSON', async () => {
    const headers = { 'content-type': 'application/json; charset=UTF-8' };
    expect((await server.call('POST', '/v1/assets', { body: asset, headers })).status).toBe(201);
  });

  it('needs no body if the route has none, and an empty object counts as none', async () => {
    expect((await server.call('POST', '/auth/sign-out')).status).toBe(200);
    expect((await server.call('POST', '/auth/sign-out', { body: '' })).status).toBe(200);
    expect((await server.call('POST', '/auth/sign-out', { body: {} })).status).toBe(200);
  });

  it('passes the members of an object in its body as separate variables', async () => {
    const asked = { reason: 'Audit', period_from: '2026-01-01', period_to: '2026-01-31', access_days: 7 };
    const disclosure_flags = { full_tx_ids: true, withdrawal_details: false };
    const body = { ...asked, disclosure_flags, auditor_ids: ['usr_1'] };
    expect((await server.call('POST', '/api/applications/shop/cases', { body })).status).toBe(201);
    expect(seen).toEqual([
      {
        input: {
          foreignId: 'shop',
          reason: 'Audit',
          periodFrom: '2026-01-01',
          periodTo: '2026-01-31',
          accessDays: 7,
          disclosureFlags: { fullTxIds: true, senderInformation: null, withdrawalDetails: false },
          auditorIds: ['usr_1'],
          assetIds: null,
        },
      },
    ]);
  });

  it('may omit an optional body', async () => {
    const path = '/api/applications/shop/case-requests/crq_1/close';
    const answers = [await server.call('POST', path), await server.call('POST', path, { body: {} })];
    await server.call('POST', path, { body: { reason: 'No' } });
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(seen.map(({ input }) => (input as { reason: string | null }).reason)).toEqual([null, null, 'No']);
    seen = [];
    expectRefusal(await server.call('POST', path, { body: 'null' }), 400, /must be a JSON object/);
  });

  it('returns the headers and no body for HEAD', async () => {
    const answer = await server.call('HEAD', '/v1/assets/ast_7');
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });
});

describe('a body', () => {
  it.each([
    ['that is not JSON', '{"name":', /not valid JSON/],
    ['that is empty', '', /must be a JSON object/],
    ['that is an array', '[]', /must be a JSON object/],
    ['that is null', 'null', /must be a JSON object/],
    ['with an unknown member', { ...asset, color: 'red' }, /^color is not a known member\.$/],
    [
      'with a key of the header',
      { ...asset, idempotencyKey: 'k' },
      /^idempotencyKey is not a known member\.$/,
    ],
    ['with a member of another type', { ...asset, decimals: '6' }, /^decimals must be an integer/],
    ['with a fraction for an integer', { ...asset, decimals: 6.5 }, /^decimals must be an integer/],
    ['without a required member', { symbol: 'EUR', decimals: 6 }, /^name is required\.$/],
    [
      'with __proto__',
      '{"__proto__":{"name":"x"},"symbol":"EUR","decimals":6}',
      /is required|not a known member/,
    ],
  ])('%s is a 400', async (_, body, message) => {
    expectRefusal(await server.call('POST', '/v1/assets', { body }), 400, message);
  });

  it('is a 400 if it is missing', async () => {
    expectRefusal(await server.call('POST', '/v1/assets'), 400, /must be a JSON object/);
  });

  it('is a 400 for a route without one', async () => {
    expectRefusal(await server.call('POST', '/auth/sign-out', { body: { all: true } }), 400, /must be empty/);
  });

  it('is a 400 if it is not UTF-8', async () => {
    const answer = await fetch(`${server.url}/v1/assets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    });
    expect(answer.status).toBe(400);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'application/json; charset=latin1',
  ])('is a 415 if it has the type %s', async (type) => {
    const call = { body: asset, headers: { 'content-type': type } };
    expectRefusal(await server.call('POST', '/v1/assets', call), 415, /application\/json|UTF-8/);
  });

  it('is a 415 if it is compressed', async () => {
    const call = { body: asset, headers: { 'content-encoding': 'gzip' } };
    expectRefusal(await server.call('POST', '/v1/assets', call), 415, /Content-Encoding/);
  });

  it('is a 413 if it exceeds 64 KiB, and is read at 64 KiB', async () => {
    const filled = (bytes: number) => `{"name":"${'x'.repeat(bytes - '{"name":""}'.length)}"}`;
    expectRefusal(await server.call('POST', '/v1/assets', { body: filled(65_537) }), 413, /64 KiB/);
    expectRefusal(
      await server.call('POST', '/v1/assets', { body: filled(65_536) }),
      400,
      /required|characters/,
    );
  });
});

describe('a query', () => {
  it.each([
    ['limit=0', /^limit must be an integer from 1 to 200\.$/],
    ['limit=201', /^limit must be/],
    ['limit=ten', /^limit must be/],
    ['limit=1e2', /^limit must be/],
    ['limit=5.0', /^limit must be/],
    ['limit=', /^limit must be/],
    ['limit=5&limit=6', /^limit must be given once\.$/],
    ['type=payment', /^type must be one of/],
    ['from=yesterday', /^from must be an ISO 8601/],
    ['from=2026-02-30T00:00:00Z', /^from must be an ISO 8601/],
    ['to=2026-01-01', /^to must be an ISO 8601/],
    ['form=2026-01-01T00:00:00Z', /^form is not a known query parameter\.$/],
    ['__proto__=1', /is not a known query parameter/],
    ['cursor=', /^cursor must be/],
  ])('is a 400 with %s', async (query, message) => {
    expectRefusal(await server.call('GET', `/v1/assets/ast_7/transactions?${query}`), 400, message);
  });

  it('is refused if the route has none', async () => {
    expectRefusal(await server.call('GET', '/v1/assets/ast_7?verbose=1'), 400, /^verbose is not a known/);
  });
});

describe('a path', () => {
  it.each(['/', '/v1', '/v1/assets/a/b', '/V1/assets', '/v2/assets', '/auth/me/', '/%00'])(
    '%s that is not known is a 404 in the same shape',
    async (path) => {
      expectRefusal(await server.call('GET', path), 404, /nothing at this path/);
    },
  );

  it.each([
    ['DELETE', '/v1/assets/ast_7', 'GET, HEAD, OPTIONS'],
    ['GET', '/v1/assets', 'POST, OPTIONS'],
    ['PUT', '/v1/assets/ast_7/mint', 'PATCH, OPTIONS'],
    ['GET', '/auth/sign-in', 'POST, OPTIONS'],
    ['POST', '/docs', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/auth/me', 'GET, HEAD, OPTIONS'],
  ])('does not take %s %s: 405 with what it takes', async (method, path, allow) => {
    const answer = await server.call(method, path);
    expectRefusal(answer, 405, method);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it.each([
    ['an unreadable body', '{'],
    ['a large body', 'a'.repeat(70_000)],
    ['an empty body', ''],
  ])('is looked at before %s that came with it', async (_, body) => {
    expectRefusal(await server.call('POST', '/v1/nothing', { body }), 404, /nothing at this path/);
    expectRefusal(await server.call('DELETE', '/v1/assets/ast_7', { body }), 405, /DELETE/);
  });

  it('answers OPTIONS with its methods', async () => {
    const answer = await server.call('OPTIONS', '/v1/assets/ast_7');
    expect([answer.status, answer.text, answer.headers.get('allow')]).toEqual([
      204,
      '',
      'GET, HEAD, OPTIONS',
    ]);
  });

  it('is a 4xx in the same shape if it has a very long id', async () => {
    const answer = await server.call('GET', `/v1/assets/${'a'.repeat(3000)}`);
    expect(answer.status).toBeGreaterThanOrEqual(404);
    expect(answer.status).toBeLessThan(500);
    expect(answer.body).toMatchObject({ statusCode: answer.status });
  });

  it('is a 400 in the same shape if its percent-encoding is invalid', async () => {
    const [host, port] = server.url.replace('http://', '').split(':');
    const socket = connect(Number(port), host);
    socket.end('GET /v1/assets/%ff%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toMatch(/\r\nx-request-id: [\w-]+\r\n/);
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toEqual({
      statusCode: 400,
      message: expect.any(String),
      error: 'Bad Request',
    });
  });
});

describe('any request', () => {
  const segment = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary', maxLength: 300 }));
  const anyCall = fc.record({
    route: fc.constantFrom(...routes),
    segments: fc.array(segment, { minLength: 2, maxLength: 2 }),
    query: fc.dictionary(
      fc.oneof(fc.constantFrom('limit', 'cursor', 'type', 'account', 'from', 'to'), fc.string()),
      fc.oneof(fc.string(), fc.date({ noInvalidDate: true }).map(String), fc.integer().map(String)),
      { maxKeys: 3 },
    ),
    body: fc.oneof(
      fc.jsonValue(),
      fc.string(),
      fc.record(
        {
          name: fc.jsonValue(),
          symbol: fc.jsonValue(),
          decimals: fc.jsonValue(),
          mintAddress: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    ),
    type: fc.constantFrom('application/json', 'text/plain', 'application/json;charset=utf-8', ''),
  });

  it('is answered without a 5xx, and errors have the common shape', async () => {
    await fc.assert(
      fc.asyncProperty(anyCall, async ({ route, segments, query, body, type }) => {
        let index = 0;
        const path = route.path.replace(
          /\{\w+\}/g,
          () => encodeURIComponent(wellFormed(segments[index++] ?? '')) || 'x',
        );
        const parameters = new URLSearchParams(query).toString();
        const answer = await server.call(route.method, `${path}?${parameters}`, {
          ...(route.method === 'GET' ? {} : { body, headers: { 'content-type': type } }),
        });
        expect(answer.status).toBeLessThan(500);
        if (answer.status >= 400) {
          expect(answer.body).toEqual({
            statusCode: answer.status,
            message: expect.any(String),
            error: expect.any(String),
            ...(route.reasons ? { reason: expect.any(String) } : {}),
          });
        }
      }),
      { numRuns: 300 },
    );
  });
});

const wellFormed = (text: string) => Buffer.from(text).toString();
