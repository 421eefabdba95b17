import { beforeAll, describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { sql } from '../../../src/platform/database/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { routes } from '../../../src/edge/rest/routes.js';
import { startTestApp } from '../../kit/app.js';
import {
  randomAddress,
  randomSignature,
  seedAsset,
  seedRecords,
} from '../../kit/ledger/confidential-records.js';
import { forFile } from '../../kit/for-file.js';
import { seedApiKey } from '../../kit/seed.js';
import { callRest, type RestAnswer, type RestCall } from './server/rest-server.js';

const app = forFile(await startTestApp());
const key = app.organization.apiKey.secret;
const otherKey = app.other.apiKey.secret;

const call = (method: string, path: string, options: RestCall = {}) =>
  callRest(`${app.url}${path}`, method, { key, ...options });

const euro = { name: 'Confidential Euro', symbol: 'CEUR', decimals: 6 };

interface AssetBody {
  readonly id: string;
  readonly status: string;
  readonly auditorElGamalPubkey: string;
  readonly mintAddress?: string;
}

async function createAsset(options: RestCall = {}): Promise<AssetBody> {
  const answer = await call('POST', '/v1/assets', { body: euro, ...options });
  expect(answer.status).toBe(201);
  return answer.body as AssetBody;
}

const bind = (id: string, mintAddress: string, options: RestCall = {}) =>
  call('PATCH', `/v1/assets/${id}/mint`, { body: { mintAddress }, ...options });

const refusal = (statusCode: number, message: RegExp) => ({
  statusCode,
  message: expect.stringMatching(message),
  error: expect.any(String),
});

async function assetsInDatabase(): Promise<number> {
  const [row] = await app.database.rows(sql<{ count: number }>`select count(*)::int as count from assets`);
  return row!.count;
}

describe('registering an asset', () => {
  it('returns it pending, with the organization’s auditor key and without unset members', async () => {
    const answer = await call('POST', '/v1/assets', { body: euro });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^ast_/),
      ...euro,
      auditorElGamalPubkey: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      auditorKeyProvider: 'local',
      confidentialMintBurnEnabled: false,
      status: 'pending',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: expect.any(String),
    });
  });

  it('gives all assets of an organization one auditor key, and another organization another', async () => {
    const [one, two, foreign] = [
      await createAsset(),
      await createAsset(),
      await createAsset({ key: otherKey }),
    ];
    expect(two.auditorElGamalPubkey).toBe(one.auditorElGamalPubkey);
    expect(foreign.auditorElGamalPubkey).not.toBe(one.auditorElGamalPubkey);
  });

  it('happens once for an Idempotency-Key, even in concurrent requests', async () => {
    const before = await assetsInDatabase();
    const headers = { 'idempotency-key': 'registration-1' };
    const answers = await Promise.all(
      [1, 2, 3].map(() => call('POST', '/v1/assets', { body: euro, headers })),
    );
    const later = await call('POST', '/v1/assets', { body: euro, headers });
    expect([...answers, later].map(({ text }) => text)).toEqual(Array(4).fill(later.text));
    expect(await assetsInDatabase()).toBe(before + 1);
  });

  it('refuses an Idempotency-Key with another body, and lets another organization use the same key', async () => {
    const headers = { 'idempotency-key': 'registration-2' };
    const first = await createAsset({ headers });
    const changed = await call('POST', '/v1/assets', { body: { ...euro, decimals: 7 }, headers });
    const foreign = await createAsset({ headers, key: otherKey });
    expect(changed.body).toEqual(refusal(409, /Idempotency-Key/));
    expect(foreign.id).not.toBe(first.id);
  });
});

