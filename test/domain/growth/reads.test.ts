import { describe, expect, it } from '@jest/globals';
import {
  type ActivityFilters,
  type LogScope,
  selectActivity,
  selectSequenced,
} from '../../../src/domain/activity-log/reading/select-activity.js';
import {
  estimateCaseTransactions,
  selectCaseTransactions,
} from '../../../src/domain/cases/records/select-case-transactions.js';
import { selectCaseRequests } from '../../../src/domain/cases/requests/case-request.js';
import {
  loggedInvitations,
  saltsOfInvitations,
} from '../../../src/domain/activity-log/reading/erase-former-member.js';
import { listLogActors } from '../../../src/domain/activity-log/reading/list-log-actors.js';
import { listAddressChecks } from '../../../src/domain/checks/list-address-checks.js';
import { listAddresses } from '../../../src/domain/checks/addresses/list-addresses.js';
import { selectDisclosures } from '../../../src/domain/disclosures/disclosure.js';
import { listSecurityEvents } from '../../../src/domain/organizations/security-log/list-security-events.js';
import { listRelays, type ListRelaysInput } from '../../../src/domain/relays/status/list-relays.js';
import { createTransactionReader } from '../../../src/domain/transactions/index.js';
import { listTransactions, transactionCursors } from '../../../src/domain/transactions/list-transactions.js';
import { transactionLines } from '../../../src/domain/transactions/transaction-lines.js';
import { transactionsAfter } from '../../../src/domain/transactions/transaction.js';
import { makePart, partOf } from '../../../src/domain/transactions/parts/parts.js';
import { entities } from '../../../src/app/storage/entities.js';
import { connectDatabase, sql } from '../../../src/platform/database/index.js';
import type { Id } from '../../../src/platform/kernel/ids.js';
import { cursorsFor } from '../../../src/platform/kernel/paging/paging.js';
import { timeCursorsFor } from '../../../src/platform/kernel/paging/time-cursors.js';
import type { Address, ConfidentialEventType } from '../../../src/platform/ledger/index.js';
import { forFile } from '../../kit/for-file.js';
import { randomSignature } from '../../kit/ledger/confidential-records.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { grow, NEWCOMER, ROWS, secondsIn, STRANGER, WHALE } from '../../kit/growth/grown.js';
import { itOnPostgresql } from '../../kit/database/on-postgresql.js';
import { measuredReads } from '../../kit/growth/read-costs.js';
import { seedMember, testFoundation } from '../../kit/seed.js';
import { atEachPlace, flatOn, LIMIT } from './flat.js';

const padded = <P extends string>(prefix: P, number: number) =>
  `${prefix}_${String(number).padStart(26, '0')}` as Id & `${P}_${string}`;

const real = await createTestDatabase();
const grown = await grow(testFoundation(real));
const database = forFile(measuredReads(real));
const foundation = testFoundation(database);
const expectFlat = flatOn(database);

