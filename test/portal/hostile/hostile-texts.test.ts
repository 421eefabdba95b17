import { beforeAll, expect, it } from '@jest/globals';
import { closeCaseRequest } from '../../../src/domain/cases/requests/close-case-request.js';
import { endCase } from '../../../src/domain/cases/running/end-case.js';
import { createDisclosurePolicy } from '../../../src/domain/disclosures/index.js';
import { inviteMember } from '../../../src/domain/organizations/invitations/invite-member.js';
import { graphql, sessionOf } from '../../kit/app.js';
import { randomAddress, seedAsset } from '../../kit/ledger/confidential-records.js';
import { portalStories, settled, type Visitor } from '../../kit/browser/portal.js';
import { everyPlace } from '../places/every-place.js';
import { markUp, textMembers, type Marks } from './hostile-answers.js';
import { openDesk, type Desk } from '../kit.js';

/** Texts that control what the page shows: with unknown values, it would show less. */
const DECIDED_BY = [
  'Application.foreignId',
  'ApplicationPermissions.administrator',
  'ApplicationPermissions.auditor',
  'ApplicationPermissions.common',
  'ApplicationPermissions.foreignId',
  'PageInfo.endCursor',
  'PendingPermissionGrant.permission',
  'PermissionBucket.permissions',
  'Permissions.owner',
  'ViewerApplication.foreignId',
];
/** Texts that are numbers. */
const AMOUNTS = [
  'CaseTotal.amount',
  'CaseTransaction.amount',
  'DisclosedRecord.amount',
  'DisclosedRecord.fee',
  'PublicData.amount',
];
/** Texts that are requested but not shown. */
const NOT_SHOWN = [
  // For the thread that checks.
  'LogCheckpoint.note',
  'LogCheckpoint.origin',
  'LogCheckpoint.verifierKey',
  'LogConsistencyProof.hashes',
  'LogKeyChange.entry',
  'LogKeyChange.inclusion',
  'LoggedEntry.entry',
  'LoggedEntry.inclusion',
  'Receipt.signature',
  'Receipt.verifierKey',
  'ReportMetadata.salt',
  'ValueProof.auditorElGamalPubkey',
  'ValueProof.proof',
  // For the file of an export.
  'LogExportPart.nextCursor',
  'LogExportPart.text',
  // For the file of a disclosure.
  'DisclosureProofScheme.check',
  'DisclosureProofScheme.group',
  'DisclosureProofScheme.scheme',
  'DisclosureProofScheme.statement',
  'DisclosureResult.content',
  'DisclosureResult.salt',
  // For links, choices, counts and the keys of rows.
  'ActivityEntry.foreignId',
  'AuditorKeyRange.signature',
  'DisclosureRules.allowedAccounts',
  'Pool.selector',
  // For the name of a browser.
  'Session.userAgent',
];

