import { describe, expect, it } from '@jest/globals';
import { routes } from '../../src/edge/rest/routes.js';
import { ROUTES } from './authorization/table.js';

const rowOf = (method: string, path: string) => ROUTES.find(({ route }) => route === `${method} ${path}`);

describe('the permissions that a REST route declares', () => {
  it.each(routes.map((route) => ({ name: `${route.method} ${route.path}`, route })))(
    'are those of the authorization table: $name',
    ({ route }) => {
      const permissions = (rowOf(route.method, route.path)?.may ?? []).filter((may) => may.includes(' '));
      // If a route requires two permissions, none in the table is sufficient alone.
      if (route.alsoNeeds) expect(permissions).toEqual([]);
      else expect([...(route.needs ?? [])].sort()).toEqual([...permissions].sort());
    },
  );
});
