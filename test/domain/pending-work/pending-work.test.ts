import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApplication } from '../../../src/domain/organizations/index.js';
import { operatorOf } from '../../../src/domain/access/operator.js';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { bearer, graphql, startTestApp, type TestApp } from '../../kit/app.js';
import {
  auditorCiphertexts,
  seedAsset,
  type SeededAsset,
  seedRecords,
} from '../../kit/ledger/confidential-records.js';
import { askAs, firstOf, follow } from '../../kit/follow.js';
import { seedMember, type SeededUser } from '../../kit/seed.js';

interface Request {
  readonly id: string;
}

describe('pending work for people in the portal', () => {
  let app: TestApp;
  let asset: SeededAsset;
  let administrator: SeededUser;
  let both: SeededUser;
  let ana: SeededUser;

  beforeAll(async () => {
    app = await startTestApp();
    const { foundation } = app.application;
    const organizationId = app.organization.organization.id;
    await createApplication(foundation, operatorOf(organizationId), {
      foreignId: 'treasury',
      name: 'Treasury',
    });
    const member = (name: string, applications: object[]) =>
      seedMember(foundation, organizationId, { applications: applications as never }, name);
    const payments = { foreignId: 'payments' };
    administrator = await member('Ada Administrator', [
      { ...payments, administrator: PERMISSIONS.administrator },
    ]);
    both = await member('Bea Both', [
      { ...payments, auditor: PERMISSIONS.auditor },
      { foreignId: 'treasury', administrator: PERMISSIONS.administrator, auditor: PERMISSIONS.auditor },
    ]);
    ana = await member('Ana Auditor', [{ ...payments, auditor: PERMISSIONS.auditor }]);
    asset = await seedAsset(foundation, organizationId, { applicationId: app.organization.application.id });
    await seedRecords(
      foundation,
      asset,
      [1n, 2n, 3n].map((amount) => ({ ciphertexts: auditorCiphertexts(asset.auditorPublicKey, amount) })),
    );
  }, 480_000);
  afterAll(async () => app[Symbol.asyncDispose]());

  const file = async (who: SeededUser, foreignId = 'payments'): Promise<string> => {
    const { createCaseRequest } = await askAs<{ createCaseRequest: Request }>(
      app,
      who,
      `mutation ($input: CreateCaseRequestInput!) { createCaseRequest(input: $input) { id } }`,
      {
        input: {
          foreignId,
          reason: 'Quarterly audit',
          periodFrom: '2023-01-01',
          periodTo: '2026-12-31',
          accessDays: 2,
          disclosureFlags: {},
          auditorIds: [who.principal.userId],
        },
      },
    );
    return createCaseRequest.id;
  };
  const askDisclosure = async (): Promise<string> => {
    const answer = await graphql(
      app,
      `
        mutation ($input: RequestDisclosureInput!) {
          requestDisclosure(input: $input) {
            id
          }
        }
      `,
      {
        variables: {
          input: {
            assetId: asset.id,
            purpose: 'Tax',
            scope: { account: asset.mintAddress, fields: ['amount'] },
            format: 'json',
          },
        },
        headers: bearer(app.organization.apiKey.secret),
      },
    );
    return (answer.data!['requestDisclosure'] as { id: string }).id;
  };

  it('is counted for deciders by application, and sent when it changes', async () => {
    const WORK = '{ application { foreignId name } caseRequests disclosures }';
    interface Work {
      readonly application: { readonly foreignId: string } | null;
      readonly caseRequests: number | null;
      readonly disclosures: number | null;
    }
    const work = async (who: SeededUser) =>
      (await askAs<{ pendingWork: Work[] }>(app, who, `{ pendingWork ${WORK} }`)).pendingWork.map(
        ({ application, caseRequests, disclosures }) => [application?.foreignId, caseRequests, disclosures],
      );
    expect(await work(administrator)).toEqual([['payments', 0, 0]]);
    expect(await work(both)).toEqual([['treasury', 0, 0]]);
    expect(await work(ana)).toEqual([]);

    await using changes = follow<Work[]>(app, administrator, `subscription { pendingWorkChanged ${WORK} }`);
    expect(await changes.next()).toMatchObject([{ caseRequests: 0, disclosures: 0 }]);
    const request = await file(ana);
    expect(await changes.next()).toMatchObject([
      { application: { foreignId: 'payments', name: 'Acme payments' }, caseRequests: 1, disclosures: 0 },
    ]);
    const disclosure = await askDisclosure();
    expect(await changes.next()).toMatchObject([{ caseRequests: 1, disclosures: 1 }]);
    // The owner decides disclosures, but no case requests.
    expect(await work(app.organization.owner)).toEqual([['payments', null, 1]]);
    expect(await work(app.other.owner)).toEqual([]);

    await askAs(
      app,
      administrator,
      `mutation { decideDisclosure(input: { id: "${disclosure}", decision: reject }) { id } }`,
    );
    expect(await changes.next()).toMatchObject([{ caseRequests: 1, disclosures: 0 }]);
    await askAs(
      app,
      administrator,
      `mutation { closeCaseRequest(input: { foreignId: "payments", id: "${request}" }) { id } }`,
    );
    expect(await changes.next()).toMatchObject([{ caseRequests: 0, disclosures: 0 }]);
  });

  it('lists the requests of all applications, oldest first, with names and total', async () => {
    const first = await file(both);
    const other = await file(both, 'treasury');
    const foreign = await file(ana);
    const LIST = `query ($after: String, $foreignId: String) { caseRequests(status: pending, oldestFirst: true, first: 1,
      after: $after, foreignId: $foreignId) { totalCount pageInfo { hasNextPage endCursor }
      nodes { id application { foreignId name } assets { id name symbol decimals } decider { name } caseEndsAt } } }`;
    interface Page {
      readonly caseRequests: {
        readonly totalCount: number;
        readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
        readonly nodes: readonly { readonly id: string }[];
      };
    }
    const pages = async (who: SeededUser, foreignId?: string) => {
      const seen: string[] = [];
      const counts = new Set<number>();
      for (let after: string | null = null; ;) {
        const { caseRequests }: Page = await askAs<Page>(app, who, LIST, { after, foreignId });
        seen.push(...caseRequests.nodes.map(({ id }) => id));
        counts.add(caseRequests.totalCount);
        after = caseRequests.pageInfo.endCursor;
        if (!caseRequests.pageInfo.hasNextPage) return { seen, counts: [...counts] };
      }
    };
    // Everything of the application that the user administers, and only the user's own of the other one.
    expect(await pages(both)).toEqual({ seen: [first, other], counts: [2] });
    expect(await pages(both, 'treasury')).toEqual({ seen: [other], counts: [1] });
    expect(await pages(administrator)).toEqual({ seen: [first, foreign], counts: [2] });
    expect(await pages(ana)).toEqual({ seen: [foreign], counts: [1] });

    const { caseRequests } = await askAs<Page>(app, administrator, LIST, {});
    expect(caseRequests.nodes[0]).toMatchObject({
      application: { foreignId: 'payments', name: 'Acme payments' },
      assets: [{ id: asset.id, name: 'Private Dollar', symbol: 'PUSD', decimals: 6 }],
      decider: null,
      caseEndsAt: null,
    });
    const { approveCaseRequest } = await askAs<{ approveCaseRequest: { expiresAt: string } }>(
      app,
      administrator,
      `mutation { approveCaseRequest(input: { foreignId: "payments", id: "${foreign}" }) { id expiresAt
        approver { id name } application { foreignId } assets { symbol } } }`,
    );
    expect(approveCaseRequest).toMatchObject({
      approver: { id: administrator.principal.userId, name: 'Ada Administrator' },
      application: { foreignId: 'payments' },
      assets: [{ symbol: 'PUSD' }],
    });
    const own = await askAs(
      app,
      ana,
      `{ caseRequest(foreignId: "payments", id: "${foreign}") {
      decider { name } caseEndsAt } cases { nodes { application { name } } } }`,
    );
    expect(own).toEqual({
      caseRequest: { decider: { name: 'Ada Administrator' }, caseEndsAt: approveCaseRequest.expiresAt },
      cases: { nodes: [{ application: { name: 'Acme payments' } }] },
    });
  });

  it('includes changes to requests of all applications after one cursor', async () => {
    const FOLLOW = `subscription ($after: String) { caseRequestChanged(after: $after) { cursor
      request { id status application { foreignId } } } }`;
    interface Changed {
      readonly cursor: string;
      readonly request: { readonly id: string };
    }
    await using beginning = follow<Changed>(app, both, FOLLOW);
    const begun = await firstOf(beginning, () => file(both));
    await using changes = follow<Changed>(app, both, FOLLOW, { after: begun.cursor });
    const first = await file(both);
    let change = (await changes.next()) as Changed;
    while (change.request.id !== first) change = (await changes.next()) as Changed;
    expect(change.request).toEqual({ id: first, status: 'pending', application: { foreignId: 'payments' } });
    const second = await file(both, 'treasury');
    expect(await changes.next()).toMatchObject({ request: { id: second } });
    await using again = follow<Changed>(app, both, FOLLOW, { after: change.cursor });
    expect(await again.next()).toMatchObject({
      request: { id: second, application: { foreignId: 'treasury' } },
    });
    await using wrong = follow<Changed>(app, both, FOLLOW, { after: 'x' });
    expect(await wrong.next()).toEqual(['BAD_USER_INPUT']);
  });

  it('shows who requested a disclosure, of which asset and how many records, when it changes', async () => {
    const SHOWN = `requester { id name email } decider { name } asset { name symbol } preview { records } status`;
    interface Changed {
      readonly cursor: string;
      readonly disclosure: { readonly id: string };
    }
    const FOLLOW = `subscription ($after: String) { disclosureChanged(after: $after) { cursor disclosure { id ${SHOWN} } } }`;
    await using beginning = follow<Changed>(app, administrator, FOLLOW);
    const begun = await firstOf(beginning, askDisclosure);
    // It counts changes of other applications, whose number the administrator must not learn.
    expect(Buffer.from(begun.cursor, 'base64url').subarray(8).toString('latin1')).not.toMatch(/^\d+$/);
    // A cursor belongs to one organization.
    await using strangers = follow<Changed>(app, app.other.owner, FOLLOW, { after: begun.cursor });
    expect(await strangers.next()).toEqual(['BAD_USER_INPUT']);
    await using changes = follow<Changed>(app, administrator, FOLLOW, { after: begun.cursor });
    const id = await askDisclosure();
    const { apiKey } = app.organization.apiKey;
    let requested = (await changes.next()) as Changed;
    while (requested.disclosure.id !== id) requested = (await changes.next()) as Changed;
    expect(requested.disclosure).toEqual({
      id,
      requester: { id: apiKey.id, name: 'Backend', email: null },
      decider: null,
      asset: { name: 'Private Dollar', symbol: 'PUSD' },
      preview: { records: 0 },
      status: 'pending',
    });
    await askAs(
      app,
      administrator,
      `mutation { decideDisclosure(input: { id: "${id}", decision: reject }) { id } }`,
    );
    const decided = { id, status: 'rejected', decider: { name: 'Ada Administrator' } };
    expect(await changes.next()).toMatchObject({ disclosure: decided });
    await using again = follow<Changed>(app, administrator, FOLLOW, { after: requested.cursor });
    expect(await again.next()).toMatchObject({ disclosure: decided });

    const page = await askAs<{ disclosures: { totalCount: number; nodes: object[] } }>(
      app,
      administrator,
      `{ disclosures(oldestFirst: true, first: 1, status: rejected) { totalCount nodes { ${SHOWN} } } }`,
    );
    expect(page.disclosures).toMatchObject({ totalCount: 2, nodes: [{ requester: { name: 'Backend' } }] });
  });

  it('tells a browser when its session ends, and whether the user has a password', async () => {
    const ME = '{ me { session { id expiresAt secondsLeft idleSecondsLeft } hasPassword } }';
    const { me } = await askAs<{ me: { session: Record<string, number>; hasPassword: boolean } }>(
      app,
      ana,
      ME,
    );
    expect(me).toMatchObject({ session: { id: ana.principal.sessionId }, hasPassword: true });
    expect(me.session['idleSecondsLeft']).toBeGreaterThan(1_700);
    expect(me.session['idleSecondsLeft']).toBeLessThanOrEqual(1_800);
    expect(me.session['secondsLeft']).toBeLessThanOrEqual(12 * 3_600);
    const key = await graphql(app, ME, { headers: bearer(app.organization.apiKey.secret) });
    expect(key.data).toEqual({ me: { session: null, hasPassword: null } });
    const signedIn = await graphql(
      app,
      `mutation { signIn(input: { email: "${ana.email}", password: "correct horse battery staple" }) {
        session { id secondsLeft } hasPassword } }`,
      { headers: { origin: app.url } },
    );
    expect(signedIn.data).toMatchObject({
      signIn: { hasPassword: true, session: { id: expect.any(String) } },
    });
    expect(signedIn.data).not.toMatchObject({ signIn: { session: { id: ana.principal.sessionId } } });
  });
});
