import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { TOKEN_2022_SPLIT, verifyDecryption } from '../../../src/platform/crypto/index.browser.js';
import { sql } from '../../../src/platform/database/index.js';
import { cursorsFor } from '../../../src/platform/kernel/paging/paging.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { graphql, sessionOf, startTestApp, type TestApp } from '../../kit/app.js';
import {
  auditorCiphertexts,
  seedAsset,
  type SeededAsset,
  seedRecords,
} from '../../kit/ledger/confidential-records.js';
import { askAs, follow } from '../../kit/follow.js';
import { seedMember, type SeededUser } from '../../kit/seed.js';

const AMOUNTS = [70_000n, 5n, 1_234_567n] as const;
const ALL = { fullTxIds: true, senderInformation: true, withdrawalDetails: true };

interface Proof {
  readonly auditorElGamalPubkey: string;
  readonly ciphertext: { readonly lo: string; readonly hi: string };
  readonly proof: string;
}
interface Shown {
  readonly id: string;
  readonly type: string;
  readonly amount: string | null;
  readonly proof: Proof | null;
  readonly restricted: readonly string[];
  readonly restrictions: readonly { readonly member: string; readonly flag: string }[];
}
interface Page {
  readonly case: { readonly transactions: { readonly totalCount: number; readonly nodes: readonly Shown[] } };
}
interface Opened {
  readonly id: string;
  readonly requestId: string;
  readonly status: string;
  readonly auditors: readonly { readonly id: string }[];
  readonly assets: readonly { readonly id: string }[];
}

