import { describe, expect, it } from '@jest/globals';
import { followCaseRequests, followCases } from '../../../src/domain/cases/index.js';
import { removeCaseAuditor } from '../../../src/domain/cases/running/change-case-auditors.js';
import { endCase } from '../../../src/domain/cases/running/end-case.js';
import { type Database, sql } from '../../../src/platform/database/index.js';
import { followCaseTransactions } from '../../../src/domain/cases/records/follow-case-transactions.js';
import { transactionsTopic } from '../../../src/domain/transactions/index.js';
import { randomAddress, seedRecords } from '../../kit/ledger/confidential-records.js';
import { createAuthenticator, type Principal } from '../../../src/domain/access/index.js';
import { openTestFoundation } from '../../kit/seed.js';
import { codeOf, openOffice, setClock } from './kit.js';

const clock = setClock();
const { database, foundation } = await openTestFoundation(clock);
const office = await openOffice(foundation);

describe('the subscription to case changes', () => {
  // Polling never happens, so events arrive only through signals.
  const options = { pollMs: 2 ** 30 };
  const requests = (principal: Principal, after?: string) =>
    followCaseRequests(foundation, principal, { foreignId: office.foreignId, after }, options);
  const cases = (principal: Principal, after?: string) =>
    followCases(foundation, principal, { foreignId: office.foreignId, after }, options);

  async function take<Event>(stream: AsyncGenerator<Event, void, undefined>, count: number) {
    const taken: Event[] = [];
    while (taken.length < count) {
      const next = await stream.next();
      if (next.done) break;
      taken.push(next.value);
    }
    return taken;
  }

  it('shows an administrator every request when it is filed and decided', async () => {
    const stream = await requests(office.administrator.principal);
    const next = take(stream, 1);
    const { id } = await office.request();
    expect((await next)[0]!.request).toMatchObject({ id, status: 'pending' });
    await office.approve(id);
    expect((await take(stream, 1))[0]!.request).toMatchObject({ id, status: 'approved' });
    await stream.return();
  });

  it('shows an auditor only their own requests', async () => {
    const stream = await requests(office.abel.principal);
    await office.request(office.ana.principal);
    const { id } = await office.request(office.abel.principal);
    await office.close(id);
    const [only] = await take(stream, 1);
    expect(only!.request).toMatchObject({ id, status: 'closed' });
    await stream.return();
  });

  it.each([
    ['of one application', () => requests(office.abel.principal)],
    ['of all applications', () => followCaseRequests(foundation, office.abel.principal, {}, options)],
  ])('tells an auditor by no cursor how much others filed meanwhile, %s', async (_, follow) => {
    const stream = await follow();
    await office.request(office.abel.principal);
    const [before] = await take(stream, 1);
    for (let filed = 0; filed < 12; filed += 1) await office.request(office.ana.principal);
    await office.request(office.abel.principal);
    const [after] = await take(stream, 1);
    await stream.return();
    // A cursor has a digest of what it belongs to, and the last position.
    const readable = [before, after].map((change) => {
      try {
        return JSON.parse(Buffer.from(change!.cursor, 'base64url').subarray(8).toString()) as unknown;
      } catch {
        return 'nothing';
      }
    });
    expect(readable).toEqual(['nothing', 'nothing']);
    expect(after!.cursor).toHaveLength(before!.cursor.length);
  });

  it('resumes after a cursor, with the last change of each request that changed meanwhile', async () => {
    const stream = await requests(office.administrator.principal);
    const first = await office.request();
    const [filed] = await take(stream, 1);
    await stream.return();
    const second = await office.request();
    await office.approve(first.id);
    await office.withdraw(second.id);
    const resumed = await requests(office.administrator.principal, filed!.cursor);
    expect((await take(resumed, 2)).map(({ request }) => [request.id, request.status])).toEqual([
      [first.id, 'approved'],
      [second.id, 'closed'],
    ]);
    await resumed.return();
  });

  it('shows a new case to its auditors and to administrators', async () => {
    const streams = await Promise.all(
      [office.ana, office.administrator, office.abel].map(({ principal }) => cases(principal)),
    );
    const opened = await office.open();
    const own = await office.open({ auditorIds: [office.abel.principal.userId] });
    const [ana, administrator, abel] = await Promise.all([
      take(streams[0]!, 1),
      take(streams[1]!, 2),
      take(streams[2]!, 1),
    ]);
    expect(ana[0]!.case).toMatchObject({ id: opened.id, status: 'active' });
    expect(administrator.map((change) => change.case.id)).toEqual([opened.id, own.id]);
    expect(abel[0]!.case.id).toBe(own.id);
    await Promise.all(streams.map((stream) => stream.return()));
  });

  it('shows an auditor no case whose window has ended by the time of the read', async () => {
    const [stream, administrator] = await Promise.all([
      cases(office.ana.principal),
      cases(office.administrator.principal),
    ]);
    const over = await office.open({ accessDays: 1 });
    const lasting = await office.open({ accessDays: 2 });
    clock.set(over.expiresAt);
    expect((await take(stream, 1))[0]!.case.id).toBe(lasting.id);
    expect((await take(administrator, 1))[0]!.case).toMatchObject({ id: over.id, status: 'expired' });
    await Promise.all([stream.return(), administrator.return()]);
  });

  it('reads only what has changed, for any number of applications', async () => {
    const many = await openOffice(foundation);
    const { organizationId, userId } = many.administrator.principal;
    await database.rows(sql`
      insert into applications (id, organization_id, foreign_id, name, check_application_id, created_at)
      select 'app_' || lpad(n::text, 26, '0'), ${organizationId}, 'desk-' || n, 'Desk', 'check_desk_' || n, now()
      from generate_series(1, 100) as n`);
    await database.rows(sql`
      insert into permission_grants (organization_id, user_id, application_id, bucket, permission)
      select organization_id, ${userId}, id, 'administrator', 'cases:approve_creation'
      from applications where organization_id = ${organizationId} and foreign_id like 'desk-%'`);
    await using authenticator = createAuthenticator(foundation);
    const { sessionToken } = many.administrator;
    const principal = await authenticator.identify({ sessionToken });
    let statements = 0;
    const counted: Database = {
      ...database,
      rows: (statement) => {
        statements += 1;
        return database.rows(statement);
      },
    };
    const counting = { ...foundation, database: counted };
    const stream = await followCaseRequests(counting, principal, {}, options);
    const next = take(stream, 1);
    const { id } = await many.request();
    expect((await next)[0]!.request).toMatchObject({ id });
    const following = take(stream, 1);
    await many.request();
    await following;
    await stream.return();
    expect(statements).toBeLessThan(12);
  });

  it('misses nothing during many concurrent decisions', async () => {
    const filed = await Promise.all(Array.from({ length: 12 }, () => office.request()));
    const stream = await cases(office.administrator.principal);
    await Promise.all(filed.map(({ id }) => office.approve(id)));
    const seen = (await take(stream, 12)).map((change) => change.case.requestId);
    expect([...seen].sort()).toEqual(filed.map(({ id }) => id).sort());
    await stream.return();
  });

  it('sends an auditor the number of transactions of a case after each addition, until the window ends', async () => {
    const { id, expiresAt } = await office.open();
    const input = { foreignId: office.foreignId, id };
    const stream = await followCaseTransactions(foundation, office.ana.principal, input, options);
    const { totalCount } = (await stream.next()).value!;
    await seedRecords(foundation, office.asset, [
      {
        type: 'confidential_deposit',
        blockTime: Date.parse('2026-02-14T12:00:00Z') / 1_000,
        publicData: { amount: '1', authority: randomAddress() },
      },
    ]);
    const added = () => foundation.signals.publish(transactionsTopic(office.asset.id));
    added();
    expect((await stream.next()).value).toEqual({ totalCount: totalCount + 1 });
    const next = codeOf(stream.next());
    clock.set(expiresAt);
    added();
    expect(await next).toBe('NOT_FOUND');
    expect(await codeOf(followCaseTransactions(foundation, office.abel.principal, input))).toBe('NOT_FOUND');
  });

  it('sends the number of transactions with the filters of the list, and hides the same times as the list', async () => {
    const { id } = await office.open();
    const input = { foreignId: office.foreignId, id };
    const firstOf = async (filters: object) => {
      const stream = await followCaseTransactions(
        foundation,
        office.ana.principal,
        { ...input, ...filters },
        options,
      );
      return { stream, totalCount: (await stream.next()).value!.totalCount };
    };
    const filtered = await firstOf({ type: 'confidential_withdraw', assetId: office.asset.id });
    const onDay = { from: new Date('2026-02-15T13:00:00Z'), to: new Date('2026-02-15T13:00:00Z') };
    const before = await firstOf(onDay);
    const add = async (type: 'confidential_deposit' | 'confidential_withdraw') => {
      await seedRecords(foundation, office.asset, [
        {
          type,
          blockTime: Date.parse('2026-02-15T12:00:00Z') / 1_000,
          publicData: { amount: '1', authority: randomAddress() },
        },
      ]);
      foundation.signals.publish(transactionsTopic(office.asset.id));
    };
    const next = filtered.stream.next();
    await add('confidential_deposit');
    await add('confidential_withdraw');
    expect((await next).value).toEqual({ totalCount: filtered.totalCount + 1 });
    await filtered.stream.return();
    await before.stream.return();
    // Without full ids, a filter of one second is one of its day.
    const after = await firstOf(onDay);
    expect(after.totalCount).toBe(before.totalCount + 2);
    await after.stream.return();
    const refusalOf = (filters: object) =>
      codeOf(followCaseTransactions(foundation, office.ana.principal, { ...input, ...filters }));
    expect(await refusalOf({ assetId: 'ast_00000000000000000000000000' })).toBe('BAD_USER_INPUT');
    expect(await refusalOf({ type: 'configure_account' })).toBe('BAD_USER_INPUT');
  });

  it.each([
    ['the case is ended early', endCase],
    ['the assignment ends', removeCaseAuditor],
  ])('ends for an auditor at once when %s', async (_, change) => {
    const { id } = await office.open({
      auditorIds: [office.ana, office.abel].map(({ principal }) => principal.userId),
    });
    const input = { foreignId: office.foreignId, id };
    const stream = await followCaseTransactions(foundation, office.ana.principal, input, options);
    await stream.next();
    const next = codeOf(stream.next());
    const { userId: auditorId } = office.ana.principal;
    await change(foundation, office.administrator.principal, { ...input, auditorId, reason: 'A test' });
    expect(await next).toBe('NOT_FOUND');
  });

  it('sends the number again when an asset of the case leaves its application, and when it is back', async () => {
    const { id } = await office.open();
    const input = { foreignId: office.foreignId, id };
    const stream = await followCaseTransactions(foundation, office.ana.principal, input, options);
    const first = (await stream.next()).value!;
    expect(first.totalCount).toBeGreaterThan(0);
    const assign = async (applicationId: string | null) => {
      await database.rows(
        sql`update assets set application_id = ${applicationId} where id = ${office.asset.id}`,
      );
      foundation.signals.publish(transactionsTopic(office.asset.id));
    };
    const [asset] = await database.rows(
      sql<{
        applicationId: string;
      }>`select application_id as "applicationId" from assets where id = ${office.asset.id}`,
    );
    await assign(null);
    const without = (await stream.next()).value!;
    expect(without.totalCount).toBeLessThan(first.totalCount);
    await assign(asset!.applicationId);
    expect((await stream.next()).value).toEqual(first);
    await stream.return();
  });

  it('is refused to callers without permission, and after a foreign cursor', async () => {
    expect(await codeOf(cases(office.owner.principal))).toBe('FORBIDDEN');
    expect(await codeOf(requests(office.owner.principal))).toBe('FORBIDDEN');
    expect(await codeOf(cases(office.ana.principal, 'x'))).toBe('BAD_USER_INPUT');
  });
});