portalStories('markup in every text that a gateway can return', (story) => {
  let desk: Desk;
  let visits: readonly { readonly who?: 'everything' | 'auditor'; readonly place: string }[];
  beforeAll(async () => {
    desk = await openDesk(story.app);
    const { foundation } = story.app.application;
    const closed = await desk.ask('Closed');
    const decision = { foreignId: 'payments', id: closed, reason: 'Not needed' };
    await closeCaseRequest(foundation, desk.administrator.principal, decision);
    const ended = await desk.openCase('Ended');
    const end = { foreignId: 'payments', id: ended, reason: 'Not needed anymore' };
    await endCase(foundation, desk.administrator.principal, end);
    const { data } = await graphql(
      story.app,
      'mutation ($input: CheckAddressInput!) { checkAddress(input: $input) { checkId } }',
      {
        headers: sessionOf(story.app, desk.everything.sessionToken),
        variables: {
          input: {
            address: randomAddress(),
            network: 'solana',
            checkApplicationId: story.app.organization.application.checkApplicationId,
          },
        },
      },
    );
    const { checkId } = data!['checkAddress'] as { checkId: string };
    const period = { from: '2026-01-05T00:00:00Z', to: '2026-01-09T00:00:00Z' };
    const scope = { account: randomAddress(), ...period, fields: ['amount'] };
    const { id: policyId } = await createDisclosurePolicy(foundation, desk.everything.principal, {
      ...{ key: 'review', name: 'Review', inside: 'review', outside: 'reject' },
      ...{ allowedFields: ['amount'], allowedFormats: ['json'] },
    });
    const { id: assetId } = await seedAsset(foundation, desk.asset.organizationId, {
      applicationId: story.app.organization.application.id,
      disclosurePolicyId: policyId,
    });
    const running = await desk.openCase('Read');
    visits = [
      ...(await everyPlace(story.app, desk)),
      `/a/payments/requests/${closed}`,
      `/a/payments/cases/${ended}`,
      `/a/payments/addresses?check=${checkId}`,
      `/disclosures/${await desk.askDisclosure('By account', { scope })}`,
      `/disclosures/${await desk.askDisclosure('Under a policy', { scope, assetId })}`,
    ].map((place) => ({ who: 'everything' as const, place }));
    const invited = await inviteMember(
      foundation,
      { origin: () => story.app.url },
      desk.everything.principal,
      { email: 'ina.invited@example.test', name: 'Ina Invited' },
    );
    visits = [
      ...visits,
      { who: 'auditor', place: `/a/payments/cases/${running}` },
      { place: '/sign-in' },
      { place: `/invitation#${invited.link!.split('#')[1]}` },
    ];
  });

  /** Checks that no markup became an element or a script. Returns the members that are shown as text. */
  const shownIn = async ({ page }: Visitor, where: string) => {
    expect([where, await page.locator('img, b, a[href^="javascript:"]').count()]).toEqual([where, 0]);
    expect(await page.title()).toMatch(/^[^<]+ · Lucarne$/);
    const text = await page.evaluate<string>('document.body.textContent');
    return [...text.matchAll(/<b>([^<]+)<\/b>/g)].map(([, member]) => member!);
  };

  it('is shown as text on every page and in every dialog, in every requested member', async () => {
    const marks: Marks = (member, scalar) =>
      scalar === 'String' && !DECIDED_BY.includes(member) && !AMOUNTS.includes(member);
    const seen = new Set<string>();
    const look = async (visitor: Visitor, where: string) => {
      for (const member of await shownIn(visitor, where)) seen.add(member);
    };
    const visitors = {
      everything: await story.visit(),
      auditor: await story.visit(),
      nobody: await story.visit(),
    };
    for (const visitor of Object.values(visitors)) await markUp(visitor, marks);
    for (const { who, place } of visits) {
      const visitor = visitors[who ?? 'nobody'];
      const { page } = visitor;
      await (who ? visitor.enter(desk[who], place) : visitor.open(place));
      await settled(visitor);
      if (place === '/sign-in') await page.getByText('DemoUser.name').first().waitFor();
      await look(visitor, place);
      if (who === 'auditor') {
        await page.getByRole('button', { name: 'Totals', exact: true }).click();
        await settled(visitor);
        await look(visitor, `${place} totals`);
      }
      await page.evaluate(`document.querySelectorAll('details').forEach((details) => (details.open = true))`);
      const openers = page.locator('main .button').filter({ hasText: /…$/ });
      for (let index = 0; index < (await openers.count()); index += 1) {
        const opener = openers.nth(index);
        if (!(await opener.isEnabled())) continue;
        await opener.focus();
        await page.keyboard.press('Enter');
        await page.locator('[role=dialog], [role=alertdialog]').waitFor();
        await settled(visitor);
        await look(visitor, `${place} ${index}`);
        await page.keyboard.press('Escape');
        await page.locator('[role=dialog], [role=alertdialog]').waitFor({ state: 'detached' });
      }
    }
    const unseen = [...textMembers(marks)].filter((member) => !seen.has(member));
    expect(unseen.sort()).toEqual([...NOT_SHOWN].sort());
  }, 800_000);

  it('is shown as text in ids, amounts, permissions and log entries, too', async () => {
    const visitor = await story.visit();
    await markUp(visitor, () => true);
    for (const { place } of visits) {
      await visitor.enter(desk.everything, place);
      await settled(visitor);
      await shownIn(visitor, place);
      // An answer that cannot be read fails, and the page reports it.
      visitor.broken.splice(0);
    }
  }, 480_000);
});
