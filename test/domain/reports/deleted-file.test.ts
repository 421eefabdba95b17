import { expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { sweepRetention } from '../../../src/domain/organizations/index.js';
import { placeLegalHold } from '../../../src/domain/organizations/retention/place-legal-hold.js';
import { releaseLegalHold } from '../../../src/domain/organizations/retention/release-legal-hold.js';
import { readReportBytes, retainedFiles } from '../../../src/domain/reports/index.js';
import { acrossOrganizations, type Database } from '../../../src/platform/database/index.js';
import { textOf } from '../../../src/platform/database/statement.js';
import { forFile } from '../../kit/for-file.js';
import { seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { setClock } from '../cases/kit.js';
import { disclosureDesk } from '../disclosures/kit.js';
import { endGrace, timesOfDatabase } from '../organizations/retention/retention-kit.js';
import { logReport, reportingOf } from './kit.js';

const TWELVE_YEARS_MS = 12 * 365.25 * 24 * 60 * 60_000;

const clock = setClock();
clock.set(Date.now() - TWELVE_YEARS_MS);
const { database, foundation } = await openTestFoundation(clock);
await timesOfDatabase(database, 'drop default');
await endGrace(database);
const reporting = forFile(reportingOf(foundation, disclosureDesk(foundation).pool));
const seed = await seedOrganization(foundation);

it.each(['reports', 'report_chunks'])(
  'a reader who began to download a file learns that it was deleted meanwhile: before %s are read',
  async (table) => {
    const { id, sizeBytes: end } = await logReport(reporting, seed.owner.principal);
    let deleted = 0;
    const raced: Database = {
      ...database,
      async rows(statement) {
        if (textOf(statement).text.includes(`from "${table}"`))
          deleted += await acrossOrganizations(() => sweepRetention(foundation, retainedFiles).sweep(10));
        return database.rows(statement);
      },
    };
    const gateway = { ...foundation, database: raced };
    const pieces = readReportBytes(gateway, seed.organization.id, id, { start: 0, end });
    await expect(pieces.next()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('deleted at the end of its retention'),
    });
    expect(deleted).toBe(1);
  },
);

it('a file on which a hold is placed during a download is downloaded whole, although it is old enough to be deleted', async () => {
  const { owner, organization } = seed;
  const { id, sizeBytes: end, sha256 } = await logReport(reporting, owner.principal);
  const sweep = () => acrossOrganizations(() => sweepRetention(foundation, retainedFiles).sweep(10));
  const pieces = readReportBytes(foundation, organization.id, id, { start: 0, end });
  const hold = await placeLegalHold(foundation, owner.principal, { reason: 'An investigation' });
  const hash = createHash('sha256');
  expect(await sweep()).toBe(0);
  for await (const piece of pieces) {
    hash.update(piece);
    expect(await sweep()).toBe(0);
  }
  expect(hash.digest('hex')).toBe(sha256);
  await releaseLegalHold(foundation, owner.principal, { id: hold.id, reason: 'It ended' });
  expect(await sweep()).toBe(1);
});
