import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { sql } from '../../../src/platform/database/index.js';
import { downloadReport } from '../../../src/domain/reports/download-report.js';
import { CHUNK_BYTES } from '../../../src/domain/reports/generation/report-chunks.js';
import { verifyLogFile } from '../../../src/domain/activity-log/index.js';
import { act } from '../activity-log/kit.js';
import { openOffice, type CaseOffice } from '../cases/kit.js';
import { startTestApp, type TestApp } from '../../kit/app.js';
import { seedMember, seedSession } from '../../kit/seed.js';
import { seedDeposits } from './kit.js';
import { callRest } from '../../edge/rest/server/rest-server.js';

interface ReportBody {
  readonly id: string;
  readonly report_type: string;
  readonly format: string;
  readonly application_id: string | null;
  readonly metadata: {
    readonly sha256: string;
    readonly size_bytes: number;
    readonly case_id: string | null;
  };
}

const RECORDS = 1_700;

describe('reports over REST', () => {
  let app: TestApp;
  let office: CaseOffice;
  let caseId: string;
  let report: ReportBody;
  let whole: Buffer;

  beforeAll(async () => {
    app = await startTestApp();
    const { foundation } = app.application;
    office = await openOffice(foundation, 'audited');
    const today = new Date();
    // A file of three chunks.
    await seedDeposits(foundation, office.asset, RECORDS, Math.floor(today.getTime() / 1000));
    const day = (shift: number) => new Date(today.getTime() + shift * 86_400_000).toISOString().slice(0, 10);
    const flags = { fullTxIds: true, senderInformation: true, withdrawalDetails: true };
    const opened = await office.open({ periodFrom: day(-1), periodTo: day(0), disclosureFlags: flags });
    caseId = opened.id;
    const made = await post('/api/applications/audited/case-reports', {
      case_id: caseId,
      report_type: 'transaction_detail',
    });
    expect(made.status).toBe(201);
    report = made.body as ReportBody;
    whole = await bytes(`/api/applications/audited/reports/${report.id}/download`);
  }, 480_000);
  afterAll(async () => app[Symbol.asyncDispose]());

  const cookie = (token: string) => ({ cookie: `lucarne=${token}` });
  const post = (path: string, body?: unknown, token: string = office.ana.sessionToken) =>
    callRest(`${app.url}${path}`, 'POST', { ...cookie(token), ...(body === undefined ? {} : { body }) });
  const get = (path: string, token: string = office.ana.sessionToken, headers: Record<string, string> = {}) =>
    callRest(`${app.url}${path}`, 'GET', { ...cookie(token), headers });
  const send = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${app.url}${path}`, { method, headers: { ...cookie(office.ana.sessionToken), ...headers } });
  const bytes = async (path: string, headers: Record<string, string> = {}) =>
    Buffer.from(await (await send(path, headers)).arrayBuffer());
  const download = () => `/api/applications/audited/reports/${report.id}/download`;
  const downloads = async () => {
    const [row] = await app.database.rows(sql<{ count: number }>`
      select count(*) as count from activity_entries where event_type = 'report.downloaded'`);
    return row!.count;
  };

  it('are created with 201 and everything that the contract lists', () => {
    expect(Object.keys(report)).toEqual([
      ...['id', 'organization_id', 'application_id', 'report_type', 'format', 'metadata'],
      ...['generated_by', 'generated_at'],
    ]);
    expect(report).toMatchObject({
      organization_id: office.organization.id,
      application_id: office.application.id,
      report_type: 'transaction_detail',
      format: 'csv',
      metadata: {
        case_id: caseId,
        disclosure_flags: { full_tx_ids: true, sender_information: true, withdrawal_details: true },
        asset_ids: [office.asset.id],
        record_count: RECORDS,
        log_index: null,
      },
      generated_by: { id: office.ana.principal.userId, name: 'Ana Auditor', email: office.ana.email },
    });
  });

  it('are downloaded as files with their length, digest and name', async () => {
    const answer = await send(download());
    const body = Buffer.from(await answer.arrayBuffer());
    expect(answer.status).toBe(200);
    expect(body.length).toBeGreaterThan(2 * CHUNK_BYTES);
    const digest = createHash('sha256').update(body).digest();
    expect(digest.toString('hex')).toBe(report.metadata.sha256);
    const header = (name: string) => answer.headers.get(name);
    expect(header('digest')).toBe(`sha-256=${digest.toString('base64')}`);
    expect(header('content-length')).toBe(String(report.metadata.size_bytes));
    expect(header('content-type')).toBe('text/csv; charset=utf-8');
    expect(header('content-disposition')).toMatch(
      /^attachment; filename="transaction-detail-\d{4}-\d\d-\d\d-\w{8}\.csv"$/,
    );
    expect([header('accept-ranges'), header('cache-control')]).toEqual(['bytes', 'no-store']);
  });

  it('are sent by range', async () => {
    const size = whole.length;
    const edge = fc.oneof(
      fc.integer({ min: 0, max: size + 10 }),
      fc.constantFrom(0, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES, size - 1, size),
    );
    const range = fc.oneof(
      fc.tuple(edge, edge).map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const),
      edge.map((first) => [first, undefined] as const),
      fc.integer({ min: 1, max: size + 10 }).map((last) => [undefined, last] as const),
    );
    await fc.assert(
      fc.asyncProperty(range, async ([first, last]) => {
        const answer = await send(download(), { range: `bytes=${first ?? ''}-${last ?? ''}` });
        const body = Buffer.from(await answer.arrayBuffer());
        const start = first ?? Math.max(0, size - last);
        const end = first === undefined ? size : Math.min(size, (last ?? size) + 1);
        if (start >= size) {
          expect([answer.status, answer.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
          return;
        }
        expect(answer.status).toBe(206);
        expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${size}`);
        expect(answer.headers.get('content-length')).toBe(String(end - start));
        expect(body.equals(whole.subarray(start, end))).toBe(true);
      }),
      { numRuns: 12 },
    );
  });

  it.each(['bytes=0-1,5-6', 'bytes=', 'bytes=5-2', 'lines=0-1', 'bytes=x-'])(
    'are sent whole when %s is asked for, which is no one range',
    async (range) => {
      const answer = await send(download(), { range });
      expect(answer.status).toBe(200);
      expect((await answer.arrayBuffer()).byteLength).toBe(whole.length);
    },
  );

  it('are resumed only if the file is the same', async () => {
    const etag = (await send(download(), {}, 'HEAD')).headers.get('etag')!;
    const range = 'bytes=10-19';
    const same = await send(download(), { range, 'if-range': etag });
    expect([same.status, Buffer.from(await same.arrayBuffer())]).toEqual([206, whole.subarray(10, 20)]);
    const other = await send(download(), { range, 'if-range': '"another"' });
    expect([other.status, (await other.arrayBuffer()).byteLength]).toEqual([200, whole.length]);
  });

  it('answer HEAD without a body, and without counting as downloaded', async () => {
    const before = await downloads();
    const answer = await send(download(), {}, 'HEAD');
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect(answer.headers.get('content-length')).toBe(String(whole.length));
    expect(answer.headers.get('digest')).toMatch(/^sha-256=/);
    expect(await downloads()).toBe(before);
  });

  /** How many downloads were logged after each request for a range of a new report. */
  const logged = async (ranges: readonly (string | undefined | { range: string; token: string })[]) => {
    const { body } = await post('/api/applications/audited/case-reports', {
      case_id: caseId,
      report_type: 'transaction_summary',
      format: 'json',
    });
    const { id } = body as ReportBody;
    const path = `/api/applications/audited/reports/${id}/download`;
    const before = await downloads();
    const counts = [];
    for (const one of ranges) {
      const { range, token } = typeof one === 'object' ? one : { range: one, token: undefined };
      await bytes(path, {
        ...(range === undefined ? {} : { range }),
        ...(token === undefined ? {} : cookie(token)),
      });
      counts.push((await downloads()) - before);
    }
    return { id, counts };
  };

  it('are logged when their download begins, and not when a range continues it', async () => {
    const { id, counts } = await logged([
      ...['bytes=5-9', 'bytes=10-19', 'bytes=25-29', 'bytes=999999-', 'bytes=30-', undefined],
    ]);
    // A range from the middle without an earlier start also counts as a download.
    expect(counts).toEqual([1, 1, 1, 1, 1, 2]);
    const [entry] = await app.database.rows(sql<{ entry: Record<string, unknown> }>`
      select entry from activity_entries where event_type = 'report.downloaded' order by sequence desc limit 1`);
    expect(entry!.entry).toMatchObject({
      user_id: office.ana.principal.userId,
      case_id: caseId,
      application_foreign_id: 'audited',
      object: { type: 'report', report_id: id },
    });
  });

  it('are logged each time bytes are sent again', async () => {
    const { counts } = await logged([undefined, 'bytes=1-', 'bytes=1-', 'bytes=-1', 'bytes=0-3', 'bytes=3-']);
    expect(counts).toEqual([1, 2, 3, 4, 5, 6]);
  });

  const anotherSession = () => {
    const { principal, email } = office.ana;
    const member = { id: principal.userId, name: principal.name, email };
    return seedSession(app.application.foundation, office.organization.id, member);
  };

  it('are logged in each session, whatever another session of the person downloaded before', async () => {
    const { sessionToken: token } = await anotherSession();
    const { counts } = await logged(['bytes=0-9', { range: 'bytes=10-', token }, 'bytes=10-']);
    expect(counts).toEqual([1, 2, 3]);
  });

  it('send no byte twice between two entries, for any ranges and sessions', async () => {
    const sessions = [office.ana.principal, (await anotherSession()).principal];
    const size = whole.length;
    const edge = fc.nat(size + 1);
    const anyRange = fc.record({ one: edge, other: edge, session: fc.nat(1) });
    await fc.assert(
      fc.asyncProperty(fc.array(anyRange, { maxLength: 12 }), async (ranges) => {
        let sent: (readonly [number, number])[] = [];
        for (const { one, other: another, session } of ranges) {
          const [firstByte, endByte] = [Math.min(one, another), Math.min(size, Math.max(one, another))];
          const before = await downloads();
          await downloadReport(app.application.foundation, sessions[session], {
            ...{ foreignId: 'audited', id: report.id, firstByte, endByte },
          });
          if ((await downloads()) > before) sent = [];
          if (firstByte >= endByte) continue;
          expect(sent.filter(([start, end]) => firstByte < end && start < endByte)).toEqual([]);
          sent.push([firstByte, endByte]);
        }
      }),
      { numRuns: 20 },
    );
  });

  it.each(['bytes=999999999-', 'bytes=-0', 'bytes=5-'])(
    'are logged when they are sent whole instead of %s, which was of another file',
    async (range) => {
      await bytes(download());
      const before = await downloads();
      const sent = await bytes(download(), { range, 'if-range': '"another"' });
      expect([sent.length, (await downloads()) - before]).toEqual([whole.length, 1]);
    },
  );

  it('expire with the case for its auditor, and stay for the owner', async () => {
    const path = `/api/reports/${report.id}/download`;
    const owner = office.owner.sessionToken;
    expect((await get(download(), office.abel.sessionToken)).status).toBe(404);
    await app.database.rows(
      sql`update cases set expires_at = now() - interval '1 second' where id = ${caseId}`,
    );
    expect((await get(download())).status).toBe(404);
    expect((await get('/api/applications/audited/reports')).body).toContainEqual(
      expect.objectContaining({ id: report.id }),
    );
    const kept = await get(path, owner);
    expect([kept.status, kept.text]).toEqual([200, whole.toString()]);
    await app.database.rows(sql`update cases set expires_at = now() + interval '1 day' where id = ${caseId}`);
    expect((await get(download())).status).toBe(200);
  });

  it('are not found by members of other organizations and applications', async () => {
    const { organization, owner } = app.other;
    expect((await get(`/api/reports/${report.id}/download`, owner.sessionToken)).status).toBe(404);
    expect((await get('/api/reports', owner.sessionToken)).body).toEqual([]);
    expect((await get('/api/reports/rpt_1/download', owner.sessionToken)).status).toBe(404);
    const stranger = await seedMember(app.application.foundation, organization.id, {
      applications: [{ foreignId: 'other-app', auditor: ['reports:list', 'reports:download'] }],
    });
    const elsewhere = await get(
      `/api/applications/other-app/reports/${report.id}/download`,
      stranger.sessionToken,
    );
    expect(elsewhere.status).toBe(404);
    expect((await get(download(), stranger.sessionToken)).status).toBe(403);
    expect((await get('/api/applications/audited/reports', stranger.sessionToken)).status).toBe(403);
    expect((await get('/api/reports')).status).toBe(403);
    expect((await get(`/api/reports/${report.id}/download`)).status).toBe(403);
    expect((await send(download(), { cookie: 'lucarne=nobody' })).status).toBe(401);
  });

  it('require separate permissions to create, list and download', async () => {
    const { foundation } = app.application;
    const holding = async (permission: string) =>
      (
        await seedMember(foundation, office.organization.id, {
          applications: [{ foreignId: 'audited', auditor: [permission] }],
        })
      ).sessionToken;
    const made = await post('/api/auditors-log/reports', undefined, office.owner.sessionToken);
    const logReport = made.body as ReportBody;
    expect([made.status, logReport.format, logReport.application_id]).toEqual([201, 'json', null]);
    const [create, list, load] = await Promise.all(
      ['reports:create', 'reports:list', 'reports:download'].map(holding),
    );
    const tried = async (token: string) =>
      Promise.all([
        post(
          '/api/applications/audited/case-reports',
          { case_id: caseId, report_type: 'transaction_summary' },
          token,
        ).then(({ status }) => status),
        get('/api/applications/audited/reports', token).then(({ status }) => status),
        get(download(), token).then(({ status }) => status),
      ]);
    // Not assigned to the case: 404 with the permission, 403 without it.
    expect(await tried(create!)).toEqual([404, 403, 403]);
    expect(await tried(list!)).toEqual([403, 200, 403]);
    expect(await tried(load!)).toEqual([403, 403, 404]);
    expect((await get('/api/applications/audited/reports', office.administrator.sessionToken)).status).toBe(
      200,
    );
  });

  it('are files that lucarne log verify accepts if they are reports on the log', async () => {
    const { foundation } = app.application;
    await act(foundation, office.organization.id, 3);
    const owner = office.owner.sessionToken;
    const { id } = (await post('/api/auditors-log/reports', {}, owner)).body as ReportBody;
    const file = await get(`/api/reports/${id}/download`, owner);
    expect(file.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const verified = verifyLogFile(file.body, { complete: true });
    expect(verified.checks.filter(({ passed }) => !passed)).toEqual([]);
    const csv = await post('/api/auditors-log/reports', { format: 'csv' }, owner);
    expect((csv.body as ReportBody).format).toBe('csv');
  });

  it('are listed newest first, page by page, with filters', async () => {
    const owner = office.owner.sessionToken;
    const all = (await get('/api/reports?limit=200', owner)).body as ReportBody[];
    const seen: string[] = [];
    for (let path: string | undefined = '/api/reports?limit=2'; path !== undefined;) {
      const page = await get(path, owner);
      seen.push(...(page.body as ReportBody[]).map(({ id }) => id));
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(all.map(({ id }) => id));
    const logs = (await get('/api/reports?report_type=activity_log', owner)).body as ReportBody[];
    expect(logs.map(({ id }) => id)).toEqual(
      all.filter(({ report_type: type }) => type === 'activity_log').map(({ id }) => id),
    );
    const ofCase = (await get(`/api/reports?case_id=${caseId}`, owner)).body as ReportBody[];
    expect(ofCase.every(({ metadata }) => metadata.case_id === caseId)).toBe(true);
  });

  it.each([
    ['case-reports', { report_type: 'transaction_detail' }, 'case_id is required.'],
    ['case-reports', { case_id: 'cas_1', report_type: 'transaction_detail' }, 'case_id must be the id'],
    ['case-reports', { case_id: 'cas_1', report_type: 'activity_log' }, 'report_type must be one of'],
    ['case-reports', { case_id: 'cas_1', report_type: 'transaction_detail', format: 'xml' }, 'format must'],
  ])('are refused with 400 for %s with %j', async (path, body, message) => {
    const answer = await post(`/api/applications/audited/${path}`, body);
    expect([answer.status, (answer.body as { message: string }).message]).toEqual([
      400,
      expect.stringContaining(message),
    ]);
  });

  it('are refused, if they are on the log, to callers without its permission, for any body', async () => {
    for (const body of [{ color: 'red' }, [], {}]) {
      expect((await post('/api/applications/audited/auditors-log/reports', body)).status).toBe(403);
    }
  });

  it('list the log of a case, and export it', async () => {
    const path = `/api/applications/audited/cases/${caseId}/auditors-log`;
    const listed = await get(`${path}?event_type=report.generated`);
    expect(listed.status).toBe(200);
    expect((listed.body as { event_type: string }[]).map((entry) => entry.event_type)).toContain(
      'report.generated',
    );
    expect((await get(path, office.abel.sessionToken)).status).toBe(404);
    expect((await get(path, office.owner.sessionToken)).status).toBe(403);
    const made = await post(`${path}/reports`);
    expect([made.status, (made.body as ReportBody).metadata.case_id]).toEqual([201, caseId]);
  });
});
