import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listCaseRequests, listCases } from '../../../../src/domain/cases/index.js';
import { sql } from '../../../../src/platform/database/index.js';
import { MAX_PAGE_VALUES } from '../../../../src/platform/kernel/paging/page-weight.js';
import { graphql, sessionOf, startTestApp, type TestApp } from '../../../kit/app.js';
import { type CaseOffice, openOffice } from '../kit.js';

const REQUESTS = 40;
const ASSETS = 1_000;
const AUDITORS = 100;

describe('an organization whose requests name the maximum number of assets and auditors', () => {
  let app: TestApp;
  let office: CaseOffice;
  let filled: Set<string>;

  beforeAll(async () => {
    app = await startTestApp();
    const { foundation } = app.application;
    office = await openOffice(foundation);
    const seen = await office.request();
    await office.open();
    const organizationId = office.organization.id;
    await app.database.rows(sql`
      insert into users (id, email, name, created_at, organization_id)
        select 'usr_01zzzzzzzzzzzzzzzzzzz' || lpad(n::text, 5, '0'), 'filler' || n || '@example.test', 'Filler', now(),
          ${organizationId} from generate_series(1, ${AUDITORS}) n`);
    const requests = await app.database.rows(sql<{ id: string }>`
      insert into case_requests (id, organization_id, application_id, status, withdrawn, reason, requested_by, period_from,
          period_to, access_days, disclosure_flags, auditor_ids, asset_ids, created_at, change)
        select 'crq_01zzzzzzzzzzzzzzzzzzz' || lpad(n::text, 5, '0'), organization_id, application_id, 'pending', false,
          reason, requested_by, period_from, period_to, access_days, disclosure_flags,
          (select array_agg(id) from users where name = 'Filler'),
          array(select 'ast_01' || lpad(a::text, 24, 'z') from generate_series(1, ${ASSETS}) a), now(), 1000 + n
        from case_requests, generate_series(1, ${REQUESTS}) n where id = ${seen.id} returning id`);
    filled = new Set(requests.map(({ id }) => id));
    await app.database.rows(sql`
      insert into cases (id, organization_id, application_id, request_id, reason, period_from, period_to, access_days,
          disclosure_flags, asset_ids, approved_by, created_at, expires_at, change)
        select 'cas_01zzzzzzzzzzzzzzzzzzz' || lpad(n::text, 5, '0'), organization_id, application_id,
          'crq_01zzzzzzzzzzzzzzzzzzz' || lpad(n::text, 5, '0'), reason,
          period_from, period_to, access_days, disclosure_flags,
          array(select 'ast_01' || lpad(a::text, 24, 'z') from generate_series(1, ${ASSETS}) a), approved_by, created_at,
          expires_at, 1000 + n
        from cases, generate_series(1, ${REQUESTS}) n where organization_id = ${organizationId}`);
  });
  afterAll(async () => app[Symbol.asyncDispose]());

  type Listed = {
    nodes: readonly { id: string }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };

  async function pages(list: (after: string | null) => Promise<Listed>): Promise<string[][]> {
    const read: string[][] = [];
    for (let after: string | null = null, more = true; more;) {
      const { nodes, pageInfo } = await list(after);
      read.push(nodes.map(({ id }) => id));
      after = pageInfo.endCursor;
      more = pageInfo.hasNextPage;
    }
    return read;
  }

  it('reads each of them once, in pages of bounded size', async () => {
    const { foundation } = app.application;
    const { principal } = office.administrator;
    const listed = [
      await pages((after) => listCaseRequests(foundation, principal, { first: 200, after })),
      await pages((after) =>
        listCaseRequests(foundation, principal, { first: 200, after, oldestFirst: true }),
      ),
      await pages((after) => listCases(foundation, principal, { first: 200, after })),
    ];
    for (const read of listed) {
      const all = read.flat();
      expect(new Set(all).size).toBe(all.length);
      for (const page of read) expect((page.length - 1) * ASSETS).toBeLessThan(MAX_PAGE_VALUES);
      expect(Math.max(...read.map((page) => page.length))).toBeGreaterThan(5);
    }
    expect(listed[0]!.flat()).toEqual([...listed[1]!.flat()].reverse());
    expect(listed[0]!.flat()).toEqual(expect.arrayContaining([...filled]));
    expect(listed[2]!.flat()).toHaveLength(REQUESTS + 1);
  });

  it('can read only a few such listings with one document', async () => {
    const headers = sessionOf(app, office.administrator.sessionToken);
    const document = (times: number) =>
      `{${Array.from({ length: times }, (_, n) => `a${n}: caseRequests(first: 200) { nodes { auditors { id } } }`).join(' ')}}`;
    const { errors } = await graphql(app, document(10), { headers });
    expect(errors?.[0]?.message).toMatch(/^The query could return \d+ fields; the limit is 20000\./);
    const { data } = await graphql(app, document(3), { headers });
    expect(data).toMatchObject({ a2: { nodes: expect.anything() } });
  });

  it('can export only one log with one document', async () => {
    const headers = sessionOf(app, office.owner.sessionToken);
    const document = '{ a: exportActivityLog(input: {}) b: exportActivityLog(input: {}) }';
    const { errors } = await graphql(app, `mutation ${document}`, { headers });
    expect(errors?.[0]?.message).toMatch(/^The query could return \d+ fields; the limit is 20000\./);
  });
});
