import { describe, expect, it } from '@jest/globals';
import { operatorOf } from '../../../src/domain/access/index.js';
import { createApplication } from '../../../src/domain/organizations/index.js';
import { findReport } from '../../../src/domain/reports/find-report.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { forFile } from '../../kit/for-file.js';
import { seedMember, type SeededUser, openTestFoundation } from '../../kit/seed.js';
import { codeOf, openOffice } from '../cases/kit.js';
import { caseReport, logReport, reportingOf } from './kit.js';

const { foundation } = await openTestFoundation();
const office = await openOffice(foundation);
const reporting = forFile(reportingOf(foundation, office.pool));
const record = await office.open();
const ofCase = await caseReport(reporting, office.ana.principal, {
  ...{ foreignId: 'payments', caseId: record.id, reportType: 'transaction_detail' },
});
const ofOrganization = await logReport(reporting, office.owner.principal);

describe('one report', () => {
  const find = ({ principal }: SeededUser, id: string) => findReport(foundation, principal, id);

  it('is found by its id, as the listings show it', async () => {
    expect(await find(office.ana, ofCase.id)).toMatchObject({ id: ofCase.id, sha256: ofCase.sha256 });
    expect(await find(office.owner, ofCase.id)).toMatchObject({ id: ofCase.id, sha256: ofCase.sha256 });
    expect(await find(office.owner, ofOrganization.id)).toMatchObject({ applicationId: null });
    const lister = await seedMember(foundation, office.organization.id, {
      applications: [{ foreignId: 'payments', administrator: ['reports:list'] }],
    });
    // Who may not download the file does not learn its hash.
    expect(await find(lister, ofCase.id)).toMatchObject({ id: ofCase.id, sha256: null, sizeBytes: null });
  });

  it('does not exist for those who may not list it, like an unknown one', async () => {
    const elsewhere = await openOffice(foundation, 'elsewhere');
    await createApplication(foundation, operatorOf(office.organization.id), {
      foreignId: 'second',
      name: 'Second',
    });
    const neighbour = await seedMember(foundation, office.organization.id, {
      applications: [{ foreignId: 'second', auditor: ['reports:list'] }],
    });
    const code = (user: SeededUser, id: string) => codeOf(find(user, id));
    expect(await code(office.owner, newId('rpt'))).toBe('NOT_FOUND');
    expect(await code(office.owner, 'rpt_1')).toBe('NOT_FOUND');
    expect(await code(office.ana, ofOrganization.id)).toBe('NOT_FOUND');
    for (const stranger of [elsewhere.owner, elsewhere.ana, neighbour])
      expect(await code(stranger, ofCase.id)).toBe('NOT_FOUND');
    const nobody = await seedMember(foundation, office.organization.id);
    expect(await code(nobody, ofCase.id)).toBe('FORBIDDEN');
  });
});
