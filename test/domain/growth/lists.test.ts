import { describe, expect, it } from '@jest/globals';
import { createApplicationOf } from '../../../src/domain/access/index.js';
import { auditorKeyCoverage } from '../../../src/domain/assets/auditor-keys/auditor-key-coverage.js';
import { listAssets } from '../../../src/domain/assets/find-asset.js';
import { selectCases } from '../../../src/domain/cases/case.js';
import { listCases } from '../../../src/domain/cases/find-case.js';
import { followCaseTransactions } from '../../../src/domain/cases/records/follow-case-transactions.js';
import { selectCaseRequests } from '../../../src/domain/cases/requests/case-request.js';
import { listAuditorCandidates } from '../../../src/domain/cases/requests/list-auditor-candidates.js';
import { listCaseAssets } from '../../../src/domain/cases/requests/list-case-assets.js';
import { listAddresses } from '../../../src/domain/checks/addresses/list-addresses.js';
import { type Disclosure, selectDisclosures } from '../../../src/domain/disclosures/disclosure.js';
import { listChosenRecords } from '../../../src/domain/disclosures/reading/list-chosen-records.js';
import { listDisclosurePolicies } from '../../../src/domain/disclosures/policies/list-disclosure-policies.js';
import { listApplications } from '../../../src/domain/organizations/applications/list-applications.js';
import { listInvitations } from '../../../src/domain/organizations/invitations/list-invitations.js';
import { listApiKeys } from '../../../src/domain/organizations/keys/list-api-keys.js';
import { listPendingGrants } from '../../../src/domain/organizations/members/confirm-permission-grant.js';
import { listMembers } from '../../../src/domain/organizations/members/list-members.js';
import { listSessions } from '../../../src/domain/organizations/sessions/list-sessions.js';
import { listRelays } from '../../../src/domain/relays/status/list-relays.js';
import { findPendingWork } from '../../../src/domain/pending-work/pending-work.js';
import { listReports, type ListReportsInput } from '../../../src/domain/reports/list-reports.js';
import { transactionsTopic } from '../../../src/domain/transactions/index.js';
import { sql } from '../../../src/platform/database/index.js';
import type { CaseRequestStatus } from '../../../src/domain/cases/requests/case-request-state.js';
import type { JsonValue } from '../../../src/platform/kernel/encoding/json.js';
import type { Id } from '../../../src/platform/kernel/ids.js';
import { cursorsFor } from '../../../src/platform/kernel/paging/paging.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { forFile } from '../../kit/for-file.js';
import { grow, ROWS } from '../../kit/growth/grown.js';
import { growLists } from '../../kit/growth/grown-lists.js';
import { measuredReads } from '../../kit/growth/read-costs.js';
import { testFoundation } from '../../kit/seed.js';
import { atEachPlace, flatOn, LIMIT } from './flat.js';

const real = await createTestDatabase();
const grown = await growLists(testFoundation(real), await grow(testFoundation(real)));
const database = forFile(measuredReads(real));
const foundation = testFoundation(database);
const expectFlat = flatOn(database);

const organizationId = grown.acme.organization.id;
const applicationId = grown.acme.application.id;
const owner = grown.acme.owner.principal;
const administrator = grown.administrator.principal;
const auditor = grown.auditor.principal;

const padded = <P extends string>(prefix: P, number: number) =>
  `${prefix}_${String(number).padStart(26, '0')}` as Id & `${P}_${string}`;

/** A cursor after `place` rows of a listing that is oldest first, or newest first with `-`. No cursor for the first page. */
function cursorAt(
  listing: string,
  scope: JsonValue,
  row: `${'' | '-'}${string}`,
  place: number,
): string | null {
  if (place === 0) return null;
  const prefix = row.replace('-', '');
  return cursorsFor(listing, scope).encode(padded(prefix, row === prefix ? place : ROWS - place));
}

