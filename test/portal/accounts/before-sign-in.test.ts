import { beforeAll, expect, it } from '@jest/globals';
import { inviteMember } from '../../../src/domain/organizations/invitations/invite-member.js';
import { sql } from '../../../src/platform/database/index.js';
import { LOOKS, loaded, portalStories, type Visitor } from '../../kit/browser/portal.js';
import { SEED_PASSWORD } from '../../kit/seed.js';

/** Has the form of a token, and belongs to nobody. */
const TOKEN = 'a'.repeat(43);
const RATE_LIMITED = {
  message: 'Too many requests.',
  extensions: { code: 'TOO_MANY_REQUESTS', reason: 'rate_limited', retryAfterSeconds: 3_600 },
};
const WEAK = {
  message: 'input.newPassword is too easy to guess.',
  extensions: {
    code: 'BAD_USER_INPUT',
    members: [{ member: 'input.newPassword', message: 'input.newPassword is too easy to guess.' }],
  },
};
const FAILED = { message: 'It failed.', extensions: { code: 'INTERNAL_SERVER_ERROR' } };
const GONE = { message: 'No such invitation.', extensions: { code: 'NOT_FOUND' } };
const WRONG = { message: 'A wrong password.', extensions: { code: 'UNAUTHENTICATED' } };
portalStories('pages before the sign-in', (story) => {
  let invited: string;
  beforeAll(async () => {
    const { application, organization, url } = story.app;
    const person = { email: 'ina.invited@example.test', name: 'Ina Invited' };
    const { link } = await inviteMember(
      application.foundation,
      { origin: () => url },
      organization.owner.principal,
      person,
    );
    invited = link!.split('#')[1]!;
  });
  /** The gateway refuses each mutation with this. */
  const refuses = ({ context }: Visitor, error: object) =>
    context.route('**/graphql', (route) =>
      /mutation \w+\(/.test(route.request().postData() ?? '')
        ? route.fulfill({ json: { data: null, errors: [error] } })
        : route.fallback(),
    );
  const isClean = async (visitor: Visitor, state: string) => {
    await loaded(visitor.page);
    for (const media of LOOKS) {
      await visitor.page.emulateMedia(media);
      expect([state, media, await visitor.accessibilityProblems()]).toEqual([state, media, []]);
    }
    await visitor.page.setViewportSize({ width: 320, height: 640 });
    const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect([state, await visitor.page.evaluate(isWider)]).toEqual([state, false]);
    expect([state, await visitor.accessibilityProblems()]).toEqual([state, []]);
    await visitor.page.setViewportSize({ width: 1200, height: 760 });
  };

  it.each([
    ['/sign-in', 'Sign in', [WRONG, RATE_LIMITED, FAILED]],
    ['/invitation#', 'Accept the invitation', [GONE, RATE_LIMITED, FAILED]],
    ['/password-reset', 'Mail me a link', [RATE_LIMITED, FAILED]],
    [`/password-reset#${TOKEN}`, 'Set the password', [GONE, WEAK, RATE_LIMITED, FAILED]],
  ] as const)(
    'pass axe in every look at %s, also when it is refused',
    async (place, action, refusals) => {
      const visitor = await story.visit({ reducedMotion: 'reduce' });
      const { page } = visitor;
      for (const refusal of [undefined, ...refusals]) {
        await page.goto('about:blank');
        await visitor.open(place.endsWith('#') ? place + invited : place);
        const button = page.getByRole('button', { name: action, exact: true });
        await button.waitFor();
        if (refusal) {
          await refuses(visitor, refusal);
          for (const field of await page.getByRole('textbox').all())
            if ((await field.getAttribute('type')) === 'email') await field.fill('ana@example.test');
          for (const field of await page.locator('[type=password]').all()) await field.fill(SEED_PASSWORD);
          await button.click();
          const shown = refusal === WEAK ? '[aria-invalid=true]' : '[role=alert]';
          await page.locator(shown).first().waitFor();
        }
        await isClean(visitor, `${place} ${refusal?.message ?? 'at first'}`);
        await visitor.context.unrouteAll();
      }
    },
    480_000,
  );

  it('pass axe when they report an ended session, a failed provider, or a sent link', async () => {
    const visitor = await story.visit({ reducedMotion: 'reduce' });
    const { page } = visitor;
    for (const [search, text] of [
      ['ended=true', 'Your session has ended.'],
      ['ended=changed', 'You changed how you sign in'],
      ['left=true', 'did not confirm that your session has ended'],
      ['problem=unavailable', 'cannot be reached now'],
    ] as const) {
      await visitor.open(`/sign-in?${search}`);
      await page.getByText(text).waitFor();
      await isClean(visitor, search);
    }
    await visitor.open('/password-reset');
    // This gateway sends no mail.
    await visitor.context.route('**/graphql', (route) =>
      route.fulfill({ json: { data: { requestPasswordReset: true } } }),
    );
    await page.getByLabel('E-mail address').fill('ana@example.test');
    await page.getByRole('button', { name: 'Mail me a link' }).click();
    await page.getByText('a link is on its way').waitFor();
    await isClean(visitor, 'asked for a link');
  }, 480_000);

  it('pass axe when the organization requires a second factor that the session lacks', async () => {
    const { database, organization } = story.app;
    await database.transaction((transaction) =>
      transaction.rows(
        sql`update organizations set require_second_factor = true where id = ${organization.organization.id}`,
      ),
    );
    const visitor = await story.visit({ reducedMotion: 'reduce' });
    const { page } = visitor;
    await visitor.open('/sign-in');
    await page.getByLabel('E-mail address').fill(organization.owner.email);
    await page.getByLabel('Password').fill(SEED_PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Your organization requires a second factor.').waitFor();
    await isClean(visitor, 'second factor required');
  });
});
