import { describe, expect, it } from '@jest/globals';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  defaultParseSearch,
  defaultStringifySearch,
} from '@tanstack/react-router';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { APPLICATION_PLACES, ORGANIZATION_PLACES } from '../../../portal/src/app/places.ts';
import { RELAY_STATUSES } from '../../../src/domain/relays/relay-state.js';
import * as searches from '../../../portal/src/screens/search.ts';
import { EVENT_TYPES } from '../../../src/domain/activity-log/event-types.js';
import { CONFIDENTIAL_EVENT_TYPES } from '../../../src/platform/ledger/token-2022/confidential-event.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { fc } from '../../kit/properties.js';

const root = path.resolve(import.meta.dirname, '../../..');
const source = readFileSync(path.join(root, 'portal/src/app/router.tsx'), 'utf8');
/** The paths of all screens in the router. */
const PATHS = [...source.matchAll(/\n {2}path: '([^']+)'/g)].map(([, found]) => found!);

/** A router with the same paths and no screens. */
const rootRoute = createRootRoute();
const router = createRouter({
  routeTree: rootRoute.addChildren(
    PATHS.map((to) => createRoute({ getParentRoute: () => rootRoute, path: to })),
  ),
  basepath: '/portal',
  history: createMemoryHistory({ initialEntries: ['/portal/'] }),
});

/** As the gateway accepts them. */
const foreignId = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/);
const id = fc.constantFrom('crq', 'cas', 'dsc', 'ast', 'usr', 'rly').map((prefix) => newId(prefix as 'cas'));

describe('the URL of a page', () => {
  it('opens exactly that page and its object', () => {
    expect(PATHS.length).toBeGreaterThan(30);
    expect(new Set(PATHS).size).toBe(PATHS.length);
    fc.assert(
      fc.property(fc.constantFrom(...PATHS), foreignId, id, (to, app, one) => {
        const { pathname } = router.buildLocation({ to, params: { app, id: one } } as never);
        const match = router.matchRoutes(pathname, {}).at(-1)!;
        expect(match.fullPath).toBe(to);
        const params = {
          ...(to.includes('$app') ? { app } : {}),
          ...(to.includes('$id') ? { id: one } : {}),
        };
        expect({ ...match.params }).toEqual(params);
        // The name of the application in the navigation.
        expect(/^\/a\/([^/]+)/.exec(pathname)?.[1]).toBe(params.app);
      }),
    );
  });

  it('is known to the router for every target of the navigation, “Go to” and pasted ids', () => {
    const pasted = readFileSync(path.join(root, 'portal/src/screens/place-of-id.ts'), 'utf8');
    const links = [...pasted.matchAll(/[`'](\/[^`'#?]*)[^`']*[`']/g)].map(([, found]) => found!);
    expect(links.length).toBeGreaterThan(8);
    const places = [...APPLICATION_PLACES, ...ORGANIZATION_PLACES].map(({ to }) => to);
    for (const to of [...places, ...links, '/', '/account', '/verify', '/help']) {
      const app = 'payments';
      const address = to.replace(/\$\{?app\}?/, app).replace(/\$\{id\}/, newId('cas'));
      expect([to, router.matchRoutes(address, {}).at(-1)?.fullPath]).not.toEqual([to, undefined]);
      expect([to, address.includes('$')]).toEqual([to, false]);
    }
  });
});

const day = fc
  .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const value = fc.oneof(
  day,
  id,
  fc.constantFrom(
    'decided',
    'reports',
    'approved',
    'gateway',
    'asset.created',
    'asset.sold',
    'confidential_mint',
    'update_mint',
    'unavailable',
    'call_this_number',
    '/a/payments/log?by=x',
    'fullTxIds',
    true,
  ),
  fc.string(),
  fc.jsonValue(),
  fc.array(fc.oneof(id, fc.constantFrom('fullTxIds'), fc.string())),
);
const NAMES = [
  'next',
  'ended',
  'left',
  'problem',
  'view',
  'from',
  'to',
  'assets',
  'auditors',
  'flags',
  'tab',
  'event',
  'by',
  'of',
  'check',
  'status',
  'asset',
  'type',
  'app',
  'entry',
  'report',
];
const search = fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: NAMES.length });
/** Dates and ids. The words of the closed lists are separate. */
const MAY_STAND = /^(\d{4}-\d{2}-\d{2}|[a-z]{3}_[0-9a-z]+)$/;
const WORDS: ReadonlySet<unknown> = new Set([
  ...['decided', 'transactions', 'reports', 'activity', 'approved', 'revoked', 'gateway', 'operator'],
  ...['fullTxIds', 'senderInformation', 'withdrawalDetails'],
  ...RELAY_STATUSES,
  ...['unauthenticated', 'not_found', 'unavailable', 'second_factor_required'],
  ...EVENT_TYPES,
  ...CONFIDENTIAL_EVENT_TYPES,
]);

describe('the query of a URL', () => {
  it.each(Object.entries(searches))('is read for %s as it was written', (_, read) => {
    fc.assert(
      fc.property(search, (members) => {
        const known = read(members) as Record<string, unknown>;
        expect(read(defaultParseSearch(defaultStringifySearch(known)))).toEqual(known);
        expect(read(known)).toEqual(known);
      }),
    );
  });

  it.each(Object.entries(searches))(
    'contains for %s only words of closed lists, dates and ids',
    (_, read) => {
      fc.assert(
        fc.property(search, (members) => {
          for (const [name, known] of Object.entries(read(members)))
            for (const one of Array.isArray(known) ? known : [known])
              if (name === 'next') expect(one).toMatch(/^\/(?![/\\])/);
              else if (name === 'app') expect(one).toMatch(/^[a-z0-9][a-z0-9-]{0,62}$/);
              else if (one !== true && !WORDS.has(one)) expect(one).toMatch(MAY_STAND);
        }),
      );
    },
  );

  it('names an existing type of log event, or none', () => {
    expect(searches.logSearch({ event: 'asset.created' })).toEqual({ event: 'asset.created' });
    expect(searches.logSearch({ event: 'asset.sold' })).toEqual({});
  });

  it('shows every refused sign-in as refused, in fixed texts of the page', () => {
    expect(searches.signInSearch({ problem: 'unavailable' })).toEqual({ problem: 'unavailable' });
    expect(searches.signInSearch({ problem: 'call_this_number' })).toEqual({ problem: 'unauthenticated' });
    expect(searches.signInSearch({})).toEqual({});
  });

  it('is read by the router only with these functions', () => {
    const used = [...source.matchAll(/validateSearch: (\w+)/g)].map(([, name]) => name);
    expect([...source.matchAll(/validateSearch/g)]).toHaveLength(used.length);
    expect(new Set(used)).toEqual(new Set(Object.keys(searches)));
  });
});
