import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { rotateSigningKey } from '../../../src/domain/organizations/signing-keys/rotate-signing-key.js';
import { sql } from '../../../src/platform/database/index.js';
import { createKeptSigningKeys, parseKeyUri } from '../../../src/platform/keys/index.js';
import { portalStories, type Visitor } from '../../kit/browser/portal.js';
import { seedMember, type SeededUser } from '../../kit/seed.js';
import { openLocalVault } from '../../platform/keys/stores/local-vault.js';

const vault = await openLocalVault();
vault.makeKey('log', 'ed25519');

portalStories(
  'a signing key that its store has lost, in the portal',
  (story) => {
    let second: SeededUser;
    beforeAll(async () => {
      const { application, organization } = story.app;
      const permissions = { owner: PERMISSIONS.owner };
      second = await seedMember(
        application.foundation,
        organization.organization.id,
        permissions,
        'Olga Owner',
      );
    });
    afterAll(async () => vault[Symbol.asyncDispose]());

    it('is declared lost by two owners, an hour apart', async () => {
      const { application, organization } = story.app;
      await story.logged();
      // The key in use is in the store, and the next one will be sealed in the database.
      const signingKeys = createKeptSigningKeys(vault.stores, parseKeyUri('vault:transit/log'));
      await rotateSigningKey({ ...application.foundation, signingKeys }, organization.owner.principal, {
        ...{ reason: 'To the store', overlapDays: 0 },
      });
      const declare = async ({ page }: Visitor) => {
        await page.getByRole('button', { name: 'Declare it lost…' }).click();
        const dialog = page.getByRole('alertdialog', { name: 'This gives up signing key 2.' });
        await dialog.getByLabel('Reason').fill('The token was destroyed');
        await dialog.getByRole('button', { name: 'Declare it lost' }).click();
      };
      const leave = ({ page }: Visitor, button: 'Cancel' | 'Close') =>
        page.getByRole('alertdialog').getByRole('button', { name: button }).click();
      const [first, agreeing] = [await story.visit(), await story.visit()];
      await first.enter(organization.owner, '/organization/settings');
      await declare(first);
      await first.page.getByRole('alert').getByText('The key still signs, so it is not lost.').waitFor();
      await leave(first, 'Cancel');

      vault.deleteKey('log');
      await declare(first);
      await first.page.getByRole('alert').getByText('Proposed.').waitFor();
      expect(await first.accessibilityProblems()).toEqual([]);
      await agreeing.enter(second, '/organization/settings');
      await declare(agreeing);
      await agreeing.page.getByRole('alert').getByText('Another person proposed this.').waitFor();
      await leave(agreeing, 'Close');
      await application.foundation.database.transaction((transaction) =>
        transaction.rows(sql`update proposed_operations set proposed_at = proposed_at - interval '1 hour'`),
      );
      await declare(agreeing);
      const keys = agreeing.page.getByRole('table', { name: 'Signing keys' });
      await keys.getByRole('row', { name: /^3 .*in use/ }).waitFor();
      expect(await agreeing.accessibilityProblems()).toEqual([]);
    });
  },
  {
    LUCARNE_VAULT_ADDR: vault.configuration.address.href,
    LUCARNE_VAULT_TOKEN_FILE: vault.configuration.tokenFile,
  },
);
