import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  listActivity,
  retainedMembers,
  retainedValues,
  sweepErasures,
} from '../../../../src/domain/activity-log/index.js';
import { operatorOf, type RetentionRule } from '../../../../src/domain/access/index.js';
import { findDisclosure, findReceipt, retainedResults } from '../../../../src/domain/disclosures/index.js';
import { erasePersonalValues, sweepRetention } from '../../../../src/domain/organizations/index.js';
import { placeLegalHold } from '../../../../src/domain/organizations/retention/place-legal-hold.js';
import { readRetention } from '../../../../src/domain/organizations/retention/read-retention.js';
import { releaseLegalHold } from '../../../../src/domain/organizations/retention/release-legal-hold.js';
import { setRetention } from '../../../../src/domain/organizations/retention/set-retention.js';
import { retainedFiles } from '../../../../src/domain/reports/index.js';
import { downloadReport } from '../../../../src/domain/reports/download-report.js';
import { listReports } from '../../../../src/domain/reports/list-reports.js';
import { acrossOrganizations, sql } from '../../../../src/platform/database/index.js';
import { forFile } from '../../../kit/for-file.js';
import {
  type SeededOrganization,
  seedMember,
  seedOrganization,
  openTestFoundation,
} from '../../../kit/seed.js';
import { sequence } from '../../activity-log/kit.js';
import { setClock } from '../../cases/kit.js';
import { disclosureDesk } from '../../disclosures/kit.js';
import { logReport, reportingOf, textOf } from '../../reports/kit.js';
import {
  discloseAmount,
  endGrace,
  exportFaults,
  leave,
  textOfRows,
  timesOfDatabase,
} from './retention-kit.js';

const REASON = 'The bank asked for it.';
const YEAR_MS = 365.25 * 24 * 60 * 60_000;

const clock = setClock();
const { database, foundation } = await openTestFoundation(clock);
const desk = disclosureDesk(foundation);
const reporting = forFile(reportingOf(foundation, desk.pool));

