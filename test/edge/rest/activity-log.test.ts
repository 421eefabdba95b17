import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openCheckpoint, parseVerifierKey, leafHash } from '../../../src/platform/crypto/index.js';
import { rootOfInclusion } from '../../kit/root-of-inclusion.js';
import { verifyLogFile } from '../../../src/domain/activity-log/index.js';
import { canonicalJson } from '../../../src/platform/kernel/encoding/json.js';
import { graphql, sessionOf, startTestApp, type TestApp } from '../../kit/app.js';
import { seedMember } from '../../kit/seed.js';
import { act, loggedEntries, sequence } from '../../domain/activity-log/kit.js';
import { callRest } from './server/rest-server.js';

describe('the activity log over REST', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    const { organization, application } = app.organization;
    await act(app.application.foundation, organization.id, 12, { application });
    // The running sequencer may work at the same time: in either case, everything has its index when both are done.
    for (;;) {
      await sequence(app.application.foundation, new URL(app.url).host);
      const entries = await loggedEntries(app.database, organization.id);
      if (entries.every(({ index }) => index !== null)) break;
    }
  }, 480_000);
  afterAll(async () => app[Symbol.asyncDispose]());

  const get = (path: string, token: string = app.organization.owner.sessionToken) =>
    callRest(`${app.url}${path}`, 'GET', { cookie: `lucarne=${token}` });

  it('is listed as arrays, newest first, with a link to the next page with the same filters', async () => {
    const first = await get('/api/auditors-log?limit=5&event_type=asset.created');
    expect(first.status).toBe(200);
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.body).toHaveLength(5);
    expect((first.body as object[])[0]).toMatchObject({
      event_type: 'asset.created',
      user: 'Ana Auditor',
      application_foreign_id: 'payments',
      case_id: null,
      details: { number: 11 },
    });
    const seen = [...(first.body as { id: string }[])];
    let link = first.headers.get('link');
    while (link !== null) {
      const [, path] = /^<(\/api\/auditors-log\?[^>]+)>; rel="next"$/.exec(link)!;
      const page = await get(path!);
      expect(page.status).toBe(200);
      seen.push(...(page.body as { id: string }[]));
      link = page.headers.get('link');
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(12);
    expect(seen).toHaveLength(12);
  });

  it('returns checkpoint, key and proof as text files that other tools read', async () => {
    const [checkpoint, key, proof] = await Promise.all(
      ['checkpoint', 'key', '3/proof'].map((name) => get(`/api/auditors-log/${name}`)),
    );
    for (const { status, headers } of [checkpoint!, key!, proof!])
      expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);

    const verifierKey = parseVerifierKey(key!.text.trimEnd())!;
    expect(verifierKey.name).toMatch(/^127\.0\.0\.1:\d+\/log\/org_/);
    const [head, note] = [
      proof!.text.slice(0, proof!.text.indexOf('\n\n')),
      proof!.text.slice(proof!.text.indexOf('\n\n') + 2),
    ];
    const [version, index, ...hashes] = head.split('\n');
    expect([version, index]).toEqual(['c2sp.org/tlog-proof@v1', 'index 3']);
    const { size, root } = openCheckpoint(note, verifierKey)!;
    const { entry } = (await loggedEntries(app.database, app.organization.organization.id))[3]!;
    const proven = rootOfInclusion(
      3,
      size,
      leafHash(canonicalJson(entry)),
      hashes.map((hash) => Buffer.from(hash, 'base64')).map((bytes) => Uint8Array.from(bytes)),
    );
    expect(proven).toEqual(root);
    expect(openCheckpoint(checkpoint!.text, verifierKey)!.size).toBeGreaterThanOrEqual(size);
  });

  it.each(['-1', '01', '1.5', 'x', '2147483648', '99999999', '%20'])(
    'has no proof of index %s: 404',
    async (index) => {
      const { status, body } = await get(`/api/auditors-log/${index}/proof`);
      expect([status, (body as { error: string }).error]).toEqual([404, 'Not Found']);
    },
  );

  it.each([
    ['event_type=asset.exploded', 'event_type must be one of'],
    ['case_id=cas_1', 'case_id must be the id of a case'],
    ['limit=201', 'limit'],
    ['cursor=x', 'cursor is not a cursor'],
    ['color=red', 'color is not a known query parameter'],
  ])('refuses ?%s with 400 in the words of the route', async (query, message) => {
    const { status, body } = await get(`/api/auditors-log?${query}`);
    expect([status, (body as { message: string }).message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('is available for an application to holders of its activity permission, and is the same 403 for all others', async () => {
    const { foundation } = app.application;
    const member = await seedMember(foundation, app.organization.organization.id, {
      applications: [{ foreignId: 'payments', common: ['logs:view_activity'] }],
    });
    const mine = await get('/api/applications/payments/auditors-log?limit=200', member.sessionToken);
    expect(mine.status).toBe(200);
    expect(
      new Set(
        (mine.body as { application_foreign_id: string }[]).map((entry) => entry.application_foreign_id),
      ),
    ).toEqual(new Set(['payments']));
    const refused = await Promise.all([
      get('/api/applications/other-app/auditors-log', member.sessionToken),
      get('/api/applications/nowhere/auditors-log', member.sessionToken),
      get('/api/applications/payments/auditors-log'),
    ]);
    expect(refused.map(({ status, text }) => [status, text])).toEqual(Array(3).fill([403, refused[0].text]));
    for (const path of ['', '/0/proof'])
      expect((await get(`/api/auditors-log${path}`, member.sessionToken)).status).toBe(403);
    // A checkpoint reveals only how large the whole log is, and proves what the member may read of it.
    expect((await get('/api/auditors-log/checkpoint', member.sessionToken)).status).toBe(200);
    expect((await callRest(`${app.url}/api/auditors-log`, 'GET')).status).toBe(401);
  });

  it('never shows one organization another’s log', async () => {
    const [mine, theirs] = await Promise.all([
      get('/api/auditors-log/key'),
      get('/api/auditors-log/key', app.other.owner.sessionToken),
    ]);
    expect(mine.text).not.toBe(theirs.text);
  });

  it('is exported by GraphQL as a file that verifies', async () => {
    const headers = sessionOf(app, app.organization.owner.sessionToken);
    const answer = await graphql(app, 'mutation { exportActivityLog(input: {}) }', { headers });
    expect(answer.errors).toBeUndefined();
    expect(verifyLogFile({ data: answer.data }).valid).toBe(true);
  });
});