describe('binding a mint', () => {
  it('makes the asset active; the same mint again changes nothing', async () => {
    const { id } = await createAsset();
    const mint = randomAddress();
    const bound = await bind(id, mint);
    const again = await bind(id, mint);
    expect(bound.body).toMatchObject({ id, status: 'active', mintAddress: mint });
    expect([again.status, again.text]).toEqual([200, bound.text]);
  });

  it('refuses another mint on an active asset, and a mint of another asset of the organization', async () => {
    const [one, two] = [await createAsset(), await createAsset()];
    const foreign = await createAsset({ key: otherKey });
    const mint = randomAddress();
    await bind(one.id, mint);
    expect((await bind(one.id, randomAddress())).body).toEqual(refusal(409, /another mint/));
    expect((await bind(two.id, mint)).body).toEqual(refusal(409, /another asset/));
    // A claim of another organization reserves nothing and is not refused.
    expect((await bind(foreign.id, mint, { key: otherKey })).status).toBe(200);
  });

  it.each(['disabled', 'error'])('refuses an asset that is %s', async (status) => {
    const { id } = await createAsset();
    await app.database.rows(sql`update assets set status = ${status} where id = ${id}`);
    expect((await bind(id, randomAddress())).status).toBe(409);
  });

  it.each(['', 'mint', '0OIl', 'a'.repeat(44), '1'.repeat(64)])('refuses the address “%s”', async (mint) => {
    const { id } = await createAsset();
    expect((await bind(id, mint)).body).toEqual(refusal(400, /^mintAddress /));
  });

  it('binds one of two concurrent mints', async () => {
    const { id } = await createAsset();
    const answers = await Promise.all([bind(id, randomAddress()), bind(id, randomAddress())]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('is visible in the indexer status, which has no record members before there is a record', async () => {
    const { id } = await createAsset();
    const before = await call('GET', `/v1/assets/${id}/indexer-status`);
    expect(before.body).toEqual({ assetId: id, registered: false, status: 'pending', indexedCount: 0 });
    const mint = randomAddress();
    await bind(id, mint);
    const after = await call('GET', `/v1/assets/${id}/indexer-status`);
    expect(after.body).toMatchObject({ assetId: id, mintAddress: mint, registered: false, indexedCount: 0 });
    expect(after.body).not.toHaveProperty('latestSlot');
  });
});

describe('listing transactions', () => {
  interface PageBody {
    readonly assetId: string;
    readonly transactions: readonly { readonly id: string }[];
    readonly nextCursor: string | null;
  }
  const account = randomAddress();
  let assetId: string;
  const list = (query: string, options: RestCall = {}) =>
    call('GET', `/v1/assets/${assetId}/transactions?${query}`, options);
  const idsOf = (answer: RestAnswer) => (answer.body as PageBody).transactions.map(({ id }) => id);

  beforeAll(async () => {
    const asset = await seedAsset(app.application.foundation, app.organization.organization.id);
    assetId = asset.id;
    const records = Array.from({ length: 7 }, (_, index) => ({
      type: index % 2 === 0 ? ('confidential_transfer' as const) : ('confidential_deposit' as const),
      slot: 100 + index,
      indexedAt: new Date(Date.UTC(2026, 0, 1 + index)),
      ...(index === 3 ? { destinationAccount: account } : {}),
    }));
    await seedRecords(app.application.foundation, asset, records);
  });

  it('returns all pages, oldest first, each record once', async () => {
    const whole = await list('');
    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await list(`limit=3${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
      walked.push(...idsOf(page));
      cursor = (page.body as PageBody).nextCursor;
    }
    expect(walked).toHaveLength(7);
    expect(walked).toEqual(idsOf(whole));
    expect(whole.body).toMatchObject({ assetId, nextCursor: null });
  });

  it('filters by type, account and indexing time, including both bounds', async () => {
    const all = idsOf(await list(''));
    expect(idsOf(await list('type=confidential_deposit'))).toEqual([all[1], all[3], all[5]]);
    expect(idsOf(await list(`account=${account}`))).toEqual([all[3]]);
    expect(idsOf(await list('from=2026-01-02T00:00:00Z&to=2026-01-04T00:00:00.000Z'))).toEqual(
      all.slice(1, 4),
    );
  });

  it('refuses an invalid cursor and one of other filters, and names the parameter', async () => {
    const { nextCursor } = (await list('limit=2')).body as PageBody;
    const cursor = encodeURIComponent(nextCursor ?? '');
    expect((await list(`cursor=${cursor}&type=confidential_deposit`)).body).toEqual(refusal(400, /^cursor /));
    expect((await list('cursor=bm9uZQ')).body).toEqual(refusal(400, /^cursor /));
  });

  it('refuses an invalid account, and a from after its to', async () => {
    expect((await list('account=nobody')).body).toEqual(refusal(400, /^account /));
    expect((await list('from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z')).body).toEqual(
      refusal(400, /from/),
    );
  });

  it('accepts the extreme times that clients use for “ever”, and refuses those beyond', async () => {
    expect((await list('from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59.999Z')).status).toBe(200);
    const answer = await list('from=0001-01-01T00:00:00%2B14:00&to=9999-12-31T23:59:59.999-12:00');
    expect(answer.body).toEqual(refusal(400, /^from /));
  });

  it('finds a record by its id and by its signature, and none of another organization', async () => {
    const [id] = idsOf(await list('limit=1'));
    const byId = await call('GET', `/v1/transactions/${id!}`);
    const { networkTransactionId } = byId.body as { networkTransactionId: string };
    const bySignature = await call('GET', `/v1/transactions/${networkTransactionId}`);
    expect([byId.status, bySignature.text]).toEqual([200, byId.text]);
    for (const name of [id!, networkTransactionId]) {
      const foreign = await call('GET', `/v1/transactions/${name}`, { key: otherKey });
      expect(foreign.body).toEqual(refusal(404, /No such transaction/));
    }
  });
});

describe('credentials', () => {
  const api = routes.filter(({ credentials }) => credentials === 'api_key');
  const pathOf = (path: string) => path.replace(/\{\w+\}/g, newId('ast'));

  it.each(api.map((route) => ({ name: `${route.method} ${route.path}`, route })))(
    'are needed for $name: 401 that asks for a bearer key',
    async ({ route }) => {
      const bad = [undefined, '', 'Bearer', 'Bearer x', `Basic ${key}`, `Bearer lck_${'0'.repeat(33)}`];
      for (const authorization of bad) {
        const headers = authorization === undefined ? {} : { authorization };
        const answer = await callRest(`${app.url}${pathOf(route.path)}`, route.method, { headers });
        expect(answer.body).toEqual(refusal(401, /./));
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
        expect(answer.headers.get('cache-control')).toBe('no-store');
      }
    },
  );

  it('are not accepted in the URL, or as a session cookie', async () => {
    const cookie = `lucarne=${app.organization.owner.sessionToken}`;
    const { id } = await createAsset();
    expect((await callRest(`${app.url}/v1/assets/${id}`, 'GET', { cookie })).status).toBe(401);
    expect((await callRest(`${app.url}/v1/assets/${id}?apiKey=${key}`, 'GET')).status).toBe(401);
  });

  it('are refused with 403 if they lack the scope', async () => {
    const reader = await seedApiKey(app.application.foundation, app.organization.organization.id, [
      'assets:read',
    ]);
    const answer = await call('POST', '/v1/assets', { body: euro, key: reader.secret });
    expect(answer.body).toEqual(refusal(403, /assets:write/));
  });

  it('get the same response for another organization’s asset as for an unknown one', async () => {
    const { id } = await createAsset();
    const missing = newId('ast');
    for (const [method, suffix, body] of [
      ['GET', '', undefined],
      ['GET', '/indexer-status', undefined],
      ['GET', '/transactions', undefined],
      ['PATCH', '/mint', { mintAddress: randomAddress() }],
    ] as const) {
      const options = { key: otherKey, ...(body ? { body } : {}) };
      const foreign = await call(method, `/v1/assets/${id}${suffix}`, options);
      const nowhere = await call(method, `/v1/assets/${missing}${suffix}`, options);
      expect([foreign.status, foreign.text]).toEqual([404, nowhere.text]);
    }
  });
});

describe('an invalid id in a path', () => {
  it.each(['x', 'ast_', 'txn_01kaj79dk8f1prw2c6m5t0xj3q', '%00', '%F0%9F%92%A9', "'%20or%201=1", '..%2F..'])(
    '“%s” is a 404',
    async (id) => {
      expect((await call('GET', `/v1/assets/${id}`)).body).toEqual(refusal(404, /./));
      expect((await call('GET', `/v1/transactions/${id}`)).body).toEqual(refusal(404, /./));
      expect((await call('GET', `/v1/disclosures/${id}`)).body).toEqual(refusal(404, /./));
    },
  );
});

describe('any request body', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u0000', '\ud800', '', ' ', randomSignature()),
  );
  const value = fc.oneof(text, fc.jsonValue(), fc.integer());
  const bodies = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        name: text,
        symbol: text,
        decimals: fc.oneof(fc.integer({ min: 0, max: 255 }), value),
        workspaceId: text,
        disclosurePolicyId: text,
        creatorAuthority: text,
      },
      { requiredKeys: ['name', 'symbol', 'decimals'] },
    ),
    fc.record({ mintAddress: text, deploymentSignature: text, deploymentStatus: text }),
    fc.record({ email: text, password: text, totp: text }, { requiredKeys: ['email', 'password'] }),
    fc.record({
      assetId: text,
      purpose: text,
      scope: fc.oneof(
        fc.record({ transactionIds: fc.array(text), fields: fc.constant(['amount']) }),
        fc.jsonValue(),
      ),
      format: fc.constantFrom('json', 'csv'),
    }),
  );

  it('never causes a 5xx', async () => {
    const { id } = await createAsset();
    const changing = routes.filter(({ method }) => method !== 'GET');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...changing), bodies, text, async (route, body, idempotencyKey) => {
        const headers: Record<string, string> = /^[\x21-\x7e]+$/.test(idempotencyKey)
          ? { 'idempotency-key': idempotencyKey }
          : {};
        const answer = await call(route.method, route.path.replace('{id}', id), { body, headers });
        expect({ status: answer.status, body, below500: answer.status < 500 }).toMatchObject({
          below500: true,
        });
      }),
      { numRuns: 150 },
    );
  });
});
