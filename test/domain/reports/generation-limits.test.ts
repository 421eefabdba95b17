import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { UserPrincipal } from '../../../src/domain/access/index.js';
import { generateCaseReport } from '../../../src/domain/reports/generation/generate-case-report.js';
import { generateLogReport } from '../../../src/domain/reports/generation/generate-log-report.js';
import {
  MAX_ORGANIZATION_GENERATIONS,
  MAX_PERSON_GENERATIONS,
} from '../../../src/domain/reports/generation/generation-rows.js';
import {
  MAX_WORKING_GENERATIONS,
  type ReportPlan,
} from '../../../src/domain/reports/generation/report-maker.js';
import type { Reporting } from '../../../src/domain/reports/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { atLeast, eventually } from '../../kit/eventually.js';
import { seedMember, seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { codeOf, openOffice } from '../cases/kit.js';
import { reportingOf, seedEachType } from './kit.js';

const { foundation } = await openTestFoundation();
const office = await openOffice(foundation);

describe('the number of reports that are generated at a time', () => {
  let reporting: Reporting;
  let caseId: string;
  beforeAll(async () => {
    reporting = reportingOf(foundation, office.pool);
    await seedEachType(foundation, office);
    const auditorIds = [ana().userId, office.abel.principal.userId];
    caseId = (await office.open({ auditorIds })).id;
  });
  afterAll(async () => reporting[Symbol.asyncDispose]());

  const input = () => ({ foreignId: 'payments', caseId, reportType: 'transaction_detail' });
  const ana = () => office.ana.principal;

  /** Decryptions wait until they are released. */
  function holdUp() {
    const held = Promise.withResolvers<undefined>();
    office.pool.before = () => held.promise;
    return () => {
      office.pool.before = () => undefined;
      held.resolve(undefined);
    };
  }

  it('is limited per person, so that another auditor still gets a place, and per organization', async () => {
    const release = holdUp();
    const begin = (by: UserPrincipal) => generateCaseReport(reporting, by, input());
    const refused = (message: string) => ({
      ...{ code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 10, message: expect.stringContaining(message) },
    });
    const begun = [];
    for (const auditor of [ana(), office.abel.principal]) {
      for (let count = 0; count < MAX_PERSON_GENERATIONS; count += 1) begun.push(await begin(auditor));
      await expect(begin(auditor)).rejects.toMatchObject(refused('You already have 2 reports in progress'));
    }
    const third = generateLogReport(reporting, office.owner.principal, {});
    await expect(third).rejects.toMatchObject(refused('Your organization already has 4 reports in progress'));
    release();
    await Promise.all(begun.map(({ id }) => reporting.maker.made(id)));
    expect(await codeOf(generateCaseReport(reporting, ana(), input()))).toBe('DONE');
  });

  it('has a place for every organization, even if two others fill all places', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<never>();
    const beginFor = async (name: string) => {
      const { organization, owner } = await seedOrganization(foundation, { name });
      const colleague = await seedMember(foundation, organization.id, {});
      return (person = 0) =>
        reporting.maker.begin({
          user: [owner, colleague][person]!.principal,
          application: undefined,
          reportType: 'activity_log',
          format: 'csv',
          scope: { caseId: null, periodFrom: null, periodTo: null, disclosureFlags: null, assetIds: null },
          requireRight: () => Promise.resolve(),
          capture: () => held,
        });
    };
    const [first, second, third] = [
      await beginFor('First'),
      await beginFor('Second'),
      await beginFor('Third'),
    ];
    for (const begin of [first, second])
      for (let count = 0; count < MAX_ORGANIZATION_GENERATIONS; count += 1) await begin(count % 2);
    expect(await codeOf(third())).toBe('DONE');
    expect(await codeOf(third())).toBe('UNAVAILABLE');
    release(Promise.reject(new Error('The test has ended.')));
    await reporting[Symbol.asyncDispose]();
    reporting = reportingOf(foundation, office.pool);
  });

  it('is limited per instance, where the reports of further organizations wait in order', async () => {
    const working: (() => void)[] = [];
    const begun = [];
    for (let count = 0; count <= MAX_WORKING_GENERATIONS; count += 1) {
      const { owner } = await seedOrganization(foundation, { name: `Waits ${count}` });
      const plan: ReportPlan = {
        ...{ user: owner.principal, application: undefined, reportType: 'activity_log', format: 'csv' },
        scope: { caseId: null, periodFrom: null, periodTo: null, disclosureFlags: null, assetIds: null },
        requireRight: () => Promise.resolve(),
        capture: () =>
          new Promise((_, reject) => void working.push(() => reject(new Error(`Ended ${count}`)))),
      };
      begun.push(await reporting.maker.begin(plan));
    }
    await eventually(() => working.length, atLeast(MAX_WORKING_GENERATIONS));
    // The last one has begun, and nothing else keeps it from working.
    await foundation.database.rows(sql`select`);
    expect(working).toHaveLength(MAX_WORKING_GENERATIONS);
    working[0]!();
    await eventually(() => working.length, atLeast(MAX_WORKING_GENERATIONS + 1));
    for (const end of working) end();
    await expect(reporting.maker.made(begun.at(-1)!)).rejects.toThrow(`Ended ${MAX_WORKING_GENERATIONS}`);
    await reporting[Symbol.asyncDispose]();
    reporting = reportingOf(foundation, office.pool);
  });

  it('keeps its limit when many begin concurrently', async () => {
    const release = holdUp();
    const two = reportingOf(foundation, office.pool);
    const codes = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        codeOf(generateCaseReport(index % 2 ? two : reporting, ana(), input())),
      ),
    );
    expect(codes.filter((code) => code === 'DONE').length).toBeLessThanOrEqual(MAX_PERSON_GENERATIONS);
    expect(new Set(codes)).toEqual(new Set(['DONE', 'TOO_MANY_REQUESTS']));
    release();
    await two[Symbol.asyncDispose]();
    await reporting[Symbol.asyncDispose]();
    reporting = reportingOf(foundation, office.pool);
  });
});
