import { expect, it } from '@jest/globals';
import { sweepRetention } from '../../../src/domain/organizations/index.js';
import { readReportBytes, retainedFiles } from '../../../src/domain/reports/index.js';
import { acrossOrganizations, type Database, sql } from '../../../src/platform/database/index.js';
import { textOf } from '../../../src/platform/database/statement.js';
import { forFile } from '../../kit/for-file.js';
import { seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { setClock } from '../cases/kit.js';
import { disclosureDesk } from '../disclosures/kit.js';
import { logReport, reportingOf } from './kit.js';

const TWELVE_YEARS_MS = 12 * 365.25 * 24 * 60 * 60_000;

const clock = setClock();
clock.set(Date.now() - TWELVE_YEARS_MS);
const { database, foundation } = await openTestFoundation(clock);
// Old data was stored before the database stored its own time.
await database.rows(sql`alter table report_files alter column stored_at drop default`);
await database.rows(sql`update mikro_orm_migrations set executed_at = now() - interval '31 days'`);
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
