import { beforeAll, expect, it } from '@jest/globals';
import { armor, Encrypter } from 'age-encryption';
import { readFile } from 'node:fs/promises';
import { Secret, TOTP } from 'otpauth';
import { receiptKeys } from '../../../src/domain/activity-log/index.js';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { formatElGamalKeypair, generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { graphql, sessionOf } from '../../kit/app.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { portalStories, within, type Visitor } from '../../kit/browser/portal.js';
import { SEED_PASSWORD, seedMember, type SeededUser } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('the organization’s rules in the portal', (story) => {
  let desk: Desk;
  let second: SeededUser;
  beforeAll(async () => {
    desk = await openDesk(story.app);
    const { foundation } = story.app.application;
    const { id } = story.app.organization.organization;
    const auditing = { foreignId: 'payments', common: PERMISSIONS.common, auditor: PERMISSIONS.auditor };
    second = await seedMember(
      foundation,
      id,
      { owner: PERMISSIONS.owner, applications: [{ ...auditing, administrator: PERMISSIONS.administrator }] },
      'Zoe Zweite',
    );
    await seedMember(foundation, id, { applications: [auditing] }, 'Abel Auditor');
    await foundation.database.transaction((transaction) =>
      transaction.rows(sql`update organizations set require_second_person = true`),
    );
  });

  it('require another administrator than the requester to decide a case', async () => {
    const asks = await story.visit();
    await asks.enter(desk.everything, '/a/payments/requests/new');
    await asks.page.getByRole('textbox', { name: 'Why do you need it?' }).fill('Asked by an administrator');
    await asks.page.getByRole('button', { name: 'File the request' }).click();
    await asks.page
      .getByText('You filed this request. In your organization another person decides it.')
      .waitFor();
    expect(await asks.page.getByRole('button', { name: 'Approve…' }).count()).toBe(0);
    expect(await asks.accessibilityProblems()).toEqual([]);

    const decides = await story.visit();
    await decides.enter(second, '/a/payments/requests');
    await decides.page.getByRole('link', { name: 'Asked by an administrator' }).click();
    await decides.page.getByRole('button', { name: 'Approve…' }).click();
    await decides.page.getByRole('button', { name: 'Open the case for 1 auditor' }).click();
    await decides.page.getByText('No request is pending.').waitFor();
    await asks.page.getByText('Decided by Zoe Zweite').waitFor();
  });

  it('require another person than the requester to decide a disclosure', async () => {
    const { data } = await graphql(
      story.app,
      'mutation ($input: RequestDisclosureInput!) { requestDisclosure(input: $input) { id } }',
      {
        headers: sessionOf(story.app, desk.everything.sessionToken),
        variables: {
          input: {
            assetId: desk.asset.id,
            purpose: 'Asked by a person',
            scope: { account: randomAddress(), fields: ['amount'] },
            format: 'json',
          },
        },
      },
    );
    const { id } = within(data, 'requestDisclosure') as { id: string };
    const asks = await story.visit();
    await asks.enter(desk.everything, `/disclosures/${id}`);
    await asks.page.getByText('You requested this disclosure. In your organization another person').waitFor();
    expect(await asks.page.getByRole('button', { name: 'Authorize…' }).count()).toBe(0);
    expect(await asks.accessibilityProblems()).toEqual([]);
    const decides = await story.visit();
    await decides.enter(second, `/disclosures/${id}`);
    await decides.page.getByRole('button', { name: 'Authorize…' }).waitFor();
  });

  it('add an auditor to a case only after two administrators requested it', async () => {
    const id = await desk.openCase('Needs another auditor');
    const ask = async (who: SeededUser) => {
      const visitor = await story.visit();
      await visitor.enter(who, `/a/payments/cases/${id}`);
      await visitor.page.getByRole('button', { name: 'Add an auditor…' }).click();
      await visitor.page
        .getByText('another administrator must make the same request within 72 hours')
        .waitFor();
      await visitor.page.getByLabel('Auditor', { exact: true }).selectOption({ label: 'Abel Auditor' });
      await visitor.page.getByLabel('Reason').fill('Four eyes');
      await visitor.page.getByRole('button', { name: 'Add the auditor' }).click();
      return visitor;
    };
    const first = await ask(desk.everything);
    await first.page.getByRole('alert').getByText('Proposed.').waitFor();
    expect(await first.accessibilityProblems()).toEqual([]);
    // The proposal is stored: Cancel would seem to withdraw it.
    const proposed = first.page.getByRole('dialog');
    expect(await proposed.getByRole('button').allInnerTexts()).toEqual(['Close']);
    await proposed.getByRole('button', { name: 'Close' }).click();
    await proposed.waitFor({ state: 'detached' });

    const waits = await story.visit();
    await waits.enter(second, '/organization/settings');
    // By name, with the ids next to it.
    const proposal = waits.page.getByRole('row', { name: /^Add an auditor to a case/ });
    await proposal.filter({ hasText: id }).getByText('Needs another auditor').waitFor();
    await proposal.getByText(/^Abel Auditor usr_/).waitFor();
    await waits.page.getByRole('cell', { name: 'Olga Owner' }).waitFor();
    expect(await waits.accessibilityProblems()).toEqual([]);
    // It leads to the screen where the same can be requested.
    await proposal.getByRole('link', { name: 'Add an auditor to a case' }).click();
    await waits.page.getByRole('heading', { level: 1, name: 'Needs another auditor' }).waitFor();

    const agreeing = await ask(second);
    await agreeing.page
      .getByText('Abel Auditor and Ana Auditor')
      .or(agreeing.page.getByText('Ana Auditor and Abel Auditor'))
      .waitFor();
  });

  it('state in each dialog that a second person is required, before it is sent', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    const opens = async (place: string, button: string, sentence: string) => {
      await visitor.enter(desk.everything, place);
      await page.getByRole('button', { name: button }).first().click();
      const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'));
      await dialog.getByText(sentence).waitFor();
      expect([place, await visitor.accessibilityProblems()]).toEqual([place, []]);
    };
    const addresses = 'another person who manages addresses must make the same request';
    await opens('/a/payments/addresses', 'Approve an address…', addresses);
    await opens('/a/payments/addresses', 'Change this…', addresses);
    await opens('/organization/keys', 'Create a key…', 'another owner must make the same request');
    await opens(
      '/organization/policies',
      'Create a policy…',
      'a policy that authorizes at once requires another',
    );
    const permissions = 'has no effect until another owner confirms it';
    await opens('/organization/people', 'Change permissions…', permissions);
  });

  it('make a deciding permission wait until another owner confirms it', async () => {
    const { foundation } = story.app.application;
    await seedMember(
      foundation,
      story.app.organization.organization.id,
      { applications: [{ foreignId: 'payments', common: PERMISSIONS.common }] },
      'Nora New',
    );
    const grants = await story.visit();
    await grants.enter(desk.everything, '/organization/people');
    const row = grants.page.getByRole('listitem').filter({ hasText: 'Nora New' });
    await row.getByRole('button', { name: 'Change permissions…' }).click();
    await grants.page
      .getByRole('group', { name: /: administrator$/ })
      .getByLabel('cases:approve_creation')
      .check();
    await grants.page.getByRole('button', { name: 'Save the permissions' }).click();
    await grants.page.getByRole('dialog').waitFor({ state: 'detached' });
    // For who proposed it, too: with the people, and with the person.
    await grants.page.getByText('Another owner confirms it').waitFor();
    await grants.page.getByRole('link', { name: 'Nora New' }).click();
    await grants.page.getByRole('heading', { level: 1, name: 'Nora New' }).waitFor();
    await grants.page.getByText('Another owner confirms it').waitFor();

    const confirms = await story.visit();
    await confirms.enter(second, '/organization/settings');
    const button = confirms.page.getByRole('button', { name: 'Confirm… cases:approve_creation' });
    await button.waitFor();
    const checked = Promise.withResolvers<undefined>();
    await confirms.page.route('**/graphql', async (route) => {
      await checked.promise;
      await route.continue();
    });
    await button.click();
    const dialog = confirms.page.getByRole('alertdialog', { name: 'This permission takes effect.' });
    await dialog.getByText('Nora New').waitFor();
    await dialog.getByRole('button', { name: 'Confirm the permission' }).click();
    await confirms.page.getByRole('button', { name: 'Confirming…', exact: true }).waitFor();
    expect(await confirms.accessibilityProblems()).toEqual([]);
    checked.resolve(undefined);
    await confirms.page.getByText('No permission waits.').waitFor();
  });

  it('rotate the auditor key only after two owners requested it', async () => {
    const open = async (who: SeededUser) => {
      const visitor = await story.visit();
      await visitor.enter(who, '/organization/assets');
      await visitor.page.getByRole('button', { name: 'Rotate the auditor key…' }).click();
      return visitor;
    };
    const rotate = async (visitor: Visitor) => {
      const dialog = visitor.page.getByRole('alertdialog', { name: 'This makes auditor key 2' });
      await dialog.getByText('another owner must make the same request within 72 hours').waitFor();
      await dialog.getByLabel('Reason').fill('The yearly rotation');
      await dialog.getByRole('button', { name: 'Rotate the auditor key' }).click();
      return visitor;
    };
    const late = await open(desk.everything);
    const first = await rotate(await open(desk.everything));
    await first.page.getByRole('alert').getByText('Proposed.').waitFor();
    expect(await first.accessibilityProblems()).toEqual([]);

    const { page, ...agreeing } = await rotate(await open(second));
    const newest = page.getByRole('table', { name: 'Auditor keys' }).getByRole('row', { name: '2 ' });
    await newest.getByText('current').waitFor();
    // The mints that must still be updated.
    const asset = page.getByRole('table', { name: 'Assets' }).getByRole('row', { name: /^Private Dollar/ });
    await asset.getByText('your key 1: to update').waitFor();
    await page.getByText(/^An earlier key is still on the mint of Private Dollar/).waitFor();
    expect(await agreeing.accessibilityProblems()).toEqual([]);
    await page.getByRole('link', { name: 'Private Dollar' }).click();
    await page.getByText('The mint has another key of yours.').waitFor();
    expect(await agreeing.accessibilityProblems()).toEqual([]);

    // A dialog opened before still names the key that it showed, and creates no third one.
    await rotate(late);
    await late.page.getByRole('alert').getByText('The auditor key was rotated in the meantime.').waitFor();
  });

  it('rotate and disown a signing key only after two owners requested it, and offer a key file for others', async () => {
    await story.logged();
    const open = async (who: SeededUser) => {
      const visitor = await story.visit();
      await visitor.enter(who, '/organization/settings');
      return visitor;
    };
    const [first, agreeing] = [await open(desk.everything), await open(second)];
    const rotate = async ({ page }: Visitor) => {
      await page.getByRole('button', { name: 'Rotate the signing key…' }).click();
      const dialog = page.getByRole('alertdialog', { name: 'This makes signing key 2.' });
      await dialog.getByText('with the same numbers, within 72 hours').waitFor();
      await dialog.getByLabel(/^Days for which/).fill('7');
      await dialog.getByLabel('Reason').fill('The yearly rotation');
      await dialog.getByRole('button', { name: 'Rotate the signing key' }).click();
    };
    await rotate(first);
    await first.page.getByRole('alert').getByText('Proposed.').waitFor();
    expect(await first.accessibilityProblems()).toEqual([]);
    await rotate(agreeing);
    const keys = agreeing.page.getByRole('table', { name: 'Signing keys' });
    await keys.getByRole('row', { name: /^2 .*in use Rotate it, then disown it\.$/ }).waitFor();
    await keys.getByRole('row', { name: /^1 .*replaced; signs checkpoints until/ }).waitFor();
    await first.page.keyboard.press('Escape');
    await first.page.reload();

    const disown = async ({ page }: Visitor) => {
      await page.getByRole('button', { name: 'Disown…: key 1' }).click();
      const dialog = page.getByRole('alertdialog', { name: 'This disowns signing key 1.' });
      await dialog.getByLabel('From index').fill('3');
      await dialog.getByLabel('Reason').fill('A laptop was stolen');
      await dialog.getByRole('button', { name: 'Declare it compromised' }).click();
    };
    await disown(first);
    await first.page.getByRole('alert').getByText('Proposed.').waitFor();
    await disown(agreeing);
    await keys.getByText('compromised as of index 3').waitFor();
    expect(await agreeing.accessibilityProblems()).toEqual([]);

    const saving = agreeing.page.waitForEvent('download');
    await agreeing.page.getByRole('button', { name: 'Save the key file' }).click();
    const file = JSON.parse(await readFile(await (await saving).path(), 'utf8')) as {
      readonly origin: string;
      readonly verifierKey: string;
      readonly keyChanges: readonly unknown[];
    };
    expect(file.keyChanges).toHaveLength(2);
    const { id } = story.app.organization.organization;
    const ownKeys = receiptKeys(file, file.verifierKey);
    const theSame = { organizationId: id, verifierKey: file.verifierKey, signature: '' };
    expect(ownKeys.signerOf(theSame)).toContain('key 2 of 2');
  });

  it('show the signing keys to readers of a log, and offer changes to owners who manage policies', async () => {
    await story.logged();
    const visit = async (
      name: string,
      owner: readonly ('policies:manage' | 'members:manage' | 'logs:view_activity')[],
    ) => {
      const visitor = await story.visit();
      const { id } = story.app.organization.organization;
      await visitor.enter(
        await seedMember(story.app.application.foundation, id, { owner: [...owner] }, name),
      );
      await visitor.page.getByRole('link', { name: 'Settings' }).click();
      await visitor.page.getByRole('heading', { name: 'A second person decides' }).waitFor();
      return visitor.page;
    };
    const keys = { name: 'Signing keys' };
    const rules = await visit('Rita Rules', ['policies:manage']);
    await rules.getByRole('button', { name: /^A second person decides: Turn/ }).waitFor();
    expect(await rules.getByRole('heading', keys).count()).toBe(0);

    const people = await visit('Petra People', ['members:manage', 'logs:view_activity']);
    await people.getByRole('table', keys).getByRole('row', { name: /^1 / }).waitFor();
    expect(await people.getByRole('button', { name: /^(Rotate|Disown|A second person)/ }).count()).toBe(0);
  });

  it('import an external auditor key, encrypted, after two owners requested it, and never send it in plaintext', async () => {
    const keypair = formatElGamalKeypair(generateElGamalKeypair());
    const bring = async (who: SeededUser, isReachable: boolean) => {
      const visitor = await story.visit();
      const { page } = visitor;
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.postData() ?? ''));
      await visitor.enter(who, '/organization/assets');
      const button = page.getByRole('button', { name: 'Import an auditor key…' });
      await button.waitFor();
      if (!isReachable) {
        await page.route('**/icon.svg', (route) => route.abort('connectionreset'));
        // From the first query of the dialog on. Before that, the button that opens it would be disabled.
        let isLost = false;
        await page.route('**/graphql', (route) => {
          isLost ||= route.request().postData()?.includes('mutation PrepareAuditorKeyImport') ?? false;
          return isLost ? route.abort('connectionreset') : route.fallback();
        });
      }
      await button.click();
      const dialog = page.getByRole('alertdialog', { name: /^This imports an auditor key/ });
      const action = dialog.getByRole('button', { name: 'Import the key' });
      if (!isReachable) {
        const again = dialog.getByRole('button', { name: 'Prepare again' });
        await again.waitFor();
        await dialog.getByText('Not connected: nothing can be sent.').waitFor();
        expect(await again.isDisabled()).toBe(true);
        expect(await action.isDisabled()).toBe(true);
        await page.unroute('**/graphql');
        await page.unroute('**/icon.svg');
        await again.click();
      }
      const command = (await dialog.getByText(/^age --armor/).textContent())!;
      const encrypter = new Encrypter();
      encrypter.addRecipient(/age1\S+/.exec(command)![0]);
      const file = dialog.getByLabel('Encrypted file');
      const encrypted = armor.encode(await encrypter.encrypt(keypair));
      await dialog.getByLabel('Reason').fill('Mints of our former gateway');
      const offer = async (text: string) => {
        await file.fill(text);
        await page.keyboard.press('Tab');
        await action.click();
      };
      for (const plain of [keypair, `${encrypted}${keypair}`]) {
        await offer(plain);
        await dialog.getByText(/was not sent/).waitFor();
        expect(await file.inputValue()).toBe('');
      }
      expect(await visitor.accessibilityProblems()).toEqual([]);
      await offer(encrypted);
      return { ...visitor, sent };
    };
    const first = await bring(desk.everything, false);
    await first.page.getByRole('alert').getByText('Proposed.').waitFor();
    expect(await first.accessibilityProblems()).toEqual([]);
    const { page, ...agreeing } = await bring(second, true);
    await page.getByRole('table', { name: 'Auditor keys' }).getByText('imported').waitFor();
    // If the operator does not allow exports, none is offered.
    expect(await page.getByRole('button', { name: /^Export…: key/ }).count()).toBe(0);
    expect(await agreeing.accessibilityProblems()).toEqual([]);
    const sent = [...first.sent, ...agreeing.sent].filter((body) => body.includes('ImportAuditorKey('));
    expect(sent).toHaveLength(2);
    for (const body of sent) expect(body).not.toContain(keypair);
  });

  it('send members without a second factor to their account, where they add one, and then let them work', async () => {
    await story.app.database.transaction((transaction) =>
      transaction.rows(sql`update organizations set require_second_factor = true`),
    );
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.signIn(desk.administrator);
    await page.getByText('Your organization requires a second factor.').waitFor();
    expect(page.url()).toMatch(/\/portal\/account$/);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Turn on one-time codes…' }).click();
    const dialog = page.getByRole('dialog');
    const secret = await dialog.locator('code').innerText();
    const code = (timestamp: number) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
    await dialog.getByLabel('One-time code').fill(code(Date.now()));
    await dialog.getByLabel('Your password').fill(SEED_PASSWORD);
    await dialog.getByRole('button', { name: 'Turn them on' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.getByLabel('E-mail address').fill(desk.administrator.email);
    await page.getByLabel('Password').fill(SEED_PASSWORD);
    await page.getByLabel('One-time code or recovery code').fill(code(Date.now() + 30_000));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('link', { name: 'Case requests' }).click();
    await page.getByRole('heading', { level: 1, name: 'Case requests' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
