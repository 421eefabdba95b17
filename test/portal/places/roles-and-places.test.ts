import { beforeAll, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { portalStories, settled, type Visitor } from '../../kit/browser/portal.js';
import { seedMember, type SeededUser } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

const ROLES = ['owner', 'administrator', 'auditor', 'nobody'] as const;
type Role = (typeof ROLES)[number];

/**
 * `in the navigation`: the place is listed there, and opens. `by its address`: it is not listed, and opens. `refused`: it is
 * not listed, and its address shows that the permission is missing, and nothing else of the organization.
 */
type Access = 'in the navigation' | 'by its address' | 'refused';

const LISTED = 'in the navigation';
const BY_ADDRESS = 'by its address';
const REFUSED = 'refused';
const OF_OWNER = [LISTED, REFUSED, REFUSED, REFUSED] as const;
const OF_EVERYBODY = [LISTED, LISTED, LISTED, LISTED] as const;

/** Each place with its name in the navigation, and the access of each role, in their order. */
const PLACES: Readonly<Record<string, readonly [name: string, access: readonly Access[]]>> = {
  '/': ['To do', OF_EVERYBODY],
  '/a/payments/requests': ['Case requests', [REFUSED, LISTED, LISTED, REFUSED]],
  '/a/payments/cases': ['Cases', [REFUSED, LISTED, LISTED, REFUSED]],
  '/a/payments/reports': ['Reports', [REFUSED, LISTED, LISTED, REFUSED]],
  '/a/payments/log': ['Activity', [REFUSED, LISTED, LISTED, REFUSED]],
  // An owner keeps the addresses of every application.
  '/a/payments/addresses': ['Addresses', [BY_ADDRESS, LISTED, REFUSED, REFUSED]],
  '/disclosures': ['Disclosures', [LISTED, LISTED, REFUSED, REFUSED]],
  // Anyone may ask for the applications in which they hold a permission.
  '/organization/applications': ['Applications', [LISTED, REFUSED, REFUSED, BY_ADDRESS]],
  '/organization/assets': ['Assets', OF_OWNER],
  '/organization/policies': ['Policies', OF_OWNER],
  '/organization/people': ['People', OF_OWNER],
  '/organization/keys': ['API keys', OF_OWNER],
  '/organization/reports': ['All reports', OF_OWNER],
  '/organization/log': ['Activity log', OF_OWNER],
  '/organization/relays': ['Relays', OF_OWNER],
  '/organization/refusals': ['Refusals', OF_OWNER],
  '/organization/retention': ['Retention', OF_OWNER],
  // The rules of the organization, which hold for every member.
  '/organization/settings': ['Settings', [LISTED, BY_ADDRESS, BY_ADDRESS, BY_ADDRESS]],
  '/account': ['Your account', OF_EVERYBODY],
};

/** The permissions that each role has, by bucket. */
const HELD: Readonly<Record<Role, Readonly<Record<string, readonly string[]>>>> = {
  owner: { owner: PERMISSIONS.owner },
  administrator: { common: PERMISSIONS.common, administrator: PERMISSIONS.administrator },
  auditor: { common: PERMISSIONS.common, auditor: PERMISSIONS.auditor },
  nobody: {},
};
const BUCKETS = Object.keys(PERMISSIONS);

/** Whether a refusal names the permission that it takes: some, and none that the role has. */
function namesWhatIsMissing(refusal: string, role: Role): boolean {
  const named = [...refusal.matchAll(/(?:\b(\w+) )?permission (\w+:\w+)/g)];
  const isHeld = ([, bucket = '', permission = '']: readonly (string | undefined)[]) =>
    (BUCKETS.includes(bucket) ? [bucket] : BUCKETS).some((one) => HELD[role][one]?.includes(permission));
  return named.length > 0 && !named.some(isHeld);
}

/** What the browser keeps, wherever a page can keep something. */
interface Kept {
  readonly local: readonly (readonly [key: string, value: string])[];
  readonly elsewhere: readonly string[];
}

portalStories('each role in the portal', (story) => {
  let desk: Desk;
  /** Of one object each: the navigation has none of them. */
  let details: Readonly<Record<string, readonly Access[]>>;
  let members: Readonly<Record<Role, SeededUser>>;
  beforeAll(async () => {
    desk = await openDesk(story.app);
    const { application, organization } = story.app;
    const { id } = organization.organization;
    members = {
      owner: await seedMember(application.foundation, id, { owner: PERMISSIONS.owner }, 'Odo Owner'),
      administrator: desk.administrator,
      auditor: desk.auditor,
      nobody: await seedMember(application.foundation, id, {}, 'Nobody Yet'),
    };
    const request = await desk.ask('A request of the auditor');
    const opened = await desk.openCase('A case of the auditor');
    const disclosure = await desk.askDisclosure('A disclosure to decide');
    details = {
      [`/a/payments/requests/${request}`]: [REFUSED, BY_ADDRESS, BY_ADDRESS, REFUSED],
      [`/a/payments/cases/${opened}`]: [REFUSED, BY_ADDRESS, BY_ADDRESS, REFUSED],
      [`/disclosures/${disclosure}`]: [BY_ADDRESS, BY_ADDRESS, REFUSED, REFUSED],
      [`/organization/assets/${desk.asset.id}`]: [BY_ADDRESS, REFUSED, REFUSED, REFUSED],
      [`/organization/people/${desk.auditor.principal.userId}`]: [BY_ADDRESS, REFUSED, REFUSED, REFUSED],
    };
  });

  const accessAt = async ({ page }: Visitor, role: Role, name?: string): Promise<string> => {
    await settled({ page });
    const links = page.getByRole('navigation', { name: 'Main' }).first().getByRole('link');
    const listed = (await links.allInnerTexts()).map((text) => text.replace(/\s+\d+\s+waiting$/, '').trim());
    const isListed = name !== undefined && listed.includes(name);
    const main = page.getByRole('main');
    const alerts = new Set(await main.getByRole('alert').getByRole('heading').allInnerTexts());
    if (alerts.size === 0) return isListed ? LISTED : BY_ADDRESS;
    // The gateway gives one answer to who asks for nothing, and for nothing of theirs.
    if ([...alerts].some((alert) => !['No permission', 'Nothing here'].includes(alert)))
      return [...alerts].join(', ');
    const refusals = await main.getByRole('alert').filter({ hasText: 'No permission' }).allInnerTexts();
    const unnamed = refusals.find((refusal) => !namesWhatIsMissing(refusal, role));
    if (unnamed !== undefined) return `refused without the permission that it takes: ${unnamed}`;
    const shown = await main.locator('li.item, tbody tr, [role=row]').count();
    return [REFUSED, ...(isListed ? ['but listed'] : []), ...(shown > 0 ? [`but ${shown} shown`] : [])].join(
      ' ',
    );
  };
  const keptBy = ({ page }: Visitor) =>
    page.evaluate<Kept>(`(async () => ({
      local: Object.entries(localStorage),
      elsewhere: [
        ...Object.keys(sessionStorage),
        ...(await indexedDB.databases()).map(({ name }) => name),
        ...(await caches.keys()),
        ...(await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
        document.cookie,
      ].filter((name) => name !== ''),
    }))()`);

  it.each(ROLES)(
    'shows %s its places in the navigation, refuses the others, and leaves nothing but checkpoints and settings',
    async (role) => {
      const visitor = await story.visit();
      const member = members[role];
      await visitor.enter(member);
      const found: [string, string][] = [];
      const expected: [string, Access][] = [];
      const at = ROLES.indexOf(role);
      const walk = async (place: string, access: readonly Access[], name?: string) => {
        await visitor.open(place);
        found.push([place, await accessAt(visitor, role, name)]);
        expected.push([place, access[at]!]);
      };
      for (const [place, [name, access]] of Object.entries(PLACES)) await walk(place, access, name);
      for (const [place, access] of Object.entries(details)) await walk(place, access);
      expect(found).toEqual(expected);
      if (role === 'nobody') {
        // Hidden is not empty.
        await visitor.open('/organization/applications');
        await visitor.page.getByText('You have no permission in an application').waitFor();
      }

      // A setting is kept, too.
      await visitor.open('/account');
      await visitor.page.getByLabel('Colors').selectOption('dark');
      const { local, elsewhere } = await keptBy(visitor);
      expect(elsewhere).toEqual([]);
      for (const [key, value] of local) {
        const members = Object.keys(JSON.parse(value) as object).sort();
        if (key === 'lucarne.settings')
          expect(members).toEqual(['isCompact', 'isLocalTime', 'language', 'scheme']);
        else {
          expect(key).toMatch(/^lucarne\.checkpoint\.[^/]+\/.*org_[0-9a-z]+$/);
          expect(members).toEqual(['keys', 'note', 'seenAt', 'size', 'verifierKey']);
        }
        for (const hidden of [
          member.email,
          'Ada',
          'Ana',
          'A case of',
          'A request of',
          'usr_',
          'cas_',
          'ast_',
        ])
          expect(value).not.toContain(hidden);
      }
      expect(local.map(([key]) => key)).toContain('lucarne.settings');
      if (role === 'owner') expect(local).toHaveLength(2);
    },
    480_000,
  );

  it('keeps a refusal in place while it is read again', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(members.owner);
    const [first, second, counted] = Array.from({ length: 3 }, () => Promise.withResolvers<undefined>());
    let reads = 0;
    await page.context().route('**/graphql', async (route) => {
      const isRead = route.request().postData()?.includes('query CaseRequests(') === true;
      if (isRead && (reads += 1) === 2) {
        second!.resolve(undefined);
        await counted!.promise;
      }
      await route.fallback();
    });
    // The list is read again when the gateway refuses to follow it, too. That waits until the first refusal is shown.
    await page.context().routeWebSocket('**/graphql', async (socket) => {
      await first!.promise;
      socket.connectToServer();
    });
    await visitor.open('/a/payments/requests');
    const refusal = page.getByRole('main').getByRole('alert').filter({ hasText: 'No permission' });
    await refusal.waitFor();
    first!.resolve(undefined);
    await second!.promise;
    // Between two frames, the page shows what it shows while the second answer is awaited.
    await page.waitForTimeout(500);
    const count = await refusal.count();
    counted!.resolve(undefined);
    expect(count).toBe(1);
  });
});
