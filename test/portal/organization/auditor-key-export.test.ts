import { beforeAll, expect, it } from '@jest/globals';
import { armor, Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { readFile } from 'node:fs/promises';
import { auditorKeysOf, withAuditorSecret } from '../../../src/domain/assets/index.js';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { formatElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { portalStories, within } from '../../kit/browser/portal.js';
import { seedMember, type SeededUser } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

const PLACE = '/organization/assets';

portalStories(
  'exporting an auditor key',
  (story) => {
    let desk: Desk;
    let second: SeededUser;
    const member = (name: string, owner: readonly string[]) =>
      seedMember(
        story.app.application.foundation,
        story.app.organization.organization.id,
        { owner: [...owner] },
        name,
      );
    beforeAll(async () => {
      desk = await openDesk(story.app);
      second = await member('Zoe Zweite', PERMISSIONS.owner);
    });

    const open = async (who: SeededUser) => {
      const visitor = await story.visit();
      const sent: string[] = [];
      const answered: Promise<string>[] = [];
      visitor.page.on('request', (request) => sent.push(request.postData() ?? ''));
      visitor.page.on('response', (response) => answered.push(response.text().catch(() => '')));
      await visitor.enter(who, PLACE);
      await visitor.page.getByRole('button', { name: 'Export…: key 1' }).click();
      const dialog = visitor.page.getByRole('alertdialog', { name: 'This exports auditor key 1.' });
      await dialog.getByText('can read every amount that is encrypted to the key, forever').waitFor();
      const ask = async (recipients: string) => {
        await dialog.getByLabel('Recipients').fill(recipients);
        await dialog.getByLabel('Reason').fill('For the escrow of the regulator');
        await dialog.getByRole('button', { name: 'Export the key' }).click();
      };
      return { ...visitor, dialog, ask, sent, answered };
    };
    const recipients = async () => {
      const identity = await generateIdentity();
      const other = await identityToRecipient(await generateIdentity());
      return { identity, both: [await identityToRecipient(identity), other] };
    };

    it('takes two owners, and gives the second a file that only the recipients can decrypt', async () => {
      const { identity, both } = await recipients();
      const first = await open(desk.everything);
      expect(await first.page.locator(':focus').textContent()).toBe('Cancel');
      // A secret that was pasted by mistake is not sent.
      await first.ask(`${both[0]}\n${identity}`);
      await first.dialog.getByText(/^Not every line is an age recipient/).waitFor();
      expect(await first.accessibilityProblems()).toEqual([]);
      // An error that only the gateway can detect is shown at the field.
      await first.ask('age1qqqq');
      await first.dialog.getByText('Must be an age recipient (age1…)').waitFor();
      await first.ask(both.join('\n'));
      await first.page.getByRole('alert').getByText('Proposed.').waitFor();
      expect(await first.accessibilityProblems()).toEqual([]);
      for (const body of first.sent) expect(body).not.toContain(identity);

      const agreeing = await open(second);
      // The order makes no difference.
      await agreeing.ask(both.toReversed().join('\n'));
      const done = agreeing.page.getByRole('alertdialog', { name: 'Auditor key 1, encrypted' });
      const saving = agreeing.page.waitForEvent('download');
      await done.getByRole('button', { name: 'Save the file' }).click();
      const download = await saving;
      expect(download.suggestedFilename()).toBe('auditor-key-1.age');
      expect(await agreeing.accessibilityProblems()).toEqual([]);
      const decrypter = new Decrypter();
      decrypter.addIdentity(identity);
      const file = await readFile(await download.path(), 'utf8');
      const keypair = await decrypter.decrypt(armor.decode(file), 'text');
      const { foundation } = story.app.application;
      const { database } = story.app;
      const { id } = story.app.organization.organization;
      const [key] = await auditorKeysOf(database, id);
      await withAuditorSecret(database, foundation.sealer, id, 1, (secret) => {
        expect(keypair).toBe(formatElGamalKeypair({ publicKey: key!.publicKey, secret }));
        return Promise.resolve();
      });
      for (const body of await Promise.all(agreeing.answered)) expect(body).not.toContain(keypair);
      await done.getByRole('button', { name: 'Close' }).click();
      await done.waitFor({ state: 'detached' });
      expect(await agreeing.page.locator(':focus').textContent()).toBe('Export…');
    });

    it('saves nothing that is not encrypted, for any gateway response', async () => {
      const { both } = await recipients();
      await (await open(desk.everything)).ask(both.join('\n'));
      const agreeing = await open(second);
      await agreeing.betray((operation, data) => {
        if (operation === 'ExportAuditorKey' && data['exportAuditorKey'])
          Object.assign(within(data, 'exportAuditorKey'), { ageFile: '[1,2,3]' });
      });
      const proposed = agreeing.page.getByRole('alert').getByText('Proposed.');
      const refused = agreeing.page
        .getByRole('alert')
        .getByText('is not an armored age file. It was not saved.');
      await agreeing.ask(both.join('\n'));
      await refused.or(proposed).waitFor();
      expect(await refused.count()).toBe(1);
      expect(await agreeing.page.getByRole('button', { name: 'Save the file' }).count()).toBe(0);
      expect(await agreeing.accessibilityProblems()).toEqual([]);
    });

    it('is offered on a narrow screen and in French, but not without permission', async () => {
      const visitor = await story.visit({ locale: 'fr-FR', viewport: { width: 320, height: 640 } });
      const { page } = visitor;
      await visitor.enter(second, PLACE);
      await page.getByRole('button', { name: 'Exporter… : clé 1' }).click();
      await page.getByRole('alertdialog', { name: 'Ceci exporte la clé d’auditeur 1.' }).waitFor();
      expect(
        await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
      ).toBe(false);
      expect(await visitor.accessibilityProblems()).toEqual([]);

      const reader = await story.visit();
      await reader.enter(await member('Rita Reader', ['applications:read']), PLACE);
      await reader.page.getByRole('table', { name: 'Auditor keys' }).waitFor();
      expect(await reader.page.getByRole('button', { name: /^Export/ }).count()).toBe(0);
    });
  },
  { LUCARNE_AUDITOR_KEY_EXPORT: '1' },
);
