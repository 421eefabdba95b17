import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import { operatorOf, PERMISSIONS } from '../../../src/domain/access/index.js';
import { setPermissions } from '../../../src/domain/organizations/index.js';
import { graphql, sessionOf, startTestApp, type TestApp } from '../../kit/app.js';
import {
  auditorCiphertexts,
  seedAsset,
  type SeededAsset,
  seedRecords,
} from '../../kit/ledger/confidential-records.js';
import { webSocketOf } from '../../kit/follow.js';
import { type SeededUser, seedMember } from '../../kit/seed.js';
import { callRest, type RestAnswer } from './server/rest-server.js';

const BASE = '/api/applications/payments';

interface Body {
  readonly id: string;
  readonly [member: string]: unknown;
}

describe('cases over HTTP', () => {
  let app: TestApp;
  let administrator: SeededUser;
  let ana: SeededUser;
  let abel: SeededUser;
  let asset: SeededAsset;

  beforeAll(async () => {
    app = await startTestApp();
    administrator = await memberOf('administrator', 'Ada Administrator');
    ana = await memberOf('auditor', 'Ana Auditor');
    abel = await memberOf('auditor', 'Abel Auditor');
    const { organization, application } = app.organization;
    asset = await seedAsset(app.application.foundation, organization.id, { applicationId: application.id });
  }, 480_000);
  afterAll(async () => app[Symbol.asyncDispose]());

  const memberOf = (bucket: 'administrator' | 'auditor', name: string) =>
    seedMember(
      app.application.foundation,
      app.organization.organization.id,
      { applications: [{ foreignId: 'payments', [bucket]: PERMISSIONS[bucket] }] },
      name,
    );
  const call = (user: SeededUser, method: string, path: string, body?: unknown) =>
    callRest(`${app.url}${path}`, method, { headers: sessionOf(app, user.sessionToken), body });
  const asked = () => ({
    reason: 'Quarterly audit',
    period_from: '2026-01-01',
    period_to: '2026-03-31',
    access_days: 30,
    disclosure_flags: { sender_information: true },
    auditor_ids: [ana.principal.userId],
  });
  const ask = async (user = ana, body: object = asked()) =>
    (await call(user, 'POST', `${BASE}/cases`, body)).body as Body;
  const summary = ({ status, text }: RestAnswer) => [status, text];

  it('progress from a request through its approval to a case, in the shapes of the contract', async () => {
    const created = await call(ana, 'POST', `${BASE}/cases`, asked());
    expect([created.status, created.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const request = created.body as Body;
    expect(request).toEqual({
      ...asked(),
      id: expect.stringMatching(/^crq_/),
      status: 'pending',
      withdrawn: false,
      requested_by: { id: ana.principal.userId, name: 'Ana Auditor', email: ana.email },
      disclosure_flags: { full_tx_ids: false, sender_information: true, withdrawal_details: false },
      asset_ids: [asset.id],
      created_at: expect.stringMatching(/Z$/),
      decided_at: null,
      decided_by: null,
      decision_reason: null,
      case_id: null,
    });
    const registry = await call(administrator, 'GET', `${BASE}/disclosure-registry?limit=1`);
    expect(registry.body).toEqual([request]);

    const approved = await call(administrator, 'POST', `${BASE}/case-requests/${request.id}/approve`);
    expect(approved.status).toBe(200);
    const opened = approved.body as Body;
    expect(opened).toEqual({
      id: expect.stringMatching(/^cas_/),
      request_id: request.id,
      status: 'active',
      reason: 'Quarterly audit',
      period_from: '2026-01-01',
      period_to: '2026-03-31',
      disclosure_flags: request['disclosure_flags'],
      auditors: [request['requested_by']],
      asset_ids: [asset.id],
      access_days: 30,
      approved_by: administrator.principal.userId,
      created_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
      seconds_left: 30 * 86_400,
    });
    const listed = await call(ana, 'GET', `${BASE}/cases`);
    expect((listed.body as Body[]).map(({ id }) => id)).toContain(opened.id);
    expect((await call(abel, 'GET', `${BASE}/cases`)).body).toEqual([]);

    const again = await call(administrator, 'POST', `${BASE}/case-requests/${request.id}/close`, {
      reason: 'Too late',
    });
    expect([again.status, (again.body as Body)['error']]).toEqual([409, 'Conflict']);
  });

  it('are not created from a withdrawn or closed request', async () => {
    const [one, other] = [await ask(), await ask()];
    const withdrawn = await call(ana, 'POST', `${BASE}/cases/requests/${one.id}/withdraw`);
    expect([withdrawn.status, withdrawn.body]).toMatchObject([200, { status: 'closed', withdrawn: true }]);
    const closed = await call(administrator, 'POST', `${BASE}/case-requests/${other.id}/close`, {
      reason: 'No mandate',
    });
    expect([closed.status, closed.body]).toMatchObject([
      200,
      { status: 'closed', withdrawn: false, decision_reason: 'No mandate', case_id: null },
    ]);
    const theirs = await ask(abel, { ...asked(), auditor_ids: [abel.principal.userId] });
    expect((await call(ana, 'POST', `${BASE}/cases/requests/${theirs.id}/withdraw`)).status).toBe(404);
    expect((await call(ana, 'POST', `${BASE}/cases/requests/crq_1/withdraw`)).status).toBe(404);
  });

  it.each<[string, object, string]>([
    ['no reason', { reason: undefined }, 'reason is required.'],
    [
      'an unknown flag',
      { disclosure_flags: { amounts: true } },
      'disclosure_flags.amounts is not a known member.',
    ],
    [
      'a flag that is no boolean',
      { disclosure_flags: { full_tx_ids: 1 } },
      'disclosure_flags.full_tx_ids must be',
    ],
    ['no flags', { disclosure_flags: undefined }, 'disclosure_flags is required.'],
    ['a time', { period_from: '2026-01-01T00:00:00Z' }, 'period_from must be an ISO 8601 date'],
    ['30 February', { period_to: '2026-02-30' }, 'period_to'],
    ['a period that ends first', { period_from: '2026-04-01' }, 'period_from must not be after'],
    ['no access', { access_days: 0 }, 'access_days must be an integer from 1 to 3650.'],
    ['no auditors', { auditor_ids: [] }, 'auditor_ids must be an array'],
    ['an auditor who is none', { auditor_ids: ['usr_1'] }, 'auditor_ids[0] must be the id of a user'],
    ['a misspelt asset', { asset_ids: ['x'] }, 'asset_ids[0] must be the id of'],
    ['an unknown member', { assets: [] }, 'assets is not a known member.'],
  ])('are not asked for with %s: 400 that names it', async (_, change, message) => {
    const { status, body } = await call(ana, 'POST', `${BASE}/cases`, { ...asked(), ...change });
    expect([status, (body as Body)['message']]).toEqual([400, expect.stringContaining(message)]);
  });

  it('are listed page by page with the Link header', async () => {
    const seen: string[] = [];
    let path: string | undefined = `${BASE}/disclosure-registry?limit=2`;
    while (path !== undefined) {
      const page = await call(administrator, 'GET', path);
      expect(page.status).toBe(200);
      seen.push(...(page.body as Body[]).map(({ id }) => id));
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    const all = (await call(administrator, 'GET', `${BASE}/disclosure-registry?limit=200`)).body as Body[];
    expect(seen).toEqual(all.map(({ id }) => id));
    expect((await call(administrator, 'GET', `${BASE}/cases?limit=0`)).status).toBe(400);
    expect((await call(administrator, 'GET', `${BASE}/cases?cursor=x`)).body).toMatchObject({
      message: 'cursor is not a cursor of this listing.',
    });
  });

  it('are refused with the same 403, byte for byte, for any missing permission', async () => {
    const { id } = await ask();
    for (const [method, route, body] of [
      ['GET', 'disclosure-registry'],
      ['POST', `case-requests/${id}/approve`],
      ['POST', `case-requests/${id}/close`, { reason: 'x' }],
    ] as const) {
      const answers = await Promise.all([
        call(ana, method, `${BASE}/${route}`, body),
        call(app.organization.owner, method, `${BASE}/${route}`, body),
        call(administrator, method, `/api/applications/other-app/${route}`, body),
        call(administrator, method, `/api/applications/nowhere/${route}`, body),
      ]);
      expect(answers.map(summary)).toEqual(Array(4).fill([403, answers[0].text]));
    }
    const withdrawal = `${BASE}/cases/requests/${id}/withdraw`;
    expect((await call(administrator, 'POST', withdrawal)).status).toBe(403);
    expect((await call(administrator, 'POST', `${BASE}/cases`, asked())).status).toBe(403);
    expect((await call(app.organization.owner, 'GET', `${BASE}/cases`)).status).toBe(403);
    expect((await callRest(`${app.url}${BASE}/cases`, 'GET')).status).toBe(401);
    const foreign = { cookie: `lucarne=${ana.sessionToken}`, origin: 'https://evil.example' };
    expect((await callRest(`${app.url}${withdrawal}`, 'POST', { headers: foreign })).status).toBe(403);
  });

  it('show their transactions and totals in GraphQL only to the assigned auditor', async () => {
    await seedRecords(app.application.foundation, asset, [
      {
        type: 'confidential_transfer',
        blockTime: Date.parse('2026-02-01T10:00:00Z') / 1000,
        ciphertexts: auditorCiphertexts(asset.auditorPublicKey, 4_000_000n),
      },
    ]);
    const request = await ask();
    const { id } = (await call(administrator, 'POST', `${BASE}/case-requests/${request.id}/approve`))
      .body as Body;
    const query = `query ($id: ID!) { case(foreignId: "payments", id: $id) {
      status
      transactions(first: 5) { nodes { id amount type sourceAccount restricted } pageInfo { hasNextPage } }
      totals { symbol totals { type flow count amount } } } }`;
    const look = (user: SeededUser) =>
      graphql(app, query, { variables: { id }, headers: sessionOf(app, user.sessionToken) });
    const seen = await look(ana);
    expect(seen.errors).toBeUndefined();
    expect(seen.data).toMatchObject({
      case: {
        status: 'active',
        transactions: {
          nodes: [
            {
              id: expect.stringMatching(/^ref_[0-9a-f]{32}$/),
              amount: '4000000',
              type: 'confidential_transfer',
              sourceAccount: expect.any(String),
              restricted: ['id', 'networkTransactionId', 'blockTime'],
            },
          ],
        },
        totals: [
          {
            symbol: 'PUSD',
            totals: [{ type: 'confidential_transfer', flow: 'within', count: 1, amount: '4000000' }],
          },
        ],
      },
    });
    const administered = await look(administrator);
    expect(administered.data).toEqual({ case: { status: 'active', transactions: null, totals: null } });
    expect(administered.errors?.map(({ extensions }) => extensions['code'])).toEqual([
      'FORBIDDEN',
      'FORBIDDEN',
    ]);
    expect((await look(abel)).errors?.[0]?.extensions['code']).toBe('NOT_FOUND');

    await app.database.rows(sql`update cases set expires_at = now() - interval '1 second' where id = ${id}`);
    expect((await look(ana)).errors?.[0]?.extensions['code']).toBe('NOT_FOUND');
    expect((await look(administrator)).data).toMatchObject({ case: { status: 'expired' } });
  });

  const subscribe = (user: SeededUser, query: string) => {
    const client = webSocketOf(app, user);
    return { client, events: client.iterate({ query }) };
  };

  it('have reports that their creators can follow over a WebSocket until they are finished', async () => {
    const { body } = await call(administrator, 'POST', `${BASE}/case-requests/${(await ask()).id}/approve`);
    const begun = await graphql(
      app,
      `mutation { generateCaseReport(input: { foreignId: "payments", caseId: "${(body as Body).id}",
        reportType: transaction_detail, format: json }) { id } }`,
      { headers: sessionOf(app, ana.sessionToken) },
    );
    const { id } = begun.data!['generateCaseReport'] as { id: string };
    const follow = async (user: SeededUser) => {
      const { client, events } = subscribe(
        user,
        `subscription { reportProgress(foreignId: "payments", id: "${id}") {
          id status recordCount recordTotal report { id metadata { sha256 } } } }`,
      );
      const received = [];
      try {
        for await (const { data, errors } of events)
          received.push(data?.['reportProgress'] ?? errors?.map(({ extensions }) => extensions?.['code']));
      } catch (thrown) {
        received.push(
          (thrown as { extensions: { code: string } }[]).map(({ extensions }) => extensions.code),
        );
      } finally {
        await client.dispose();
      }
      return received;
    };
    const received = await follow(ana);
    const count = { recordCount: expect.any(Number), recordTotal: expect.any(Number) };
    expect(received.pop()).toEqual({
      ...{ id, status: 'finished', ...count },
      report: { id, metadata: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    });
    for (const state of received) expect(state).toMatchObject({ id, status: 'running', report: null });
    expect(await follow(abel)).toEqual([['NOT_FOUND']]);
    expect(await follow(administrator)).toEqual([['FORBIDDEN']]);

    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    const labels = 'type="transaction_detail",format="json"';
    expect(metrics).toContain(`lucarne_reports_begun_total{${labels}} 1\n`);
    expect(metrics).toContain(`lucarne_reports_ended_total{${labels},outcome="finished"} 1\n`);
    expect(metrics).toContain(`lucarne_report_duration_seconds_count{${labels}} 1\n`);
    expect(metrics).toContain('lucarne_reports_running 0\n');
  });

  it('can be followed over a WebSocket by callers with access, until their access changes', async () => {
    const REQUESTS = `subscription { caseRequestChanged(foreignId: "payments") { request { id status } } }`;
    const CASES = `subscription { caseChanged(foreignId: "payments") {
      case { id status transactions(first: 1) { nodes { amount } } } } }`;
    const bystander = await memberOf('auditor', 'Bea Bystander');
    const [asAdministrator, asAuditor, asBystander] = [
      subscribe(administrator, REQUESTS),
      subscribe(ana, CASES),
      subscribe(bystander, REQUESTS),
    ];
    // A subscription that has not started yet misses earlier actions, so the action is repeated until the subscription shows
    // one.
    const first = async (events: AsyncIterableIterator<unknown>, act: () => Promise<unknown>) => {
      const coming = events.next();
      for (;;) {
        await act();
        const shown = await Promise.race([coming, new Promise((resolve) => setTimeout(resolve, 100))]);
        if (shown !== undefined) return shown;
      }
    };
    try {
      expect(await first(asAdministrator.events, () => ask())).toMatchObject({
        value: { data: { caseRequestChanged: { request: { status: 'pending' } } } },
      });
      const approve = async () =>
        call(administrator, 'POST', `${BASE}/case-requests/${(await ask()).id}/approve`);
      expect(await first(asAuditor.events, approve)).toMatchObject({
        value: {
          data: {
            caseChanged: { case: { status: 'active', transactions: { nodes: [{ amount: '4000000' }] } } },
          },
        },
      });

      // Another auditor receives only their own events, and nothing more after the permissions change.
      const own: string[] = [];
      const shown = await first(asBystander.events, async () => own.push((await ask(bystander)).id));
      expect(own.map((id) => ({ request: { id, status: 'pending' } }))).toContainEqual(
        (shown as { value: { data: { caseRequestChanged: unknown } } }).value.data.caseRequestChanged,
      );
      await setPermissions(app.application.foundation, operatorOf(app.organization.organization.id), {
        memberId: bystander.principal.userId,
        permissions: { owner: [], applications: [{ foreignId: 'payments', auditor: ['cases:create'] }] },
      });
      await ask(bystander);
      const ended = async () => {
        for await (const event of asBystander.events) expect(event).toHaveProperty('data');
      };
      await expect(ended()).rejects.toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    } finally {
      for (const { client } of [asAdministrator, asAuditor, asBystander]) void client.dispose();
    }
  });
});
