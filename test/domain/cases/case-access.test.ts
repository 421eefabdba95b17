import { beforeEach, describe, expect, it } from '@jest/globals';
import { type CaseRecord, findCase, listCases, requireCaseAccess } from '../../../src/domain/cases/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { operatorOf, PERMISSIONS, type UserPrincipal } from '../../../src/domain/access/index.js';
import { setPermissions } from '../../../src/domain/organizations/index.js';
import { seedMember, openTestFoundation } from '../../kit/seed.js';
import { codeOf, DAY, openOffice, setClock } from './kit.js';

const clock = setClock();
const { foundation } = await openTestFoundation(clock);
const office = await openOffice(foundation);

describe('access to a case', () => {
  let opened: CaseRecord;

  beforeEach(async () => {
    opened = await office.open();
  });

  const access = (principal: UserPrincipal, caseId: string = opened.id, foreignId = 'payments') =>
    codeOf(requireCaseAccess(foundation, principal, { foreignId, caseId }, 'reports:view_transactions'));
  const seen = (principal: UserPrincipal) => codeOf(office.find(opened.id, principal));

  it('is given to the assigned auditor, up to the last millisecond of the window', async () => {
    const { ana } = office;
    clock.set(opened.expiresAt.getTime() - 1);
    expect([await access(ana.principal), await seen(ana.principal)]).toEqual(['DONE', 'DONE']);
    expect(await office.visible(ana.principal)).toContain(opened.id);
    expect(await office.find(opened.id, ana.principal)).toMatchObject({ status: 'active', secondsLeft: 1 });
    clock.set(opened.expiresAt);
    expect([await access(ana.principal), await seen(ana.principal)]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect(await office.visible(ana.principal)).not.toContain(opened.id);
  });

  it('is denied to unassigned auditors, for whom the case does not exist', async () => {
    const { abel } = office;
    expect([await access(abel.principal), await seen(abel.principal)]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect(await access(abel.principal, newId('cas'))).toBe('NOT_FOUND');
    expect(await access(abel.principal, 'cas_1')).toBe('NOT_FOUND');
  });

  it('is given to administrators with either permission, also after the window, but not to its transactions', async () => {
    const lister = await seedMember(foundation, office.organization.id, {
      applications: [{ foreignId: 'payments', administrator: ['cases:list'] }],
    });
    clock.advance(31 * DAY);
    for (const { principal } of [office.administrator, lister]) {
      expect(await office.find(opened.id, principal)).toMatchObject({ status: 'expired', secondsLeft: 0 });
      expect(await access(principal)).toBe('FORBIDDEN');
      const listed = async (status: string) =>
        (await listCases(foundation, principal, { foreignId: 'payments', status })).nodes.map(({ id }) => id);
      expect(await listed('expired')).toContain(opened.id);
      expect(await listed('active')).not.toContain(opened.id);
    }
  });

  it('is given to members with both roles for all cases, but to transactions only if assigned', async () => {
    const both = await seedMember(foundation, office.organization.id, {
      applications: [{ foreignId: 'payments', administrator: ['cases:list'], auditor: PERMISSIONS.auditor }],
    });
    expect(await seen(both.principal)).toBe('DONE');
    expect(await access(both.principal)).toBe('NOT_FOUND');
    const own = await office.open({ auditorIds: [both.principal.userId] });
    expect(await access(both.principal, own.id)).toBe('DONE');
  });

  it('is denied to members of other applications and organizations, with the same response', async () => {
    const other = await openOffice(foundation, 'elsewhere');
    expect(await access(other.ana.principal)).toBe('FORBIDDEN');
    expect(await access(office.ana.principal, opened.id, 'elsewhere')).toBe('FORBIDDEN');
    expect(await access(office.ana.principal, opened.id, 'nowhere')).toBe('FORBIDDEN');
    // The auditor of the other application names the case with the application that the auditor may act for.
    expect(await access(other.ana.principal, opened.id, 'elsewhere')).toBe('NOT_FOUND');
    expect(await access(office.owner.principal)).toBe('FORBIDDEN');
    // The same if the application is not named.
    const search = (principal: UserPrincipal) => codeOf(findCase(foundation, principal, { id: opened.id }));
    expect(await search(office.ana.principal)).toBe('DONE');
    expect(await search(office.administrator.principal)).toBe('DONE');
    expect(await search(office.abel.principal)).toBe('NOT_FOUND');
    expect(await search(other.ana.principal)).toBe('NOT_FOUND');
    expect(await search(office.owner.principal)).toBe('FORBIDDEN');
  });

  it('is denied to an auditor whose permission ended while amounts were decrypted', async () => {
    const auditor = await seedMember(foundation, office.organization.id, {
      applications: [{ foreignId: 'payments', auditor: PERMISSIONS.auditor }],
    });
    const own = await office.open({ auditorIds: [auditor.principal.userId] });
    expect(await codeOf(office.transactions(own.id, {}, auditor.principal))).toBe('DONE');
    await setPermissions(foundation, operatorOf(office.organization.id), {
      memberId: auditor.principal.userId,
      permissions: { owner: [], applications: [{ foreignId: 'payments', auditor: ['reports:list'] }] },
    });
    // The principal of the request still has it, because the request began earlier.
    expect(await codeOf(office.transactions(own.id, {}, auditor.principal))).toBe('NOT_FOUND');
  });

  it('lists each case once, page by page, newest first', async () => {
    const all = await office.visible(office.administrator.principal);
    const paged: string[] = [];
    for (let after: string | null = null, more = true; more;) {
      const page = await listCases(foundation, office.administrator.principal, {
        foreignId: 'payments',
        first: 2,
        after,
      });
      paged.push(...page.nodes.map(({ id }) => id));
      after = page.pageInfo.endCursor;
      more = page.pageInfo.hasNextPage;
    }
    expect(paged).toEqual(all);
    expect(new Set(paged).size).toBe(paged.length);
  });
});
