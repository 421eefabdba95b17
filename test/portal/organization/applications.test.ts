import { beforeAll, expect, it } from '@jest/globals';
import { seedMember } from '../../kit/seed.js';
import { portalStories, problemsInEveryLook, until } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('a new application', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  const create = async (who: Desk['everything'], name: string, options: object = {}) => {
    const visitor = await story.visit(options);
    const { page } = visitor;
    await visitor.enter(who, '/organization/applications');
    await page.getByRole('button', { name: /^(Create an|Créer une) application…$/ }).click();
    await page.getByLabel(/^(Name|Nom)$/).fill(name);
    await page.getByLabel('foreignId').fill(name.toLowerCase());
    await page.getByRole('button', { name: /^(Create the application|Créer l’application)$/ }).click();
    const heading = page.getByRole('heading', { level: 2 }).filter({ hasText: name });
    await heading.waitFor();
    // What comes next has the focus.
    await until(page, `document.activeElement?.tagName === 'H2'`);
    return { visitor, page, heading };
  };

  it('leads to what its backend and its people need, and its name to the first place in it', async () => {
    const { visitor, page, heading } = await create(desk.everything, 'Payroll');
    expect(await heading.innerText()).toBe('“Payroll” is created. What comes next:');
    expect(await problemsInEveryLook(visitor)).toEqual([]);
    for (const [link, title] of [
      ['Register an asset, or open one, and assign it', 'Assets'],
      ['Grant people permissions in it', 'People'],
      ['List the addresses that it deals with', 'Addresses'],
      ['Create an API key for its backend', 'API keys'],
    ] as const) {
      await create(desk.everything, `Payroll-${title.slice(0, 3)}`).then(async ({ page: other }) => {
        await other.getByRole('link', { name: link }).click();
        await other.getByRole('heading', { level: 1, name: title }).waitFor();
      });
    }
    const reference = page.getByRole('link', { name: 'Read the API reference' });
    expect(await reference.getAttribute('href')).toBe('/docs');
    expect((await visitor.context.request.get(`${story.app.url}/docs`)).status()).toBe(200);
    await page.getByRole('link', { name: 'Payroll', exact: true }).click();
    await page.waitForURL('**/a/payroll/addresses');
    // The key's page says how a backend uses it.
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('A backend sends its key as a bearer token.').waitFor();
    expect(await page.getByRole('link', { name: 'API reference' }).getAttribute('href')).toBe('/docs');
  });

  it('says the same in French, and only what the person may do', async () => {
    const few = await seedMember(
      story.app.application.foundation,
      story.app.organization.organization.id,
      { owner: ['applications:read', 'applications:create'] },
      'Fia Few',
    );
    const { visitor, page } = await create(few, 'Paie', {
      locale: 'fr-FR',
      viewport: { width: 320, height: 640 },
    });
    expect(await page.getByRole('main').getByRole('list').getByRole('link').allTextContents()).toEqual([
      'Enregistrer un actif, ou en ouvrir un, et le lui attribuer',
      'Lire la référence de l’API',
    ]);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
