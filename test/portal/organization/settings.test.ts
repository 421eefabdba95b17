import { beforeAll, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { portalStories, within, type Visitor } from '../../kit/browser/portal.js';
import { seedMember, type SeededUser } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

const PERSON = 'A second person decides';
const FACTOR = 'A second factor is required';
const PERSONNE = 'Une seconde personne décide';
const FACTEUR = 'Un second facteur est exigé';
const BY_TWO =
  'Another owner must make the same request within 72 hours. If you are the only one with policies:manage, grant it to someone else first.';
const PAR_DEUX =
  'Un autre propriétaire doit demander la même chose sous 72 heures. Si vous êtes la seule personne à avoir policies:manage, accordez-la d’abord à quelqu’un d’autre.';

portalStories('the rules in the settings', (story) => {
  let desk: Desk;
  let second: SeededUser;
  beforeAll(async () => {
    desk = await openDesk(story.app);
    const { application, organization } = story.app;
    const { id } = organization.organization;
    second = await seedMember(application.foundation, id, { owner: PERMISSIONS.owner }, 'Zoe Zweite');
  });

  /** What the dialog says that changes a rule, where both are on or both are off. */
  async function sentences(visitor: Visitor, rule: string, change: string) {
    await visitor.page.getByRole('button', { name: `${rule}: ${change}` }).click();
    const dialog = visitor.page.getByRole('alertdialog');
    await dialog.waitFor();
    const texts = await dialog.locator('p').allInnerTexts();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await visitor.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    return texts;
  }

  it.each([
    [
      'en-GB',
      ['Turn on…', 'Turn off…'],
      [
        [
          PERSON,
          [
            'Once this is on, someone other than the requester must decide, including on requests that already wait.',
            BY_TWO,
          ],
          ['Once this is off, one person can both request and approve.', BY_TWO],
        ],
        [
          FACTOR,
          [
            'Once this is on, members without a second factor can do nothing but add one, you too. Sign-ins by an identity provider count as the provider states them.',
          ],
          ['Once this is off, a password alone is enough for members without a second factor.', BY_TWO],
        ],
      ],
    ],
    [
      'fr-FR',
      ['Activer…', 'Désactiver…'],
      [
        [
          PERSONNE,
          [
            'Dès que la règle est active, une autre personne que celle qui a déposé une demande doit la décider, même si la demande attend déjà.',
            PAR_DEUX,
          ],
          ['Dès que la règle n’est plus active, une seule personne peut demander et approuver.', PAR_DEUX],
        ],
        [
          FACTEUR,
          [
            'Dès que la règle est active, les membres sans second facteur ne peuvent qu’en ajouter un, vous aussi. Les connexions par un fournisseur d’identité valent ce que le fournisseur déclare.',
          ],
          [
            'Dès que la règle n’est plus active, un mot de passe seul suffit aux membres sans second facteur.',
            PAR_DEUX,
          ],
        ],
      ],
    ],
  ] as const)('say what holds once they have changed (%s)', async (locale, changes, rules) => {
    for (const [at, change] of changes.entries()) {
      const visitor = await story.visit({ locale });
      await visitor.betray((operation, data) => {
        if (operation !== 'Viewer') return;
        const isOn = at === 1;
        Object.assign(within(data, 'viewer', 'organization'), {
          requireSecondPerson: isOn,
          requireSecondFactor: isOn,
        });
      });
      await visitor.enter(desk.everything, '/organization/settings');
      for (const [rule, on, off] of rules)
        expect(await sentences(visitor, rule, change)).toEqual([...(at === 0 ? on : off)]);
    }
  });

  it('hold only once a second owner asked for the same', async () => {
    const ask = async (who: SeededUser) => {
      const visitor = await story.visit();
      await visitor.enter(who, '/organization/settings');
      await visitor.page.getByRole('button', { name: `${PERSON}: Turn on…` }).click();
      await visitor.page.getByRole('button', { name: 'Change the rule' }).click();
      return visitor.page.locator('section', {
        has: visitor.page.getByRole('heading', { level: 2, name: PERSON, includeHidden: true }),
      });
    };
    const first = await ask(desk.everything);
    await first.page().getByRole('alert').getByText('Proposed.').waitFor();
    await first.page().keyboard.press('Escape');
    await first.page().reload();
    await first.getByText('off', { exact: true }).waitFor();
    const agreeing = await ask(second);
    await agreeing.getByText('on', { exact: true }).waitFor();
    await first.page().reload();
    await first.getByText('on', { exact: true }).waitFor();
  });
});
