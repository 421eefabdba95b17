import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { findGeneration, listGenerations } from '../../../src/domain/reports/generation/find-generation.js';
import { followGeneration } from '../../../src/domain/reports/generation/follow-generation.js';
import { generateCaseReport } from '../../../src/domain/reports/generation/generate-case-report.js';
import {
  failGeneration,
  insertGeneration,
  sweepGenerations,
} from '../../../src/domain/reports/generation/generation-rows.js';
import { createReporting, type Reporting } from '../../../src/domain/reports/index.js';
import {
  CHUNK_BYTES,
  chunkWriter,
  SEALED_CHUNKS,
} from '../../../src/domain/reports/generation/report-chunks.js';
import { LeaseLost } from '../../../src/platform/jobs/index.js';
import { PUBLIC_HOST } from '../activity-log/kit.js';
import { eventually } from '../../kit/eventually.js';
import { seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { codeOf, openOffice, setClock, type SetClock } from '../cases/kit.js';
import { bytesOf, caseReport, reportingOf, seedEachType, stored } from './kit.js';

const { database, foundation } = await openTestFoundation(setClock());
const office = await openOffice(foundation);

describe('report generation', () => {
  let reporting: Reporting;
  let caseId: string;

  beforeAll(async () => {
    reporting = reportingOf(foundation, office.pool);
    await seedEachType(foundation, office);
    caseId = (await office.open()).id;
  });
  afterAll(async () => reporting[Symbol.asyncDispose]());

  const input = () => ({ foreignId: 'payments', caseId, reportType: 'transaction_detail' });
  const ana = () => office.ana.principal;
  const entries = async () => {
    const [row] = await database.rows(sql<{ count: number }>`
      select count(*) as count from activity_entries where event_type = 'report.generated'`);
    return row!.count;
  };

  /** Decryptions wait until they are released. */
  function holdUp() {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    office.pool.before = () => held;
    return () => {
      office.pool.before = () => undefined;
      release();
    };
  }

  it('returns immediately, and sends its progress until the report is finished', async () => {
    const release = holdUp();
    const begun = await generateCaseReport(reporting, ana(), input());
    expect(begun).toMatchObject({ status: 'running', report: null, failure: null });
    const changes = await followGeneration(foundation, ana(), { foreignId: 'payments', id: begun.id });
    expect((await changes.next()).value).toMatchObject({ status: 'running' });
    release();
    const states = [];
    for await (const state of changes) states.push(state);
    expect(states.at(-1)).toMatchObject({
      status: 'finished',
      recordCount: 6,
      recordTotal: 6,
      report: { id: begun.id, recordCount: 6 },
    });
    expect((await stored(database)).generations).toBe(0);
  });

  it('is found while it runs only by the user who started it', async () => {
    const release = holdUp();
    const { id } = await generateCaseReport(reporting, ana(), input());
    const ofOrganization = { id: newId('rpt'), organizationId: office.organization.id, applicationId: null };
    const { userId: requestedBy } = ana();
    const row = { ...ofOrganization, caseId: null, reportType: 'activity_log' as const, requestedBy };
    await insertGeneration(database, { ...row, requestedAt: foundation.clock.now() }, 'lease-1', () =>
      Promise.resolve(),
    );
    const running = (principal = ana(), foreignId: string | null = 'payments') =>
      listGenerations(foundation, principal, foreignId);
    expect(await running()).toMatchObject([
      { id, status: 'running', caseId, reportType: 'transaction_detail', report: null },
    ]);
    expect((await running(ana(), null)).map((generation) => generation.id)).toEqual([id]);
    expect(await running(office.abel.principal)).toEqual([]);
    expect(await running(office.abel.principal, null)).toEqual([]);
    expect(await running(office.owner.principal, null)).toEqual([]);
    expect(await codeOf(running(office.administrator.principal))).toBe('FORBIDDEN');
    expect(await codeOf(running(office.administrator.principal, null))).toBe('FORBIDDEN');
    await database.rows(sql`delete from report_generations where id = ${row.id}`);
    release();
    await reporting.maker.made(id);
    expect(await running()).toEqual([]);
  });

  it('is visible only to the user who started it', async () => {
    const { id } = await caseReport(reporting, ana(), input());
    const other = await seedOrganization(foundation, { name: 'Other', foreignId: 'other' });
    const find = (principal = ana(), foreignId: string | null = 'payments', reportId: string = id) =>
      codeOf(findGeneration(foundation, principal, { foreignId, id: reportId }));
    expect(await find()).toBe('DONE');
    expect(await find(office.abel.principal)).toBe('NOT_FOUND');
    expect(await find(office.owner.principal, null)).toBe('NOT_FOUND');
    expect(await find(other.owner.principal, null)).toBe('NOT_FOUND');
    expect(await find(office.administrator.principal)).toBe('FORBIDDEN');
    expect(await find(ana(), 'payments', newId('rpt'))).toBe('NOT_FOUND');
    expect(await find(ana(), 'payments', 'rpt_1')).toBe('NOT_FOUND');
  });

  it('lets a subscriber leave while it runs', async () => {
    const release = holdUp();
    const { id } = await generateCaseReport(reporting, ana(), input());
    const changes = await followGeneration(
      foundation,
      ana(),
      { foreignId: 'payments', id },
      { pollMs: 2 ** 30 },
    );
    await changes.next();
    const next = changes.next();
    await changes.return();
    expect((await next).done).toBe(true);
    release();
    await reporting.maker.made(id);
  });

  it('gives the reason if it fails, and leaves nothing', async () => {
    const before = await stored(database);
    const logged = await entries();
    office.pool.before = () => {
      throw new Error('The pool is on fire: secret detail.');
    };
    await expect(caseReport(reporting, ana(), input())).rejects.toThrow('on fire');
    office.pool.before = () => undefined;
    const [failed] = await database.rows(sql<{ id: string; failure: string }>`
      select id, failure from report_generations where status = 'failed'`);
    expect(failed!.failure).toBe('An internal error stopped the generation. Generate the report again.');
    const found = await findGeneration(foundation, ana(), { foreignId: 'payments', id: failed!.id });
    expect(found).toMatchObject({ status: 'failed', report: null, failure: failed!.failure });
    expect(await stored(database)).toEqual({ ...before, generations: before.generations + 1 });
    expect(await entries()).toBe(logged);
  });

  it('is counted when it begins and ends, by type and format', async () => {
    const counted: unknown[] = [];
    await using own = createReporting(foundation, {
      pool: office.pool,
      publicHost: () => PUBLIC_HOST,
      metrics: {
        began: (...began) => void counted.push(['began', ...began]),
        ended: (...ended) => void counted.push(['ended', ...ended]),
      },
    });
    await caseReport(own, ana(), { ...input(), format: 'json' });
    office.pool.before = () => {
      throw new Error('The pool is on fire.');
    };
    await expect(caseReport(own, ana(), input())).rejects.toThrow('on fire');
    office.pool.before = () => undefined;
    expect(counted).toEqual([
      ['began', 'transaction_detail', 'json'],
      ['ended', 'transaction_detail', 'json', 'finished', { seconds: 0, records: 6 }],
      ['began', 'transaction_detail', 'csv'],
      ['ended', 'transaction_detail', 'csv', 'failed', { seconds: 0, records: 0 }],
    ]);
  });

  it('is cleaned up by the sweep after its process dies, and a late writer writes nothing more', async () => {
    const before = await stored(database);
    const id = newId('rpt');
    const row = {
      ...{
        id,
        organizationId: office.organization.id,
        applicationId: office.application.id,
        caseId: null,
        reportType: 'activity_log' as const,
      },
      ...{ requestedBy: ana().userId, requestedAt: foundation.clock.now() },
    };
    await insertGeneration(database, row, 'lease-1', () => Promise.resolve());
    const writer = chunkWriter(foundation, id, 'lease-1');
    await writer.write(new Uint8Array(CHUNK_BYTES + 5));
    // Complete chunks are stored while the next one is filled.
    await eventually(
      () => stored(database),
      ({ chunks }) => chunks === before.chunks + 1,
    );
    expect(await sweepGenerations(foundation)).toBe(0);
    await database.rows(sql`
      update report_generations set lease_expires_at = now() - interval '1 second' where id = ${id}`);
    expect(await sweepGenerations(foundation)).toBe(1);
    await expect(writer.end()).rejects.toThrow(LeaseLost);
    const after = await stored(database);
    expect(after).toEqual({ ...before, generations: before.generations + 1 });
    const found = await findGeneration(foundation, ana(), { foreignId: 'payments', id });
    expect(found).toMatchObject({ status: 'failed', failure: expect.stringContaining('stopped') });
  });

  /** The id of a generation that runs under `lease-1`. */
  const begunGeneration = async () => {
    const id = newId('rpt');
    const row = {
      ...{ id, organizationId: office.organization.id, applicationId: office.application.id, caseId: null },
      ...{ reportType: 'activity_log' as const, requestedBy: ana().userId },
    };
    await insertGeneration(database, { ...row, requestedAt: foundation.clock.now() }, 'lease-1', () =>
      Promise.resolve(),
    );
    return id;
  };

  it('stores the exact bytes, even if a piece ends within a character', async () => {
    const id = await begunGeneration();
    const writer = chunkWriter(foundation, id, 'lease-1');
    // 7 bytes: each chunk ends at a different one of them. There are more than two, so that memory is reused.
    const part = '€😀'.repeat(5_000);
    const parts = [
      ...Array<string>(Math.ceil((9 * CHUNK_BYTES) / 35_000)).fill(part),
      ...['', 'é', Buffer.from('end')],
    ];
    for (const data of parts) await writer.write(data);
    const bytes = Buffer.concat(parts.map((data) => Buffer.from(data as string)));
    const sha256 = createHash('sha256').update(bytes).digest();
    expect(await writer.end()).toEqual({ sha256, sizeBytes: bytes.length });
    const chunks = await database.rows(sql<{ index: number; sealed: Uint8Array }>`
      select chunk_index as index, sealed_bytes as sealed from report_chunks where content_id = ${id}
      order by chunk_index`);
    const opened = chunks.map(({ index, sealed }) =>
      foundation.sealer.open(sealed, SEALED_CHUNKS.context([id, index])),
    );
    expect(opened.slice(0, -1).every(({ length }) => length === CHUNK_BYTES)).toBe(true);
    expect(Buffer.concat(opened).equals(bytes)).toBe(true);
    await failGeneration(foundation, id, 'lease-1', 'Enough.');
  });

  it('fails if a chunk before the last is not stored, and then stores no more', async () => {
    const id = await begunGeneration();
    let stores = 0;
    const failing = new Proxy(database, {
      get: (target, name) =>
        name === 'rows'
          ? async (statement: Parameters<typeof database.rows>[0]) => {
              stores += 1;
              if (stores === 2) throw new Error('The connection was lost.');
              return database.rows(statement);
            }
          : (Reflect.get(target, name) as unknown),
    });
    const writer = chunkWriter({ ...foundation, database: failing }, id, 'lease-1');
    await writer.write(new Uint8Array(3 * CHUNK_BYTES));
    await expect(writer.end()).rejects.toThrow('The connection was lost.');
    expect(stores).toBe(2);
    await failGeneration(foundation, id, 'lease-1', 'Enough.');
  });

  it('makes no report, no file and no log entry if it was swept while it ran', async () => {
    const before = await stored(database);
    const logged = await entries();
    const release = holdUp();
    const { id } = await generateCaseReport(reporting, ana(), input());
    await database.rows(sql`
      update report_generations set lease_expires_at = now() - interval '1 second' where id = ${id}`);
    await sweepGenerations(foundation);
    const made = reporting.maker.made(id);
    release();
    await expect(made).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'The generation was interrupted. Generate the report again.',
    });
    expect(await stored(database)).toEqual({ ...before, generations: before.generations + 1 });
    expect(await entries()).toBe(logged);
  });

  it.each(['window', 'assignment', 'permission'])(
    'makes no report, no file and no entry if its %s ends under way',
    async (what) => {
      const clock = foundation.clock as SetClock;
      const began = clock.now();
      const own = await office.open();
      const { userId } = ana();
      const [before, logged] = [await stored(database), await entries()];
      const release = holdUp();
      const { id } = await generateCaseReport(reporting, ana(), { ...input(), caseId: own.id });
      const made = reporting.maker.made(id);
      if (what === 'window') clock.set(own.expiresAt);
      else if (what === 'assignment')
        await database.rows(sql`delete from case_auditors where case_id = ${own.id}`);
      else {
        await database.rows(sql`
          delete from permission_grants where user_id = ${userId} and permission = 'reports:create'`);
      }
      release();
      expect(await codeOf(made)).toBe('NOT_FOUND');
      clock.set(began);
      await database.rows(sql`
        insert into permission_grants (organization_id, user_id, application_id, bucket, permission)
        values (${office.organization.id}, ${userId}, ${office.application.id}, 'auditor', 'reports:create')
        on conflict do nothing`);
      expect(await stored(database)).toEqual({ ...before, generations: before.generations + 1 });
      expect(await entries()).toBe(logged);
      const found = await findGeneration(foundation, ana(), { foreignId: 'payments', id });
      expect(found).toMatchObject({ status: 'failed', failure: 'No such case.' });
    },
  );

  it('fails when the gateway stops, and is then refused', async () => {
    const release = holdUp();
    const own = reportingOf(foundation, office.pool);
    const before = await stored(database);
    const { id } = await generateCaseReport(own, ana(), input());
    const stopped = own[Symbol.asyncDispose]();
    release();
    await stopped;
    const found = await findGeneration(foundation, ana(), { foreignId: 'payments', id });
    expect(found).toMatchObject({ status: 'failed', failure: 'The gateway is stopping.' });
    expect((await stored(database)).chunks).toBe(before.chunks);
    expect(await codeOf(generateCaseReport(own, ana(), input()))).toBe('UNAVAILABLE');
  });

  it('shares one file among reports of the same content, but each report is separate', async () => {
    const before = await stored(database);
    const one = await caseReport(reporting, ana(), input());
    const other = await caseReport(reporting, ana(), input());
    const after = await stored(database);
    expect(other.sha256).toBe(one.sha256);
    expect(after.reports).toBe(before.reports + 2);
    expect(after.files - before.files).toBeLessThanOrEqual(1);
    expect(after.chunks - before.chunks).toBeLessThanOrEqual(1);
    expect(await bytesOf(foundation, other)).toEqual(await bytesOf(foundation, one));
  });

  it.each([
    ['reports', sql`update reports set record_count = 0`],
    ['reports', sql`delete from reports`],
    ['report_files', sql`update report_files set size_bytes = 0`],
    ['report_files', sql`delete from report_files`],
    ['report_chunks', sql`update report_chunks set sealed_bytes = ''`],
    ['report_chunks', sql`delete from report_chunks`],
  ])('is final: the database refuses to change what is in %s', async (_, statement) => {
    await caseReport(reporting, ana(), input());
    const before = await stored(database);
    await expect(database.rows(statement)).rejects.toThrow();
    expect(await stored(database)).toEqual(before);
  });

  it('stores no content in plaintext', async () => {
    const report = await caseReport(reporting, ana(), input());
    const bytes = await bytesOf(foundation, report);
    const rows = await database.rows(sql<{ sealed: Uint8Array }>`
      select sealed_bytes as sealed from report_chunks`);
    for (const { sealed } of rows) expect(Buffer.from(sealed).includes(bytes.subarray(0, 40))).toBe(false);
  });
});
