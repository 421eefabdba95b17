import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql, type ExecutionResult, type GraphQLSchema } from 'graphql';
import type { Database, Foundation } from '../../src/database/index.js';
import { executableSchema } from '../../src/graphql/schema.js';
import {
  createAuthenticator,
  organizationResolvers,
  type Principal,
  type RequestContext,
} from '../../src/organizations/index.js';
import { createTestDatabase } from '../kit/database.js';
import {
  SEED_PASSWORD,
  seedMember,
  seedOrganization,
  testFoundation,
  type SeededOrganization,
} from '../kit/seed.js';

const AUTH_ME = `{
  me {
    organization_info: organization { org_id: id name }
    owner: ownerPermissions
    applications: applicationPermissions
  }
}`;

describe('organizations over GraphQL', () => {
  let database: Database;
  let foundation: Foundation;
  let schema: GraphQLSchema;
  let seed: SeededOrganization;
  beforeAll(async () => {
    database = await createTestDatabase();
    foundation = testFoundation(database);
    schema = executableSchema(organizationResolvers(foundation));
    seed = await seedOrganization(foundation);
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  /** A browser: it keeps the cookie, and each request of it is authenticated anew. */
  function browser(token?: string) {
    let cookie = token;
    return {
      cookie: () => cookie,
      async run(source: string, variableValues: Record<string, unknown> = {}) {
        await using authenticator = createAuthenticator(foundation);
        const principal = await authenticator.authenticate(
          cookie === undefined ? {} : { sessionToken: cookie },
        );
        const sessionCookie = {
          token: cookie,
          set: (value: string) => void (cookie = value),
          clear: () => void (cookie = undefined),
        };
        return await run(source, variableValues, principal, { sessionCookie });
      },
    };
  }

  function run(
    source: string,
    variableValues: Record<string, unknown>,
    principal: Principal | undefined,
    more: Partial<RequestContext> = {},
  ): Promise<ExecutionResult> {
    const contextValue: RequestContext = {
      principal,
      requestId: 'request',
      clientAddress: '192.0.2.50',
      ...more,
    };
    return graphql({ schema, source, variableValues, contextValue });
  }

  const codesOf = (result: ExecutionResult) =>
    result.errors?.map(({ originalError }) => (originalError as { code?: string } | undefined)?.code);

  it('answers /auth/me by aliases alone, in the shape of the portal', async () => {
    const member = await seedMember(foundation, seed.organization.id, {
      owner: ['applications:read'],
      applications: [{ foreignId: 'payments', administrator: ['cases:list'] }],
    });
    const { data } = await browser(member.sessionToken).run(AUTH_ME);
    const me = data?.['me'] as Record<string, Record<string, unknown>>;
    expect(me['organization_info']).toEqual({ org_id: seed.organization.id, name: 'Acme' });
    expect(me['owner']).toMatchObject({ 'applications:read': true, 'members:manage': false });
    expect(me['applications']).toEqual({
      payments: {
        application_info: { name: seed.application.name },
        common: { 'logs:view_activity': false },
        administrator: {
          'cases:approve_creation': false,
          'cases:list': true,
          'reports:list': false,
          'addresses:manage': false,
          'disclosures:decide': false,
        },
        auditor: {
          'reports:view_transactions': false,
          'cases:create': false,
          'cases:withdraw_pending_request': false,
          'reports:create': false,
          'reports:list': false,
          'reports:download': false,
        },
      },
    });
    expect(JSON.stringify(me)).not.toContain(seed.application.id);
  });

  it('tells an API key its organization, and that it is no user', async () => {
    const { data } = await run(
      '{ me { organization { id } user { id } apiKey { name scopes } permissions { owner } } }',
      {},
      seed.apiKey.principal,
    );
    expect(data?.['me']).toMatchObject({
      organization: { id: seed.organization.id },
      user: null,
      apiKey: { name: 'Backend' },
      permissions: { owner: [] },
    });
  });

  it('is UNAUTHENTICATED for nobody', async () => {
    for (const source of [AUTH_ME, '{ permissionTable { name } }', '{ members { nodes { id } } }']) {
      expect(codesOf(await browser().run(source))).toEqual(['UNAUTHENTICATED']);
    }
  });

  it('signs in, acts and signs out by the cookie', async () => {
    const page = browser();
    const signIn =
      'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { user { email } } }';
    const credentials = { email: seed.owner.email, password: SEED_PASSWORD };
    expect(codesOf(await page.run(signIn, { ...credentials, password: 'a wrong password' }))).toEqual([
      'UNAUTHENTICATED',
    ]);
    expect(page.cookie()).toBeUndefined();
    const { data } = await page.run(signIn, credentials);
    expect(data?.['signIn']).toEqual({ user: { email: seed.owner.email } });
    const created = await page.run(`mutation {
      createApplication(foreignId: "from-graphql", name: "From GraphQL") { foreignId name checkApplicationId }
    }`);
    expect(created.data?.['createApplication']).toMatchObject({ foreignId: 'from-graphql' });
    expect((await page.run('mutation { signOut }')).data).toEqual({ signOut: true });
    expect(page.cookie()).toBeUndefined();
    expect(codesOf(await page.run(AUTH_ME))).toEqual(['UNAUTHENTICATED']);
  });

  it('opens and ends no session where an answer carries no cookie', async () => {
    for (const source of [
      'mutation { signIn(email: "a@b", password: "x") { user { id } } }',
      'mutation { signOut }',
      'mutation { changePassword(currentPassword: "x", newPassword: "y") }',
    ]) {
      expect(codesOf(await run(source, {}, seed.owner.principal))).toEqual(['BAD_USER_INPUT']);
    }
  });

  it('manages members: added, given permissions, listed, removed', async () => {
    const page = browser(seed.owner.sessionToken);
    const added = await page.run(
      `mutation ($permissions: PermissionsInput) {
        addMember(email: "greta@example.test", name: "Greta", password: "long enough for it", permissions: $permissions) {
          id permissions { owner applications { foreignId auditor } }
        }
      }`,
      { permissions: { applications: [{ foreignId: 'payments', auditor: ['cases:create'] }] } },
    );
    const member = added.data?.['addMember'] as { id: string };
    expect(member).toMatchObject({
      permissions: { owner: [], applications: [{ foreignId: 'payments', auditor: ['cases:create'] }] },
    });
    const changed = await page.run(
      `mutation ($id: String!) {
        setPermissions(memberId: $id, permissions: { owner: ["relays:read"] }) {
          permissions { owner applications { foreignId } }
        }
      }`,
      { id: member.id },
    );
    expect(changed.data?.['setPermissions']).toEqual({
      permissions: { owner: ['relays:read'], applications: [] },
    });
    const ids = async () => {
      const { data } = await page.run('{ members(first: 200) { nodes { id } pageInfo { hasNextPage } } }');
      return (data?.['members'] as { nodes: { id: string }[] }).nodes.map(({ id }) => id);
    };
    expect(await ids()).toContain(member.id);
    const removed = await page.run(
      'mutation ($id: String!) { removeMember(memberId: $id) { name } }',
      member,
    );
    expect(removed.data?.['removeMember']).toEqual({ name: 'Greta' });
    expect(await ids()).not.toContain(member.id);
  });

  it('shows the secret of an API key in the answer that made it, and in no other', async () => {
    const page = browser(seed.owner.sessionToken);
    const created = await page.run(`mutation {
      createApiKey(name: "Shown once", scopes: ["assets:read"]) { secret apiKey { id displayPrefix revokedAt } }
    }`);
    const { secret, apiKey } = created.data?.['createApiKey'] as {
      secret: string;
      apiKey: { id: string; displayPrefix: string };
    };
    expect(secret.startsWith(apiKey.displayPrefix)).toBe(true);
    const revoked = await page.run('mutation ($id: String!) { revokeApiKey(id: $id) { id revokedAt } }', {
      id: apiKey.id,
    });
    expect(revoked.data?.['revokeApiKey']).toMatchObject({ id: apiKey.id });
    const listed = await page.run('{ apiKeys { edges { node { id name scopes displayPrefix } } } }');
    expect(JSON.stringify(listed.data)).toContain(apiKey.id);
    expect(JSON.stringify(listed.data)).not.toContain(secret);
  });

  it('shows the public check id to owners and to administrators of the application only', async () => {
    const source = '{ applications { nodes { foreignId checkApplicationId } } }';
    const administrator = await seedMember(foundation, seed.organization.id, {
      applications: [{ foreignId: 'payments', administrator: ['cases:list'] }],
    });
    const auditor = await seedMember(foundation, seed.organization.id, {
      applications: [{ foreignId: 'payments', auditor: ['cases:create'] }],
    });
    const shown = async (principal: Principal) => {
      const { data } = await run(source, {}, principal);
      const { nodes } = data?.['applications'] as {
        nodes: { foreignId: string; checkApplicationId: string | null }[];
      };
      return nodes.find(({ foreignId }) => foreignId === 'payments')?.checkApplicationId;
    };
    expect(await shown(seed.owner.principal)).toBe(seed.application.checkApplicationId);
    expect(await shown(administrator.principal)).toBe(seed.application.checkApplicationId);
    expect(await shown(auditor.principal)).toBeNull();
    expect(await shown(seed.apiKey.principal)).toBeNull();
  });

  it('shows and changes whether a second person must approve', async () => {
    const page = browser(seed.owner.sessionToken);
    const shown = async () =>
      (await page.run('{ me { organization { requireSecondPerson } } }')).data?.['me'];
    expect(await shown()).toEqual({ organization: { requireSecondPerson: false } });
    const changed = await page.run(
      'mutation { updateOrganization(requireSecondPerson: true) { name requireSecondPerson } }',
    );
    expect(changed.data?.['updateOrganization']).toEqual({ name: 'Acme', requireSecondPerson: true });
    expect(await shown()).toEqual({ organization: { requireSecondPerson: true } });
  });

  it('lists and ends sessions', async () => {
    const { email, sessionToken } = await seedMember(foundation, seed.organization.id);
    const page = browser(sessionToken);
    await browser().run(
      'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { user { id } } }',
      { email, password: SEED_PASSWORD },
    );
    const listed = await page.run('{ sessions { nodes { id current } } }');
    const { nodes } = listed.data?.['sessions'] as { nodes: { id: string; current: boolean }[] };
    expect(nodes.map(({ current }) => current)).toEqual([false, true]);
    expect((await page.run('mutation { revokeOtherSessions }')).data?.['revokeOtherSessions']).toBe(1);
    const revoke = 'mutation ($id: String!) { revokeSession(id: $id) }';
    expect((await page.run(revoke, { id: nodes[1]!.id })).data?.['revokeSession']).toBe(true);
    expect(codesOf(await page.run('{ sessions { nodes { id } } }'))).toEqual(['UNAUTHENTICATED']);
  });

  it('has the permission table with every name of every bucket', async () => {
    const { data } = await browser(seed.owner.sessionToken).run('{ permissionTable { name permissions } }');
    expect(data?.['permissionTable']).toContainEqual({ name: 'common', permissions: ['logs:view_activity'] });
    expect(data?.['permissionTable']).toHaveLength(4);
  });
});