describe('the cost of a page among 20,000 rows that people made', () => {
  it('does not grow with the cases, for any reader and status', async () => {
    const statuses = { 'any status': null, 'a rare status': 'active', 'a common status': 'expired' };
    const places = [
      [null, null],
      [grown.acme.application.foreignId, applicationId],
    ] as const;
    for (const [foreignId, application] of places)
      for (const principal of [administrator, auditor])
        await expectFlat(
          atEachPlace(statuses, (status, place) => {
            const after = cursorAt('cases', { application, status }, '-cas', place);
            return listCases(foundation, principal, { foreignId, status, after });
          }),
        );
    const changes = {
      'all changes': 'all' as const,
      'changes of assigned cases': { auditorId: auditor.userId },
    };
    await expectFlat(
      atEachPlace(changes, (visible, place) =>
        selectCases(database, {
          ...{ organizationId, applications: [{ applicationId, visible }] },
          ...{ at: new Date(), afterChange: place, limit: 1 },
        }),
      ),
    );
  });

  it('does not grow with the case requests, for those who filed some', async () => {
    interface Filters {
      readonly status?: CaseRequestStatus;
      readonly oldestFirst?: boolean;
    }
    const filters: Record<string, Filters> = {
      'any status': {},
      'a rare status': { status: 'pending' },
      'oldest first': { oldestFirst: true },
      'a common status, oldest first': { status: 'closed', oldestFirst: true },
    };
    for (const visible of ['all', { requestedBy: auditor.userId }] as const) {
      const applications = [{ applicationId, visible }];
      await expectFlat(
        atEachPlace(filters, (filter: Filters, place) =>
          selectCaseRequests(database, {
            ...{ organizationId, applications, ...filter, limit: LIMIT },
            afterId: place === 0 ? undefined : padded('crq', filter.oldestFirst ? place : ROWS - place),
          }),
        ),
      );
      await expectFlat(
        atEachPlace({ 'a subscription': {} }, (_, place) =>
          selectCaseRequests(database, { organizationId, applications, afterChange: place, limit: 1 }),
        ),
      );
    }
  });

  it('does not grow with the records of a case whose number is followed, after the first count', async () => {
    const { assetId } = grown;
    const input = { foreignId: grown.acme.application.foreignId, id: padded('cas', 1) };
    const stream = await followCaseTransactions(foundation, auditor, input, { pollMs: 2 ** 30 });
    expect((await stream.next()).value).toEqual({ totalCount: ROWS });
    const next = stream.next();
    database.costs.length = 0;
    await real.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
        source_account, destination_account, public_data, ciphertexts, indexed_at)
      select 'txn_' || lpad((position + 1)::text, 26, '0'), asset_id, position + 1, reverse(signature), path,
        'confidential_transfer', slot + 1, block_time + 1, signer, source_account, destination_account, public_data,
        ciphertexts, indexed_at
      from transactions where asset_id = ${assetId} and position = ${ROWS}`);
    foundation.signals.publish(transactionsTopic(assetId));
    expect((await next).value).toEqual({ totalCount: ROWS + 1 });
    expect(database.costs.reduce((sum, { buffers }) => sum + buffers, 0)).toBeLessThan(100);
    await stream.return();
  });

  it('does not grow with the records that a disclosure names', async () => {
    const transactionIds = Array.from({ length: ROWS / 2 }, (_, index) => padded('txn', index + 1));
    const id = padded('dsc', 1);
    const disclosure = {
      ...{ id, organizationId, assetId: grown.assetId },
      scope: { transactionIds, fields: ['amount'] },
    } as unknown as Disclosure;
    const cursors = cursorsFor('chosenRecords', { disclosureId: id });
    await expectFlat(
      Object.fromEntries(
        [0, ROWS / 4, ROWS / 2 - 10].map((place) => [
          `after ${place}`,
          () => {
            const after = place === 0 ? null : cursors.encode(place);
            return listChosenRecords(foundation, owner, disclosure, { after });
          },
        ]),
      ),
    );
  });

  it('does not grow with reports, for any filter', async () => {
    const filters = {
      'no filter': {},
      'a rare type': { reportType: 'activity_log' },
      'an absent type': { reportType: 'transaction_summary' },
      'a case with ten': { caseId: padded('cas', 1) },
      'a case without any': { caseId: padded('cas', 5) },
    };
    const all: Record<string, ListReportsInput> = { ...filters };
    for (const [name, filter] of Object.entries(filters))
      for (const foreignId of ['payments', 'quiet'])
        all[`${name} of ${foreignId}`] = { ...filter, foreignId };
    await expectFlat(
      atEachPlace(all, (filter, place) => {
        const { foreignId, reportType = null, caseId = null } = filter;
        const named = { payments: applicationId, quiet: grown.quietApplication }[foreignId ?? ''] ?? null;
        const scope = { organizationId, applicationId: named, reportType, caseId };
        const cursors = cursorsFor('reports', scope, foundation.sealer);
        return listReports(foundation, administrator, {
          ...filter,
          after: place === 0 ? null : cursors.encode(ROWS - place),
        });
      }),
    );
  });

  it('does not grow with relays, disclosures and addresses, for filters together', async () => {
    const relays = {
      'an absent status of an application': { foreignId: 'payments', status: 'queued' },
      'an absent status of a pool': { poolSelector: 'main', status: 'queued' },
      'an absent pool of an application': { foreignId: 'payments', poolSelector: 'none' },
      'a rare pool of a status': { poolSelector: 'rare', status: 'succeeded' },
    };
    const disclosures = {
      'disclosures of an application': { applicationIds: [applicationId] },
      'a rare status of an application': { applicationIds: [applicationId], status: 'pending' as const },
      'a rare status of an asset': { assetId: grown.assetId, status: 'pending' as const },
      'an absent status of an asset': { assetId: grown.assetId, status: 'available' as const },
      'a common status, oldest first': { status: 'rejected' as const, oldestFirst: true },
    };
    const addresses = {
      'a common prefix': { search: 'A' },
      'a rare prefix': { search: 'Rare' },
      'a rare status of a prefix': { search: 'A', status: 'revoked' },
    };
    const reads = [
      ...Object.entries(relays).map(([name, filter]) => [name, () => listRelays(foundation, owner, filter)]),
      ...Object.entries(disclosures).map(([name, filter]) => [
        name,
        () => selectDisclosures(database, { organizationId, ...filter, limit: LIMIT }),
      ]),
      ...Object.entries(addresses).map(([name, filter]) => [
        name,
        () => listAddresses(foundation, owner, { foreignId: 'payments', ...filter }),
      ]),
    ];
    await expectFlat(Object.fromEntries(reads) as Record<string, () => Promise<unknown>>);
  });

  it('does not grow with assets, auditor keys of a mint, and what an organization set up', async () => {
    const { quietApplication, restlessAssetId } = grown;
    const coverage = (place: number) =>
      cursorsFor('auditorKeyCoverage', { assetId: restlessAssetId }).encode(`${place}/1`);
    const lists: Record<string, (place: number) => Promise<unknown>> = {
      assets: (place) => listAssets(foundation, owner, { after: assetAfter(organizationId, place) }),
      'assets of an application with twenty': (place) =>
        listAssets(foundation, owner, { after: assetAfter(quietApplication, place) }, quietApplication),
      'auditor keys of a mint': (place) =>
        auditorKeyCoverage(foundation, owner, restlessAssetId, {
          after: place === 0 ? null : coverage(place),
        }),
      'assets of cases': (place) =>
        listCaseAssets(foundation, administrator, {
          ...{ foreignId: 'quiet', after: cursorAt('caseAssets', quietApplication, 'ast', place) },
        }),
      'auditors of cases': (place) =>
        listAuditorCandidates(foundation, administrator, {
          ...{ foreignId: 'payments', after: cursorAt('auditorCandidates', applicationId, 'usr', place) },
        }),
      policies: (place) =>
        listDisclosurePolicies(foundation, owner, {
          after: cursorAt('disclosurePolicies', organizationId, '-dpl', place),
        }),
      applications: (place) => {
        const cursor = cursorsFor('applications', organizationId).encode(
          `desk-${String(place).padStart(5, '0')}`,
        );
        return listApplications(foundation, owner, { after: place === 0 ? null : cursor });
      },
      invitations: (place) =>
        listInvitations(foundation, owner, { after: cursorAt('invitations', organizationId, '-inv', place) }),
      'API keys': (place) =>
        listApiKeys(foundation, owner, { after: cursorAt('api_keys', organizationId, 'key', place) }),
      'grants that wait': (place) =>
        listPendingGrants(foundation, owner, {
          after: cursorAt('pending_grants', organizationId, 'grt', place),
        }),
      'members among former ones': (place) =>
        listMembers(foundation, owner, { after: cursorAt('members', organizationId, 'usr', place) }),
      'sessions among ended ones': (place) =>
        listSessions(foundation, owner, { after: cursorAt('sessions', owner.userId, '-ses', place) }),
    };
    await expectFlat(atEachPlace(lists, (list, place) => list(place)));
    const applicationOf = createApplicationOf(foundation);
    await expectFlat({ 'pending work': () => findPendingWork(foundation, applicationOf, administrator) });
  });
});

const assetAfter = (scope: Id, place: number) =>
  place === 0 ? null : cursorsFor('assets', scope).encode(padded('ast', ROWS - place));