describe('the cost of a page among 20,000 rows', () => {
  it('does not grow with the log, to find the invitations of a person who is erased', () => {
    const { organization, owner } = grown.acme;
    const person = { organizationId: organization.id, userId: owner.principal.userId };
    return expectFlat({
      'those that the log names with the user': () => loggedInvitations(database, person),
      'their entries': () => saltsOfInvitations(database, organization.id, ['rare', padded('inv', 1)]),
    });
  });

  it('does not grow with the records of an asset, for any filter', () => expectFlatRecords());

  async function expectFlatRecords(): Promise<void> {
    const { acme, assetId } = grown;
    const none = { type: null, account: null, from: null, to: null };
    const filters: Record<string, Partial<{ type: string; account: string; from: Date; to: Date }>> = {
      'no filter': {},
      'a common type': { type: 'confidential_transfer' },
      'a rare type': { type: 'confidential_burn' },
      'an absent type': { type: 'confidential_mint' },
      'an account with a tenth': { account: WHALE },
      'an account with twenty': { account: NEWCOMER },
      'an absent account': { account: STRANGER },
      'an account and a rare type': { account: WHALE, type: 'confidential_burn' },
      'an account and an absent type': { account: WHALE, type: 'confidential_mint' },
      'from the newest minute': { from: secondsIn(ROWS - 60) },
      'from after the end': { from: secondsIn(ROWS * 2) },
      'to the oldest minute': { to: secondsIn(60) },
      'to before the beginning': { to: secondsIn(-60) },
      'a minute of the middle': { from: secondsIn(ROWS / 2), to: secondsIn(ROWS / 2 + 60) },
      'a type from the newest minute': { type: 'confidential_deposit', from: secondsIn(ROWS - 60) },
      'an account to the oldest minute': { account: WHALE, to: secondsIn(60) },
      'everything at once': {
        account: WHALE,
        type: 'confidential_deposit',
        from: secondsIn(60),
        to: secondsIn(ROWS),
      },
    };
    await expectFlat(
      atEachPlace(filters, (filter, place) => {
        const { type, account } = filter;
        const cursors = transactionCursors(assetId, {
          ...none,
          ...filter,
          type: (type ?? null) as ConfidentialEventType | null,
          account: (account ?? null) as Address | null,
        });
        const after = place === 0 ? null : cursors.encode(place);
        const { principal } = acme.apiKey;
        const input = { assetId, ...filter, after };
        return Promise.all([
          listTransactions(foundation, principal, input),
          transactionLines(foundation).list({ principal }, input, { json: true }),
        ]);
      }),
    );
    await expectFlat(
      atEachPlace({ 'a subscription': {} }, (_, place) =>
        transactionsAfter(database, acme.organization.id, assetId, place, LIMIT),
      ),
    );
  }

  itOnPostgresql('does not include planning it, after the first pages of a connection', async () => {
    const { acme, assetId } = grown;
    await using one = await connectDatabase({ entities, target: { url: real.url!, poolSize: 1 } });
    const alone = testFoundation(one);
    for (let page = 0; page < 20; page += 1)
      await listTransactions(alone, acme.apiKey.principal, { assetId, first: 50 });
    const [plans] = await one.rows(sql<{ made: number; kept: number }>`
      select custom_plans::integer as made, generic_plans::integer as kept from pg_prepared_statements
      where name = 'transactions_details'`);
    // PostgreSQL compares the first five plans with one that it can keep.
    expect(plans).toEqual({ made: 5, kept: expect.any(Number) });
    expect(plans!.kept).toBeGreaterThan(plans!.made);
  });

  it('does not grow with the log, for any scope and filter', async () => {
    const { acme, quietApplication } = grown;
    const organizationId = acme.organization.id;
    const scopes: Record<string, LogScope> = {
      'of the organization': { organizationId },
      'of an application with a third': { organizationId, applicationId: acme.application.id },
      'of an application with ten': { organizationId, applicationId: quietApplication },
      'of a case without any': { organizationId, caseId: padded('cas', 1) as Id<'cas'> },
    };
    const filters: Record<string, ActivityFilters> = {
      'no filter': {},
      'a common event': { eventType: 'case.viewed' },
      'a rare event': { eventType: 'report.downloaded' },
      'an absent event': { eventType: 'address.revoked' },
      'a rare person': { userId: `usr_${'1'.repeat(26)}` },
      'an absent person': { userId: `usr_${'2'.repeat(26)}` },
      'a common object': { objectId: 'tenth' },
      'a rare object': { objectId: 'rare' },
      'an absent object': { objectId: 'none' },
      'from the newest minute': { from: secondsIn(ROWS - 60) },
      'from after the end': { from: secondsIn(ROWS * 2) },
      'to the oldest minute': { to: secondsIn(60) },
      'a minute of the middle': { from: secondsIn(ROWS / 2), to: secondsIn(ROWS / 2 + 60) },
      'a rare event to the oldest minute': { eventType: 'report.downloaded', to: secondsIn(60) },
      'a common event to the oldest minute': { eventType: 'case.viewed', to: secondsIn(60) },
    };
    for (const [name, scope] of Object.entries(scopes)) {
      const reads = atEachPlace(filters, (filter, place) => {
        const newest = ROWS - place;
        const before =
          place === 0 ? undefined : { at: secondsIn(newest), id: padded('log', newest) as Id<'log'> };
        return selectActivity(database, scope, filter, { before, limit: LIMIT });
      });
      const follow = atEachPlace({ 'a subscription': {} }, (_, place) =>
        selectSequenced(database, scope, { after: place + 1_000_000, limit: LIMIT }),
      );
      const named = Object.entries({ ...reads, ...follow }).map(([read, run]) => [`${read} ${name}`, run]);
      await expectFlat(Object.fromEntries(named) as Record<string, () => Promise<unknown>>);
    }
  });

  it('does not grow with the log when it lists actors', async () => {
    const { acme } = grown;
    const { foreignId } = acme.application;
    const { principal: reader } = await seedMember(testFoundation(database), acme.organization.id, {
      owner: ['logs:view_activity'],
      applications: [{ foreignId, common: ['logs:view_activity'] }],
    });
    const logs = { 'of the organization': null, 'of an application': acme.application };
    await expectFlat(
      Object.fromEntries(
        Object.entries(logs).flatMap(([name, application]) =>
          [null, `usr_${'8'.padStart(26, '0')}`].map((last) => [
            `${name} after ${last}`,
            () => {
              const cursors = cursorsFor('logActors', application?.id ?? acme.organization.id);
              const input = { foreignId: application?.foreignId, after: last && cursors.encode(last) };
              return listLogActors(foundation, reader, input);
            },
          ]),
        ),
      ),
    );
  });

  it('does not grow with the relays of an organization', async () => {
    const filters: Record<string, ListRelaysInput> = {
      'no filter': {},
      'a common status': { status: 'succeeded' },
      'a rare status': { status: 'failed' },
      'an absent status': { status: 'queued' },
      'a common pool': { poolSelector: 'main' },
      'a rare pool': { poolSelector: 'rare' },
      'an absent pool': { poolSelector: 'none' },
      'a common application': { foreignId: grown.acme.application.foreignId },
      'a rare application': { foreignId: 'quiet' },
      'a span of time': { from: secondsIn(5_000), to: secondsIn(15_000) },
    };
    await expectFlat(
      atEachPlace(filters, (filter, place) => {
        const { foreignId, status = null, poolSelector = null, from, to } = filter;
        const { acme, quietApplication } = grown;
        const named = foreignId === 'quiet' ? quietApplication : acme.application.id;
        const cursors = timeCursorsFor('rly', 'relays', {
          application: foreignId == null ? null : named,
          ...{ status, pool: poolSelector, from: from?.toISOString() ?? null, to: to?.toISOString() ?? null },
        });
        const newest = ROWS - place;
        const at = { at: secondsIn(newest), id: padded('rly', newest) as Id<'rly'> };
        const after = place === 0 ? null : cursors.encode(at);
        return listRelays(foundation, grown.acme.owner.principal, { ...filter, after });
      }),
    );
  });

  it('does not grow with disclosures, case requests, addresses and security events', async () => {
    const { acme, assetId } = grown;
    const organizationId = acme.organization.id;
    const applications = [{ applicationId: acme.application.id, visible: 'all' as const }];
    const disclosures = {
      disclosures: {},
      'disclosures of a rare status': { status: 'pending' as const },
      'disclosures of an absent status': { status: 'available' as const },
      'disclosures of an asset': { assetId },
      'disclosures oldest first': { oldestFirst: true },
    };
    await expectFlat(
      atEachPlace(disclosures, (filter, place) =>
        selectDisclosures(database, {
          ...{ organizationId, applicationIds: undefined, ...filter, limit: LIMIT },
          afterId: place === 0 ? undefined : (padded('dsc', ROWS - place) as Id<'dsc'>),
        }),
      ),
    );
    await expectFlat(
      atEachPlace({ 'changes of disclosures': {} }, (_, place) =>
        selectDisclosures(database, {
          ...{ organizationId, applicationIds: undefined, afterChange: place, limit: LIMIT },
        }),
      ),
    );
    const requests = {
      requests: {},
      'requests of a rare status': { status: 'pending' as const },
      'requests of an absent status': { status: 'approved' as const },
    };
    await expectFlat(
      atEachPlace(requests, (filter, place) =>
        selectCaseRequests(database, {
          ...{ organizationId, applications, ...filter, limit: LIMIT },
          afterId: place === 0 ? undefined : padded('crq', ROWS - place),
        }),
      ),
    );
    const addresses = { addresses: {}, 'addresses of a rare status': { status: 'revoked' } };
    await expectFlat(
      atEachPlace(addresses, (filter: { readonly status?: string }, place) => {
        const { status = null } = filter;
        const cursors = cursorsFor('addresses', { application: acme.application.id, status, search: null });
        const after = place === 0 ? null : cursors.encode(place === ROWS / 2 ? '8' : 'fff');
        const input = { foreignId: acme.application.foreignId, ...filter, after };
        return listAddresses(foundation, acme.owner.principal, input);
      }),
    );
    const checks = {
      checks: {},
      'checks of an address': { address: 'tenth' },
      'checks of an absent address': { address: 'none' },
    };
    await expectFlat(
      atEachPlace(checks, (filter: { readonly address?: string }, place) => {
        const { address = null } = filter;
        const cursors = cursorsFor('address_checks', { application: acme.application.id, address });
        const after = place === 0 ? null : cursors.encode(padded('chk', ROWS - place));
        const input = { foreignId: acme.application.foreignId, address, after };
        return listAddressChecks(foundation, acme.owner.principal, input);
      }),
    );
    await expectFlat(
      atEachPlace({ 'security events': {} }, (_, place) => {
        const cursors = cursorsFor('security_events', organizationId, foundation.sealer);
        const after = place === 0 ? null : cursors.encode(ROWS - place);
        return listSecurityEvents(foundation, acme.owner.principal, { after });
      }),
    );
  });

  it('does not grow with the records of a case', () => expectFlatCase());

  async function expectFlatCase(): Promise<void> {
    const { acme, assetId } = grown;
    const scope = {
      organizationId: acme.organization.id,
      applicationId: acme.application.id,
      assetIds: [assetId],
      period: { from: 1_767_225_600, until: 1_767_225_600 + ROWS * 2 },
      references: null,
    };
    await expectFlat({
      'the estimate before a report': async () =>
        expect(await estimateCaseTransactions(database, scope as never, new Map([[assetId, ROWS]]))).toBe(
          ROWS,
        ),
    });
    const types = {
      'a page': {},
      'a common type': { type: 'confidential_transfer' as const },
      'a rare type': { type: 'confidential_burn' as const },
      'an absent type': { type: 'confidential_mint' as const },
    };
    await expectFlat(
      atEachPlace(types, (filter, place) =>
        selectCaseTransactions(database, scope as never, {
          ...filter,
          after:
            place === 0
              ? undefined
              : { blockTime: 1_767_225_600 + place, assetId, position: place, reference: null },
          limit: LIMIT,
        }),
      ),
    );
  }

  it('does not grow with the records when a single one is read', () => expectFlatRecord());

  async function expectFlatRecord(): Promise<void> {
    const { principal } = grown.acme.apiKey;
    const reader = createTransactionReader(foundation);
    const oldest = padded('txn', 1);
    await expectFlat({
      'by its id': () => reader.find(principal, oldest),
      'by an absent signature': () => expect(reader.find(principal, randomSignature())).rejects.toThrow(),
    });
  }

  // Runs last, because it changes where the records are.
  it('does not grow with records that were moved into parts', async () => {
    const days = [new Date('2020-01-01'), new Date('2021-01-01')];
    for (const [index, day] of days.entries()) {
      await makePart(real, day, null);
      await real.rows(sql`update transactions set part = ${partOf(day)}
        where part = 0 and position <= ${Math.floor((ROWS / 3) * (index + 1))}::bigint`);
    }
    await real.rows(sql`vacuum (analyze) transactions`);
    await expectFlatRecords();
    await expectFlatCase();
    await expectFlatRecord();
  }, 120_000);
});
