import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { retainedMembers } from '../../../../src/domain/activity-log/index.js';
import type { RetentionRule } from '../../../../src/domain/access/index.js';
import { retainedResults } from '../../../../src/domain/disclosures/index.js';
import { erasePersonalValues, sweepRetention } from '../../../../src/domain/organizations/index.js';
import { placeLegalHold } from '../../../../src/domain/organizations/retention/place-legal-hold.js';
import { releaseLegalHold } from '../../../../src/domain/organizations/retention/release-legal-hold.js';
import { retainedFiles } from '../../../../src/domain/reports/index.js';
import { acrossOrganizations, type Foundation, sql } from '../../../../src/platform/database/index.js';
import { forFile } from '../../../kit/for-file.js';
import { overtakenBy } from '../../../kit/database/overtaken.js';
import {
  openTestFoundation,
  seedMember,
  type SeededOrganization,
  seedOrganization,
} from '../../../kit/seed.js';
import { sequence } from '../../activity-log/kit.js';
import { setClock } from '../../cases/kit.js';
import { disclosureDesk } from '../../disclosures/kit.js';
import { logReport, reportingOf } from '../../reports/kit.js';
import { discloseAmount, endGrace, leave, timesOfDatabase } from './retention-kit.js';

const REASON = 'The bank asked for it.';
const TWELVE_YEARS_MS = 12 * 365.25 * 24 * 60 * 60_000;

const clock = setClock();
const { database, foundation } = await openTestFoundation(clock);
const desk = disclosureDesk(foundation);
const reporting = forFile(reportingOf(foundation, desk.pool));

describe('a legal hold', () => {
  let seed: SeededOrganization;

  beforeAll(async () => {
    await timesOfDatabase(database, 'drop default');
    await endGrace(database);
  });
  beforeEach(async () => {
    clock.set(Date.now() - TWELVE_YEARS_MS);
    seed = await seedOrganization(foundation);
  });

  const hold = (input: object = {}, principal = seed.owner.principal) =>
    placeLegalHold(foundation, principal, { reason: REASON, ...input });

  it('can be placed by each owner, regardless of how many another owner has placed', async () => {
    await Promise.all(Array.from({ length: 100 }, () => hold({ kinds: ['reports'] })));
    await expect(hold({ kinds: ['personal_values'] })).rejects.toMatchObject({ code: 'CONFLICT' });
    const other = await seedMember(foundation, seed.organization.id, { owner: ['policies:manage'] });
    const placed = await hold({ kinds: ['personal_values'] }, other.principal);
    expect(placed.placedBy).toBe(other.principal.userId);
  });

  it.each<[string, RetentionRule]>([
    ['files of reports', retainedFiles],
    ['results of disclosures', retainedResults],
    ['former members', retainedMembers],
  ])(
    'that is placed after a sweep found %s that are due, and before it deletes them, keeps them',
    async (_, rule) => {
      const sweep = (parts: Foundation) =>
        acrossOrganizations(() => sweepRetention(parts, rule).sweep(10_000));
      // What other tests left.
      await sweep(foundation);
      await logReport(reporting, seed.owner.principal);
      await discloseAmount(foundation, desk, seed);
      await leave(foundation, seed);
      await sequence(foundation);
      let held: Awaited<ReturnType<typeof hold>> | undefined;
      const late = overtakenBy(foundation, async () => {
        held = await hold();
      });
      expect(await sweep(late)).toBe(0);
      expect(held).toBeDefined();
      await releaseLegalHold(foundation, seed.owner.principal, {
        id: held!.id,
        reason: 'The case is closed.',
      });
      expect(await sweep(foundation)).toBeGreaterThan(0);
    },
  );

  it('that is placed between the proposal of an erasure and its confirmation prevents the erasure', async () => {
    const { principal } = await leave(foundation, seed);
    const second = await seedMember(foundation, seed.organization.id, {
      owner: ['members:manage', 'policies:manage'],
    });
    await database.rows(
      sql`update organizations set require_second_person = true where id = ${seed.organization.id}`,
    );
    const erase = (by = seed.owner.principal, parts = foundation) =>
      erasePersonalValues(parts, by, principal.userId);
    await expect(erase()).rejects.toMatchObject({ reason: 'second_person_required' });
    const { id } = await hold();
    const refusal = { code: 'CONFLICT', message: expect.stringContaining(id) };
    await expect(erase(second.principal)).rejects.toMatchObject(refusal);
    const [user] = await database.rows(sql<{ name: string }>`
      select name from users where id = ${principal.userId}`);
    expect(user).toEqual({ name: 'Lea Leaver' });
  });
});