describe('a case in the portal', () => {
  let app: TestApp;
  let asset: SeededAsset;
  let coin: SeededAsset;
  let ada: SeededUser;
  let adam: SeededUser;
  let ana: SeededUser;
  let abel: SeededUser;

  beforeAll(async () => {
    app = await startTestApp();
    const { foundation } = app.application;
    const { organization, application } = app.organization;
    const member = (bucket: 'administrator' | 'auditor', name: string) =>
      seedMember(
        foundation,
        organization.id,
        { applications: [{ foreignId: 'payments', [bucket]: PERMISSIONS[bucket] }] },
        name,
      );
    ada = await member('administrator', 'Ada Administrator');
    adam = await member('administrator', 'Adam Administrator');
    ana = await member('auditor', 'Ana Auditor');
    abel = await member('auditor', 'Abel Auditor');
    asset = await seedAsset(foundation, organization.id, { applicationId: application.id });
    coin = await seedAsset(foundation, organization.id, { applicationId: application.id });
    const blockTime = (index: number) => Date.parse('2026-01-10T10:00:00Z') / 1000 + index * 86_400;
    await seedRecords(foundation, asset, [
      ...AMOUNTS.map((amount, index) => ({
        ciphertexts: auditorCiphertexts(asset.auditorPublicKey, amount),
        blockTime: blockTime(index),
      })),
      { type: 'confidential_withdraw', publicData: { amount: '9' }, blockTime: blockTime(3) },
    ]);
    await seedRecords(foundation, coin, [
      { ciphertexts: auditorCiphertexts(coin.auditorPublicKey, 1n), blockTime: blockTime(4) },
    ]);
  }, 480_000);
  afterAll(async () => app[Symbol.asyncDispose]());

  const file = async (disclosureFlags: object = ALL, auditors = [ana, abel]): Promise<string> => {
    const { createCaseRequest } = await askAs<{ createCaseRequest: { id: string } }>(
      app,
      ana,
      `mutation ($input: CreateCaseRequestInput!) { createCaseRequest(input: $input) { id } }`,
      {
        input: {
          foreignId: 'payments',
          reason: 'Quarterly audit',
          periodFrom: '2026-01-01',
          periodTo: '2026-03-31',
          accessDays: 30,
          disclosureFlags,
          auditorIds: auditors.map(({ principal }) => principal.userId),
        },
      },
    );
    return createCaseRequest.id;
  };
  const CASE =
    'id requestId status periodFrom periodTo accessDays disclosureFlags { fullTxIds senderInformation ' +
    'withdrawalDetails } auditors { id } assets { id } expiresAt endedAt ender { name } endReason secondsLeft';
  const APPROVE = `mutation ($input: ApproveCaseRequestInput!) { approveCaseRequest(input: $input) { ${CASE} } }`;
  const approve = async (id: string, grant?: object): Promise<Opened> =>
    (
      await askAs<{ approveCaseRequest: Opened }>(app, ada, APPROVE, {
        input: { foreignId: 'payments', id, grant },
      })
    ).approveCaseRequest;
  const codeOf = async (user: SeededUser, query: string, variables: object = {}) =>
    (await graphql(app, query, { variables, headers: sessionOf(app, user.sessionToken) })).errors?.[0]
      ?.extensions['code'];
  const READ = `query ($id: ID!, $from: DateTimeISO, $to: DateTimeISO, $assetId: ID, $type: CaseTransactionType) {
    case(foreignId: "payments", id: $id) { transactions(from: $from, to: $to, assetId: $assetId, type: $type) {
      totalCount nodes { id type amount restricted restrictions { member flag }
        proof { auditorElGamalPubkey ciphertext { lo hi } proof } } } } }`;
  const read = async (id: string, filters: object = {}) =>
    (await askAs<Page>(app, ana, READ, { id, ...filters })).case.transactions;
  const holds = ({ auditorElGamalPubkey, ciphertext, proof }: Proof, amount: string) =>
    verifyDecryption({
      publicKey: base64.decode(auditorElGamalPubkey)!,
      ciphertext: {
        lo: base64.decode(ciphertext.lo)!,
        hi: base64.decode(ciphertext.hi)!,
        ...TOKEN_2022_SPLIT,
      },
      value: BigInt(amount),
      proof: base64.decode(proof)!,
    });

  it('proves each amount to a browser, and fails for an amount that is one unit off', async () => {
    const { id } = await approve(await file());
    const { nodes, totalCount } = await read(id);
    expect(totalCount).toBe(5);
    expect(nodes.map(({ amount }) => amount)).toEqual(['70000', '5', '1234567', '9', '1']);
    for (const { type, amount, proof } of nodes) {
      // Withdrawn amounts are public on the ledger.
      if (type === 'confidential_withdraw') {
        expect(proof).toBeNull();
        continue;
      }
      expect(holds(proof!, amount!)).toBe(true);
      expect(holds(proof!, String(BigInt(amount!) + 1n))).toBe(false);
    }
    const [one, other] = nodes;
    expect(holds({ ...one!.proof!, ciphertext: other!.proof!.ciphertext }, one!.amount!)).toBe(false);
    expect(base64.decode(one!.proof!.auditorElGamalPubkey)).toEqual(new Uint8Array(asset.auditorPublicKey));
  });

  it('returns no ciphertext for a hidden transaction, and names the flag that would show hidden values', async () => {
    const { id } = await approve(await file({}));
    const { nodes } = await read(id);
    expect(nodes.map(({ proof }) => proof)).toEqual([null, null, null, null, null]);
    const withdrawal = nodes.find(({ type }) => type === 'confidential_withdraw')!;
    expect(withdrawal.restrictions.map(({ member }) => member)).toEqual(withdrawal.restricted);
    expect(withdrawal.restrictions).toEqual(
      expect.arrayContaining([
        { member: 'id', flag: 'fullTxIds' },
        { member: 'amount', flag: 'withdrawalDetails' },
        { member: 'destinationAccount', flag: 'withdrawalDetails' },
        { member: 'sourceAccount', flag: 'senderInformation' },
      ]),
    );
    // A time of day does not narrow the range, because that would reveal the time.
    const noon = { from: '2026-01-10T12:00:00.000Z', to: '2026-01-10T12:00:00.000Z' };
    expect((await read(id, noon)).totalCount).toBe(1);
  });

  it('can be filtered by asset, type and time, and shows how many transactions match', async () => {
    const { id } = await approve(await file());
    expect((await read(id, { assetId: coin.id })).nodes.map(({ amount }) => amount)).toEqual(['1']);
    expect((await read(id, { type: 'confidential_withdraw' })).totalCount).toBe(1);
    const second = { from: '2026-01-11T10:00:00.000Z', to: '2026-01-12T09:59:59.000Z' };
    expect((await read(id, second)).nodes.map(({ amount }) => amount)).toEqual(['5']);
    expect((await read(id, { from: '2026-01-10T10:00:00.001Z' })).totalCount).toBe(4);
    const foreign = await seedAsset(app.application.foundation, app.other.organization.id);
    expect(await codeOf(ana, READ, { id, assetId: foreign.id })).toBe('BAD_USER_INPUT');
    expect(await codeOf(ana, READ, { id, from: second.to, to: second.from })).toBe('BAD_USER_INPUT');
    expect(await codeOf(ada, READ, { id })).toBe('FORBIDDEN');
  });

  it('shows deciders what an approval would disclose: counts, without amounts', async () => {
    const id = await file();
    const PREVIEW = `{ caseRequest(foreignId: "payments", id: "${id}") { preview { transactions
      byType { type count } byAsset { assetId count } earliest latest } } }`;
    expect(await askAs(app, ada, PREVIEW)).toEqual({
      caseRequest: {
        preview: {
          transactions: 5,
          byType: [
            { type: 'confidential_withdraw', count: 1 },
            { type: 'confidential_transfer', count: 4 },
          ],
          byAsset: [asset, coin]
            .map((one, index) => ({ assetId: one.id, count: index === 0 ? 4 : 1 }))
            .sort((one, other) => (one.assetId < other.assetId ? -1 : 1)),
          earliest: Date.parse('2026-01-10T10:00:00Z') / 1000,
          latest: Date.parse('2026-01-14T10:00:00Z') / 1000,
        },
      },
    });
    // The requester may not count before the approval.
    expect(await codeOf(ana, PREVIEW)).toBe('FORBIDDEN');
  });

  it('is granted for less than was requested, in GraphQL and REST, and the request keeps both scopes', async () => {
    const id = await file();
    const wider = { periodFrom: '2025-12-31', periodTo: '2026-04-01', accessDays: 31 };
    const refused = await graphql(app, APPROVE, {
      variables: {
        input: {
          foreignId: 'payments',
          id,
          grant: { ...wider, auditorIds: [ada.principal.userId], assetIds: [] },
        },
      },
      headers: sessionOf(app, ada.sessionToken),
    });
    expect(refused.errors![0]!.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      members: [
        { member: 'grant.periodFrom' },
        { member: 'grant.periodTo' },
        { member: 'grant.accessDays' },
        { member: 'grant.auditorIds[0]' },
        { member: 'grant.assetIds' },
      ],
    });
    const opened = await approve(id, {
      periodTo: '2026-01-31',
      accessDays: 7,
      disclosureFlags: { senderInformation: false },
      auditorIds: [ana.principal.userId],
      assetIds: [coin.id],
    });
    const granted = {
      periodFrom: '2026-01-01',
      periodTo: '2026-01-31',
      accessDays: 7,
      disclosureFlags: { fullTxIds: true, senderInformation: false, withdrawalDetails: true },
      auditors: [{ id: ana.principal.userId }],
      assets: [{ id: coin.id }],
    };
    expect(opened).toMatchObject(granted);
    expect((await read(opened.id)).totalCount).toBe(1);
    expect(
      await askAs(
        app,
        ana,
        `{ caseRequest(foreignId: "payments", id: "${id}") { periodTo accessDays
      granted { periodFrom periodTo accessDays disclosureFlags { fullTxIds senderInformation withdrawalDetails }
        auditors { id } assets { id } } } }`,
      ),
    ).toEqual({
      caseRequest: { periodTo: '2026-03-31', accessDays: 30, granted },
    });
    expect(await codeOf(abel, READ, { id: opened.id })).toBe('NOT_FOUND');

    const rest = await file({ fullTxIds: true });
    const answer = await fetch(`${app.url}/api/applications/payments/case-requests/${rest}/approve`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...sessionOf(app, ada.sessionToken) },
      body: JSON.stringify({ grant: { access_days: 2, disclosure_flags: { full_tx_ids: false } } }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { access_days: 2, period_to: '2026-03-31', disclosure_flags: { full_tx_ids: false } },
    ]);
    const flagged = await file({});
    expect(
      await codeOf(ada, APPROVE, {
        input: { foreignId: 'payments', id: flagged, grant: { disclosureFlags: { fullTxIds: true } } },
      }),
    ).toBe('BAD_USER_INPUT');
  });

  const END = `mutation ($input: EndCaseInput!) { endCase(input: $input) { ${CASE} } }`;
  const change = (name: 'add' | 'remove') =>
    `mutation ($input: ChangeCaseAuditorInput!) { ${name}CaseAuditor(input: $input) { ${CASE} } }`;
  const eventsOf = async (caseId: string) =>
    (
      await app.database.rows(sql<{ type: string; details: object }>`
        select event_type as type, entry -> 'details' as details from activity_entries
        where case_id = ${caseId} and event_type in ('case.ended', 'case.auditors_changed') order by sequence`)
    ).map(({ type, details }) => [type, details]);

  it('ends immediately when an administrator ends it, for reads, reports and subscriptions', async () => {
    const opened = await approve(await file());
    expect((await read(opened.id)).totalCount).toBe(5);
    const input = { foreignId: 'payments', id: opened.id, reason: 'The audit has ended.' };
    expect(await codeOf(ana, END, { input })).toBe('FORBIDDEN');
    expect(await codeOf(app.other.owner, END, { input })).toBe('FORBIDDEN');
    const { caseRequest } = await askAs<{ caseRequest: { granted: object; caseEndsAt: string } }>(
      app,
      ana,
      `{ caseRequest(foreignId: "payments", id: "${opened.requestId}") { caseEndsAt granted { accessDays } } }`,
    );
    const FOLLOW = `subscription ($after: String) { caseChanged(foreignId: "payments", after: $after) { cursor
      case { id status endReason } } }`;
    const { endCase } = await askAs<{ endCase: Record<string, unknown> }>(app, ada, END, { input });
    expect(endCase).toMatchObject({
      status: 'expired',
      secondsLeft: 0,
      ender: { name: 'Ada Administrator' },
      endReason: 'The audit has ended.',
    });
    expect(endCase['endedAt']).toBe(endCase['expiresAt']);
    expect(Date.parse(String(endCase['endedAt']))).toBeLessThan(Date.parse(caseRequest.caseEndsAt));
    expect(await codeOf(ana, READ, { id: opened.id })).toBe('NOT_FOUND');
    expect(await codeOf(ada, END, { input })).toBe('CONFLICT');
    expect(
      await codeOf(
        ana,
        `mutation { generateCaseReport(input: { foreignId: "payments", caseId: "${opened.id}",
          reportType: transaction_summary }) { id } }`,
      ),
    ).toBe('NOT_FOUND');
    expect(await eventsOf(opened.id)).toEqual([
      ['case.ended', { reason: 'The audit has ended.', would_have_expired_at: caseRequest.caseEndsAt }],
    ]);
    // A follower from the beginning sees the end as an administrator, but as an auditor no case that has ended.
    const start = await approve(await file());
    await using changes = follow<{ cursor: string; case: { id: string } }>(app, ada, FOLLOW, {
      after: cursorOf(0),
    });
    const seen: string[] = [];
    for (
      let event = await changes.next();
      typeof event === 'object' && 'case' in event;
      event = await changes.next()
    ) {
      seen.push(event.case.id);
      if (event.case.id === start.id) break;
    }
    expect(seen).toContain(opened.id);
    await using ownTold = follow<{ cursor: string; case: { id: string } }>(app, ana, FOLLOW, {
      after: cursorOf(0),
    });
    const own: string[] = [];
    for (
      let event = await ownTold.next();
      typeof event === 'object' && 'case' in event;
      event = await ownTold.next()
    ) {
      own.push(event.case.id);
      if (event.case.id === start.id) break;
    }
    expect(own).not.toContain(opened.id);
  });

  const cursorOf = (change: number) =>
    cursorsFor('caseChanges', app.organization.application.id, app.application.foundation.sealer).encode(
      change,
    );

  it('adds and removes auditors with immediate effect, but keeps the last one', async () => {
    const opened = await approve(await file(ALL, [ana]));
    const input = (user: SeededUser) => ({
      input: { foreignId: 'payments', id: opened.id, auditorId: user.principal.userId, reason: 'Holidays' },
    });
    expect(await codeOf(abel, READ, { id: opened.id })).toBe('NOT_FOUND');
    expect(await codeOf(ana, change('add'), input(abel))).toBe('FORBIDDEN');
    expect(await codeOf(ada, change('add'), input(ada))).toBe('BAD_USER_INPUT');
    expect(await codeOf(ada, change('add'), input(app.other.owner))).toBe('BAD_USER_INPUT');
    expect(await codeOf(ada, change('remove'), input(ana))).toBe('CONFLICT');
    expect(await codeOf(ada, change('remove'), input(abel))).toBe('NOT_FOUND');
    const { addCaseAuditor } = await askAs<{ addCaseAuditor: Opened }>(app, ada, change('add'), input(abel));
    expect(addCaseAuditor.auditors.map(({ id }) => id).sort()).toEqual(
      [ana, abel].map(({ principal }) => principal.userId).sort(),
    );
    expect(await codeOf(abel, READ, { id: opened.id })).toBeUndefined();
    expect(await codeOf(ada, change('add'), input(abel))).toBe('CONFLICT');
    await askAs(app, ada, change('remove'), input(ana));
    expect(await codeOf(ana, READ, { id: opened.id })).toBe('NOT_FOUND');
    const person = (user: SeededUser) => [expect.objectContaining({ user_id: user.principal.userId })];
    expect(await eventsOf(opened.id)).toEqual([
      ['case.auditors_changed', { added: person(abel), removed: [], reason: 'Holidays' }],
      ['case.auditors_changed', { added: [], removed: person(ana), reason: 'Holidays' }],
    ]);
  });

  it('requires two administrators to add an auditor if the organization requires a second person', async () => {
    const opened = await approve(await file(ALL, [ana]));
    await app.database.rows(sql`
      update organizations set require_second_person = true where id = ${app.organization.organization.id}`);
    const input = {
      input: { foreignId: 'payments', id: opened.id, auditorId: abel.principal.userId, reason: 'More hands' },
    };
    expect(await codeOf(ada, change('add'), input)).toBe('CONFLICT');
    expect(await codeOf(ada, change('add'), input)).toBe('CONFLICT');
    expect(await codeOf(abel, READ, { id: opened.id })).toBe('NOT_FOUND');
    const { addCaseAuditor } = await askAs<{ addCaseAuditor: Opened }>(app, adam, change('add'), input);
    expect(addCaseAuditor.auditors).toHaveLength(2);
    await app.database.rows(sql`
      update organizations set require_second_person = false where id = ${app.organization.organization.id}`);
  });
});