// Old data was stored by a gateway whose clock is years slow, before the database stored its own time.
describe('retention', () => {
  let seed: SeededOrganization;

  beforeAll(async () => {
    await timesOfDatabase(database, 'drop default');
    await endGrace(database);
  });
  beforeEach(async () => {
    yearsAgo(12);
    seed = await seedOrganization(foundation);
  });

  const yearsAgo = (years: number) => clock.set(Date.now() - years * YEAR_MS);
  const owner = () => seed.owner.principal;
  /** The number of deleted objects of this organization. Data that other tests left is deleted, too. */
  const sweep = async (rule: RetentionRule) => {
    const before = await deleted(rule);
    // With the serving role, like the process.
    await acrossOrganizations(() => sweepRetention(foundation, rule).sweep(10_000));
    return (await deleted(rule)) - before;
  };
  const deleted = async ({ table }: RetentionRule) =>
    (await entriesOf('retention.applied'))
      .filter(({ object }) => object['table'] === table)
      .reduce((sum, { details }) => sum + Number(details['count']), 0);
  const hold = (input: object = {}) => placeLegalHold(foundation, owner(), { reason: REASON, ...input });
  const report = () => logReport(reporting, owner());
  const set = (kind: RetentionRule['kind'], years: number, principal = owner()) =>
    setRetention(foundation, principal, { kind, years, reason: REASON });
  const disclosure = () => discloseAmount(foundation, desk, seed);
  const formerMember = () => leave(foundation, seed);
  const entriesOf = async (eventType: string) => {
    const { nodes } = await listActivity(foundation, owner(), { eventType });
    return nodes.map(({ userId, object, details }) => ({ userId, object, details }));
  };
  const applied = async () => (await entriesOf('retention.applied')).map(({ object }) => object['table']);
  const faultsOfExport = () => exportFaults(foundation, owner());
  const storedText = (table: string) => textOfRows(database, seed.organization.id, table);

  describe('for data that must stay', () => {
    it('does not delete data that was stored recently, even if the gateway’s clock is wrong', async () => {
      await timesOfDatabase(database, 'set default now()');
      await report();
      await disclosure();
      await timesOfDatabase(database, 'drop default');
      expect([await sweep(retainedFiles), await sweep(retainedResults)]).toEqual([0, 0]);
      const { id } = seed.organization;
      await expect(
        database.rows(sql`delete from report_files where organization_id = ${id}`),
      ).rejects.toThrow(/kept for at least 5 years/);
      await expect(
        database.rows(sql`update disclosures set sealed_result = null where organization_id = ${id}`),
      ).rejects.toThrow(/kept for at least 5 years/);
      await expect(
        database.rows(sql`update disclosures set stored_at = null where organization_id = ${id}`),
      ).rejects.toThrow(/never changes/);
    });

    it('deletes nothing in the 30 days after the upgrade that introduces retention, so that holds can be placed first', async () => {
      await report();
      const upgraded = (ago: string) =>
        database.rows(sql`update mikro_orm_migrations set executed_at = now() - ${ago}::interval`);
      await upgraded('29 days');
      expect(await sweep(retainedFiles)).toBe(0);
      await upgraded('31 days');
      expect(await sweep(retainedFiles)).toBe(1);
    });

    it('deletes nothing of an organization where the deletion fails, and continues with the others', async () => {
      await report();
      const failing = seed.organization.id;
      seed = await seedOrganization(foundation);
      await report();
      const rule: RetentionRule = {
        ...retainedFiles,
        remove: (transaction, batch) =>
          batch.organizationId === failing
            ? Promise.reject(new Error('poisoned'))
            : retainedFiles.remove(transaction, batch),
      };
      await expect(sweepRetention(foundation, rule).sweep(10_000)).rejects.toThrow('for 1 organizations');
      expect(await deleted(retainedFiles)).toBe(1);
    });
  });

  describe('for data that is old enough', () => {
    it('deletes the file of a report, but not its description and digest', async () => {
      const { id, sha256 } = await report();
      expect(await sweep(retainedFiles)).toBe(1);
      const [pieces] = await database.rows(sql<{ count: number }>`
        select count(*)::integer as count from report_chunks where content_id = ${id}`);
      expect(pieces!.count).toBe(0);
      await expect(downloadReport(foundation, owner(), { id, firstByte: 0 })).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('deleted at the end of its retention'),
      });
      const { nodes } = await listReports(foundation, owner(), {});
      expect(nodes).toMatchObject([{ id, sha256, sizeBytes: null, isFileDeleted: true }]);
      expect(await entriesOf('retention.applied')).toEqual([
        {
          userId: 'gateway',
          object: { kind: 'reports', table: 'report_files' },
          details: { count: 1, before: expect.stringMatching(/^20\d\d-/), complete: true },
        },
      ]);
      expect(await faultsOfExport()).toEqual([]);
    });

    it('deletes the result of a disclosure, but not its receipt', async () => {
      const available = await disclosure();
      expect(available.status).toBe('available');
      expect(await sweep(retainedResults)).toBe(1);
      await expect(desk.result(available)).rejects.toThrow('The result was deleted.');
      const { resultDeletedAt } = await findDisclosure(foundation, seed.apiKey.principal, available.id);
      expect(resultDeletedAt!.getTime()).toBeLessThanOrEqual(Date.now());
      expect(await storedText('disclosures')).toContain(available.id);
      expect(await findReceipt(foundation, seed.apiKey.principal, available.receiptId!)).toMatchObject({
        id: available.receiptId,
      });
      expect(await applied()).toEqual(['disclosures']);
    });

    it('deletes names and addresses in the log, which still verifies', async () => {
      yearsAgo(7);
      const recent = await seedMember(foundation, seed.organization.id, {}, 'Nora Newcomer');
      yearsAgo(4);
      const newest = await seedMember(foundation, seed.organization.id, {}, 'Yann Youngest');
      await sequence(foundation);
      expect(await storedText('activity_entries')).toContain(recent.email);
      expect(await sweep(retainedValues)).toBeGreaterThan(0);
      const left = await storedText('activity_entries');
      expect(left).not.toContain(recent.email);
      expect(left).not.toContain(seed.owner.email);
      expect(left).toContain(newest.email);
      expect(await sweep(retainedValues)).toBe(0);
      expect(await faultsOfExport()).toEqual([]);
    });

    it('deletes former members, like the command that erases one', async () => {
      const { principal, email } = await formerMember();
      yearsAgo(1);
      const leftLately = await formerMember();
      expect(await sweep(retainedMembers)).toBe(1);
      expect(await sweep(retainedMembers)).toBe(0);
      await acrossOrganizations(() => sweepErasures(foundation).sweep(10_000));
      expect(await sweep(retainedMembers)).toBe(0);
      const users = await storedText('users');
      expect(users).not.toContain(email);
      expect(users).toContain(leftLately.email);
      expect(await entriesOf('member.erased')).toMatchObject([
        { userId: 'gateway', object: { user_id: principal.userId } },
      ]);
      expect(await applied()).toEqual(['users']);
    });

    it('deletes nothing younger, and nothing of other organizations', async () => {
      yearsAgo(9);
      await report();
      await disclosure();
      yearsAgo(4);
      await formerMember();
      expect([
        await sweep(retainedFiles),
        await sweep(retainedResults),
        await sweep(retainedMembers),
      ]).toEqual([0, 0, 0]);
      expect(await applied()).toEqual([]);
    });

    it('deletes no file that a younger report shares', async () => {
      const old = await report();
      await database.rows(sql`
        insert into reports (id, organization_id, report_type, format, record_count, content_id, sealed_digest, generated_by,
          generated_at, log_entry_id)
        select id || 'x', organization_id, report_type, format, record_count, content_id, sealed_digest, generated_by,
          now() - interval '9 years', log_entry_id from reports where id = ${old.id}`);
      expect(await sweep(retainedFiles)).toBe(0);
      expect(await textOf(foundation, old)).toContain('"entries"');
      await set('reports', 8);
      expect(await sweep(retainedFiles)).toBe(1);
    });

    it('deletes in batches, each with a log entry', async () => {
      await sweep(retainedFiles);
      for (let number = 0; number < 3; number += 1) await report();
      const inPairs = { ...retainedFiles, batchSize: 2 };
      expect(await sweepRetention(foundation, inPairs).sweep(1)).toBe(1);
      expect(await sweepRetention(foundation, inPairs).sweep(10)).toBe(2);
      expect((await entriesOf('retention.applied')).map(({ details }) => details['count'])).toEqual([2, 1]);
    });
  });

  describe('as configured by the organization', () => {
    it('is longer or shorter than the default, with the reason in the log', async () => {
      await report();
      expect(await set('reports', 15)).toEqual({ kind: 'reports', years: 15, isDefault: false });
      expect(await sweep(retainedFiles)).toBe(0);
      await set('reports', 11);
      expect(await sweep(retainedFiles)).toBe(1);
      const { settings } = await readRetention(foundation, owner());
      expect(settings).toEqual([
        { kind: 'reports', years: 11, isDefault: false },
        { kind: 'disclosure_results', years: 10, isDefault: true },
        { kind: 'personal_values', years: 5, isDefault: true },
      ]);
      expect(await entriesOf('retention.changed')).toMatchObject([
        { object: { kind: 'reports' }, details: { years: 11, years_before: 15, reason: REASON } },
        { object: { kind: 'reports' }, details: { years: 15, years_before: 10, reason: REASON } },
      ]);
    });

    it('writes no log entry if the years do not change', async () => {
      expect(await set('reports', 10)).toMatchObject({ years: 10, isDefault: true });
      expect(await entriesOf('retention.changed')).toEqual([]);
    });

    it.each([4, 31, 7.5])('cannot be set to %d years', async (years) => {
      await expect(set('reports', years)).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
        message: 'years must be an integer from 5 to 30.',
      });
    });

    it('is set by two owners where a second person is required', async () => {
      const second = await twoOwners();
      const proposed = { code: 'CONFLICT', reason: 'second_person_required' };
      await expect(set('reports', 20)).rejects.toMatchObject(proposed);
      await expect(set('reports', 19, second)).rejects.toMatchObject(proposed);
      expect(await set('reports', 20, second)).toMatchObject({ years: 20 });
    });
  });

  const twoOwners = async () => {
    const second = await seedMember(foundation, seed.organization.id, { owner: ['policies:manage'] });
    await database.rows(
      sql`update organizations set require_second_person = true where id = ${seed.organization.id}`,
    );
    return second.principal;
  };

  describe('under a legal hold', () => {
    it('deletes nothing that the hold covers, until the hold is released', async () => {
      await report();
      await disclosure();
      const { principal } = await formerMember();
      const { id } = await hold();
      const rules = [retainedFiles, retainedResults, retainedValues, retainedMembers];
      for (const rule of rules) expect(await sweep(rule)).toBe(0);
      for (const caller of [owner(), operatorOf(seed.organization.id)])
        await expect(erasePersonalValues(foundation, caller, principal.userId)).rejects.toMatchObject({
          code: 'CONFLICT',
          message: `The legal hold ${id} is in force: data that it covers is not deleted. An owner can release it.`,
        });
      await releaseLegalHold(foundation, owner(), { id, reason: 'The case is closed.' });
      for (const rule of rules) expect(await sweep(rule)).toBeGreaterThan(0);
      expect(await faultsOfExport()).toEqual([]);
    });

    it('is documented in the log: who placed and released the hold, why, and until when', async () => {
      const until = new Date(clock.now().getTime() + 30 * YEAR_MS);
      const { id } = await hold({ until, kinds: ['disclosure_results', 'reports'] });
      const { legalHolds } = await readRetention(foundation, owner());
      const { userId } = owner();
      expect(legalHolds).toMatchObject([
        { id, until, reason: REASON, placedBy: userId, kinds: ['reports', 'disclosure_results'] },
      ]);
      await releaseLegalHold(foundation, owner(), { id, reason: 'The case is closed.' });
      expect((await readRetention(foundation, owner())).legalHolds).toEqual([]);
      const object = { type: 'legal_hold', id };
      const kinds = ['reports', 'disclosure_results'];
      expect(await entriesOf('legal_hold.placed')).toEqual([
        { userId, object, details: { kinds, until: until.toISOString(), reason: REASON } },
      ]);
      expect(await entriesOf('legal_hold.released')).toEqual([
        { userId, object, details: { kinds, reason: 'The case is closed.' } },
      ]);
    });

    it('deletes again once the hold has expired', async () => {
      await report();
      await hold({ until: new Date(clock.now().getTime() + YEAR_MS) });
      expect(await sweep(retainedFiles)).toBe(1);
    });

    it('deletes what holds of another kind or organization do not cover', async () => {
      await report();
      await hold({ kinds: ['personal_values'] });
      const other = await seedOrganization(foundation, { name: 'Other' });
      await placeLegalHold(foundation, other.owner.principal, { reason: REASON });
      expect(await sweep(retainedFiles)).toBe(1);
      expect(await sweep(retainedValues)).toBe(0);
    });

    it('needs two owners to release the hold where a second person is required, and one to place it', async () => {
      const second = await twoOwners();
      const { id } = await hold();
      const release = (principal = owner()) =>
        releaseLegalHold(foundation, principal, { id, reason: 'The case is closed.' });
      await expect(release()).rejects.toMatchObject({ reason: 'second_person_required' });
      expect((await readRetention(foundation, owner())).legalHolds).toHaveLength(1);
      await release(second);
      expect((await readRetention(foundation, owner())).legalHolds).toEqual([]);
      await expect(release()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('accepts no hold that has expired or covers nothing', async () => {
      await expect(hold({ until: clock.now() })).rejects.toThrow('until must be in the future.');
      await expect(hold({ kinds: [] })).rejects.toThrow('kinds must name a kind, or be left out for all.');
      await expect(hold({ reason: ' ' })).rejects.toThrow('reason must be text of 1 to 2000 characters.');
    });
  });

  describe('as enforced by the database', () => {
    const run = (statement: ReturnType<typeof sql>) => database.rows(statement);
    const deleteFiles = () =>
      run(sql`delete from report_files where organization_id = ${seed.organization.id}`);
    const deleteResults = () =>
      run(sql`update disclosures set sealed_result = null where organization_id = ${seed.organization.id}`);

    it('refuses to delete a file or a result before five years', async () => {
      yearsAgo(4.9);
      await report();
      await disclosure();
      await expect(deleteFiles()).rejects.toThrow(/kept for at least 5 years/);
      await expect(deleteResults()).rejects.toThrow(/kept for at least 5 years/);
    });

    it('refuses to delete anything that a hold covers, regardless of age', async () => {
      await report();
      await disclosure();
      const { id } = await hold();
      await expect(deleteFiles()).rejects.toThrow(/while a legal hold is in force/);
      await expect(deleteResults()).rejects.toThrow(/while a legal hold is in force/);
      await expect(
        run(sql`update activity_entries set salts = '{}' where organization_id = ${seed.organization.id}`),
      ).rejects.toThrow(/A legal hold is in force/);
      await releaseLegalHold(foundation, owner(), { id, reason: 'The case is closed.' });
      await deleteFiles();
      await deleteResults();
    });

    it('refuses to change a file', async () => {
      await report();
      await expect(
        run(sql`update report_files set size_bytes = 1 where organization_id = ${seed.organization.id}`),
      ).rejects.toThrow(/never change/);
    });
  });
});
