import { describe, expect, it } from '@jest/globals';
import type { CreateCaseRequestInput } from '../../../../src/domain/cases/index.js';
import {
  findCaseRequest,
  listAuditorCandidates,
  listCaseAssets,
  listCaseRequests,
} from '../../../../src/domain/cases/index.js';
import { sql } from '../../../../src/platform/database/index.js';
import { newId } from '../../../../src/platform/kernel/ids.js';
import { selectActivity } from '../../../../src/domain/activity-log/index.js';
import { seedAsset } from '../../../kit/ledger/confidential-records.js';
import { seedMember, openTestFoundation } from '../../../kit/seed.js';
import { codeOf, openOffice, setClock, type CaseOffice } from '../kit.js';

const clock = setClock();
const { database, foundation } = await openTestFoundation(clock);
const office = await openOffice(foundation);
const other = await openOffice(foundation, 'elsewhere');

describe('filing a case request', () => {
  it('stores the proposed scope, gives no access, and is logged with its reason', async () => {
    const { ana, abel, administrator, asset } = office;
    const request = await office.request(ana.principal, {
      disclosureFlags: { fullTxIds: true },
      auditorIds: [ana.principal.userId, abel.principal.userId],
    });
    expect(request).toMatchObject({
      status: 'pending',
      withdrawn: false,
      reason: 'Quarterly audit',
      requestedBy: { id: ana.principal.userId, name: 'Ana Auditor', email: ana.email },
      periodFrom: '2026-01-01',
      periodTo: '2026-03-31',
      accessDays: 30,
      disclosureFlags: { fullTxIds: true, senderInformation: false, withdrawalDetails: false },
      auditorIds: [ana.principal.userId, abel.principal.userId],
      assetIds: [asset.id],
      createdAt: clock.now(),
      decidedAt: null,
      decidedBy: null,
      decisionReason: null,
      caseId: null,
    });
    expect(await office.visible(ana.principal)).toEqual([]);
    expect(await office.visible(administrator.principal)).toEqual([]);
    const [entry] = await selectActivity(
      database,
      { organizationId: office.organization.id },
      { eventType: 'case_request.created' },
      { before: undefined, limit: 1 },
    );
    expect(entry).toMatchObject({
      user: 'Ana Auditor',
      object: { type: 'case_request', id: request.id },
      details: { reason: 'Quarterly audit', access_days: 30, disclosure_flags: { full_tx_ids: true } },
      foreignId: 'payments',
      caseId: null,
    });
    const [stored] = await database.rows(sql<{ entry: unknown }>`
      select entry from activity_entries where id = ${entry!.id}`);
    expect(JSON.stringify(stored!.entry)).not.toContain('Abel Auditor');
  });

  it('stores each auditor and asset once, even if they are repeated', async () => {
    const { ana, asset } = office;
    const id = ana.principal.userId;
    const request = await office.request(ana.principal, {
      auditorIds: [id, id],
      assetIds: [asset.id, asset.id],
    });
    expect([request.auditorIds, request.assetIds]).toEqual([[id], [asset.id]]);
  });

  it('covers the current assets of the application, and none that are added later', async () => {
    const office = await openOffice(foundation, 'growing');
    const second = await seedAsset(foundation, office.organization.id, {
      applicationId: office.application.id,
    });
    await seedAsset(foundation, office.organization.id);
    const request = await office.request();
    await seedAsset(foundation, office.organization.id, { applicationId: office.application.id });
    expect([...request.assetIds].sort()).toEqual([office.asset.id, second.id].sort());
    expect((await office.approve(request.id)).assetIds).toEqual(request.assetIds);
  });

  it.each<[string, (office: CaseOffice) => Partial<CreateCaseRequestInput>, RegExp]>([
    ['no reason', () => ({ reason: ' ' }), /^reason must be text/],
    ['a reason too long', () => ({ reason: 'x'.repeat(2001) }), /^reason must be text/],
    [
      'a time for a date',
      () => ({ periodFrom: '2026-01-01T00:00:00Z' }),
      /^periodFrom must be an ISO 8601 date/,
    ],
    ['a day that is none', () => ({ periodTo: '2026-02-30' }), /^periodTo must be an ISO 8601 date/],
    ['the year 0', () => ({ periodFrom: '0000-01-01' }), /^periodFrom must be/],
    [
      'an end before its beginning',
      () => ({ periodFrom: '2026-02-02', periodTo: '2026-02-01' }),
      /^periodFrom must not be after/,
    ],
    ['no day of access', () => ({ accessDays: 0 }), /^accessDays must be an integer from 1 to 3650/],
    ['half a day', () => ({ accessDays: 1.5 }), /^accessDays/],
    ['more than ten years', () => ({ accessDays: 3651 }), /^accessDays/],
    ['no auditor', () => ({ auditorIds: [] }), /^auditorIds must hold 1 to 100/],
    ['what is no user', () => ({ auditorIds: ['ana'] }), /^auditorIds\[0\] must be the id of a user/],
    ['an unknown user', () => ({ auditorIds: [newId('usr')] }), /^auditorIds\[0\] must be a user who holds/],
    [
      'an administrator for an auditor',
      ({ ana, administrator }) => ({
        auditorIds: [ana.principal.userId, administrator.principal.userId],
      }),
      /^auditorIds\[1\] must be a user who holds/,
    ],
    [
      'an auditor of another organization',
      () => ({ auditorIds: [other.ana.principal.userId] }),
      /^auditorIds\[0\] must be a user who holds/,
    ],
    ['no asset', () => ({ assetIds: [] }), /^assetIds must hold 1 to 1000/],
    [
      'an asset of another application',
      () => ({ assetIds: [other.asset.id] }),
      /^assetIds\[0\] must be an asset of the application/,
    ],
  ])('is refused with %s, names the member, and leaves nothing', async (_, input, message) => {
    const count = () => database.rows(sql`select count(*) as n from case_requests`);
    const before = await count();
    await expect(office.request(undefined, input(office))).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringMatching(message),
    });
    expect(await count()).toEqual(before);
  });

  it('requires cases:create of the application; everyone else gets the same refusal', async () => {
    const limited = await seedMember(foundation, office.organization.id, {
      applications: [{ foreignId: 'payments', auditor: ['reports:view_transactions'] }],
    });
    for (const principal of [office.administrator, limited, office.owner, other.ana])
      expect(await codeOf(office.request(principal.principal))).toBe('FORBIDDEN');
    expect(await codeOf(office.request(office.apiKey.principal))).toBe('FORBIDDEN');
  });

  it('proposes the current holders of an auditor permission, page by page', async () => {
    const { ana, abel } = office;
    const limited = await seedMember(foundation, office.organization.id, {
      applications: [{ foreignId: 'payments', auditor: ['reports:list'] }],
    });
    const input = { foreignId: 'payments', first: 2 };
    const first = await listAuditorCandidates(foundation, ana.principal, input);
    const rest = await listAuditorCandidates(foundation, ana.principal, {
      ...input,
      first: 200,
      after: first.pageInfo.endCursor,
    });
    const ids = [...first.nodes, ...rest.nodes].map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining([ana, abel, limited].map(({ principal }) => principal.userId)),
    );
    expect(ids).not.toContain(office.administrator.principal.userId);
    expect(ids).not.toContain(other.ana.principal.userId);
    // An administrator, who may add auditors to a case, can also look them up.
    const known = await listAuditorCandidates(foundation, office.administrator.principal, {
      ...input,
      first: 200,
    });
    expect(known.nodes.map(({ id }) => id)).toEqual(ids);
    expect(await codeOf(listAuditorCandidates(foundation, office.owner.principal, input))).toBe('FORBIDDEN');
  });

  it('may name assets of the application, which auditors and administrators can look up', async () => {
    const office = await openOffice(foundation, 'stocked');
    const second = await seedAsset(foundation, office.organization.id, {
      applicationId: office.application.id,
    });
    await seedAsset(foundation, office.organization.id);
    for (const { principal } of [office.ana, office.administrator]) {
      const listed = async (after?: string | null) =>
        listCaseAssets(foundation, principal, { foreignId: 'stocked', first: 1, after });
      const first = await listed();
      const rest = await listed(first.pageInfo.endCursor);
      expect([...first.nodes, ...rest.nodes]).toEqual(
        [office.asset, second]
          .toSorted((one, other) => (one.id < other.id ? -1 : 1))
          .map(({ id, mintAddress }) => ({
            ...{ id, name: 'Private Dollar', symbol: 'PUSD', decimals: 6, mintAddress },
          })),
      );
      expect(rest.pageInfo.hasNextPage).toBe(false);
    }
    expect(await codeOf(listCaseAssets(foundation, office.owner.principal, { foreignId: 'stocked' }))).toBe(
      'FORBIDDEN',
    );
  });

  it('is visible to its requester and to deciders, and to no one else', async () => {
    const request = await office.request();
    const see = (user: { principal: CaseOffice['ana']['principal'] }) =>
      codeOf(findCaseRequest(foundation, user.principal, { foreignId: 'payments', id: request.id }));
    expect(await see(office.ana)).toBe('DONE');
    expect(await see(office.administrator)).toBe('DONE');
    expect(await see(office.abel)).toBe('NOT_FOUND');
    expect(await see(office.owner)).toBe('FORBIDDEN');
    expect(await see(other.administrator)).toBe('FORBIDDEN');
    // Without the application, a request of any is found.
    const search = (user: { principal: CaseOffice['ana']['principal'] }) =>
      codeOf(findCaseRequest(foundation, user.principal, { id: request.id }));
    expect(await search(office.ana)).toBe('DONE');
    expect(await search(office.administrator)).toBe('DONE');
    expect(await search(office.abel)).toBe('NOT_FOUND');
    expect(await search(office.owner)).toBe('FORBIDDEN');
    expect(await search(other.administrator)).toBe('NOT_FOUND');
    const listed = async (user: CaseOffice['ana'], status?: string) =>
      (await listCaseRequests(foundation, user.principal, { foreignId: 'payments', status })).nodes;
    expect((await listed(office.ana)).map(({ id }) => id)).toContain(request.id);
    expect(await listed(office.abel)).toEqual([]);
    expect((await listed(office.administrator, 'pending')).map(({ id }) => id)).toContain(request.id);
    expect(await listed(office.administrator, 'closed')).toEqual([]);
  });
});
