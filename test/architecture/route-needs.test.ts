import { describe, expect, it } from '@jest/globals';
import { PERMISSIONS, type Principal, type RequestContext } from '../../src/domain/access/index.js';
import type { Need } from '../../src/edge/graphql/needs.js';
import { routes } from '../../src/edge/rest/routes.js';
import { startRestServer } from '../edge/rest/server/rest-server.js';
import { forFile } from '../kit/for-file.js';
import { openTestFoundation, seedMember, seedOrganization } from '../kit/seed.js';
import { isPermission, ROUTES } from './authorization/table.js';
import { holding, scopedTo } from './things/callers.js';
import { openSchema } from './things/open-schema.js';
import { seedThings } from './things/seed-things.js';

const rowOf = (method: string, path: string) => ROUTES.find(({ route }) => route === `${method} ${path}`);

describe('the permissions that a REST route declares', () => {
  it.each(routes.map((route) => ({ name: `${route.method} ${route.path}`, route })))(
    'are those of the authorization table: $name',
    ({ route }) => {
      const row = rowOf(route.method, route.path);
      expect([...(route.needs ?? [])].sort()).toEqual((row?.may ?? []).filter(isPermission).sort());
      expect([...(route.alsoNeeds ?? [])].sort()).toEqual([...(row?.also ?? [])].sort());
    },
  );
});

const { foundation } = await openTestFoundation();
const { schema } = forFile(openSchema(foundation));
const home = await seedOrganization(foundation);
const things = await seedThings(foundation, home);
// Operations that change something look for the permission in the database, too.
const { owner, administrator, auditor, common } = PERMISSIONS;
const { id, foreignId, name: applicationName } = home.application;
const member = await seedMember(foundation, home.organization.id, {
  owner,
  applications: [{ foreignId, administrator, auditor, common }],
});
let caller: Principal;
const server = forFile(
  await startRestServer({
    schema,
    contextFor: ({ ip }) =>
      Promise.resolve<RequestContext>({ principal: caller, requestId: 'r-1', clientAddress: ip }),
  }),
);

// Otherwise a malformed request of a caller who lacks the other permission would be refused with 400, and a good one with 403.
describe('a caller who holds exactly the permissions that a REST route declares', () => {
  const sufficient = routes.flatMap((route) =>
    (route.needs ?? []).flatMap((need) =>
      (route.alsoNeeds ?? [undefined]).map((also) => {
        const needs: Need[] = also === undefined ? [need] : [need, also];
        return { name: `${route.method} ${route.path} with ${needs.join(' and ')}`, route, needs };
      }),
    ),
  );

  it.each(sufficient)('is not refused for another one: $name', async ({ route, needs }) => {
    const row = rowOf(route.method, route.path)!;
    const fill = (text: string) =>
      text.replace(/\{(\w+)\}/g, (whole, thing: string) => things[thing] ?? whole);
    const application = { id, foreignId, name: applicationName };
    caller = needs[0]!.startsWith('scope ')
      ? scopedTo(home.apiKey.principal, needs)
      : holding(member.principal, application, needs);
    const path = route.path.replace(/\{(\w+)\}/g, (_, thing: string) => fill(row.params?.[thing] ?? ''));
    const body = row.body === undefined ? {} : { body: fill(JSON.stringify(row.body)) };
    const answer = await server.call(route.method, `${path}${row.query ?? ''}`, body);
    expect([200, 201, 400, 404, 409]).toContain(answer.status);
  });
});
