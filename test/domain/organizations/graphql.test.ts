import { describe, expect, it } from '@jest/globals';
import { graphql, type ExecutionResult } from 'graphql';
import { sql } from '../../../src/platform/database/index.js';
import { executableSchema } from '../../../src/edge/graphql/schema.js';
import {
  createAuthenticator,
  PERMISSIONS,
  type Principal,
  type RequestContext,
} from '../../../src/domain/access/index.js';
import { organizationResolvers } from '../../../src/domain/organizations/index.js';
import { SEED_PASSWORD, seedMember, seedOrganization, openTestFoundation } from '../../kit/seed.js';

const AUTH_ME = `{
  me {
    organization_info: organization { org_id: id name }
    owner: ownerPermissions { name held }
    applications: applicationPermissions {
      foreignId name
      common { name held } administrator { name held } auditor { name held }
    }
  }
}`;

const { database, foundation } = await openTestFoundation();
const schema = executableSchema(
  organizationResolvers(foundation, { origin: () => 'https://lucarne.example' }),
);
const seed = await seedOrganization(foundation);

describe('organizations over GraphQL', () => {
  /** A browser that keeps the cookie. Each of its requests is authenticated again. */
  function browser(token?: string, userAgent?: string) {
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
        return await run(source, variableValues, principal, { sessionCookie, userAgent });
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

  it('returns the caller’s permissions one by one', async () => {
    const member = await seedMember(foundation, seed.organization.id, {
      owner: ['applications:read'],
      applications: [{ foreignId: 'payments', administrator: ['cases:list'] }],
    });
    const { data } = await browser(member.sessionToken).run(AUTH_ME);
    const me = data?.['me'] as Record<string, unknown>;
    expect(me['organization_info']).toEqual({ org_id: seed.organization.id, name: 'Acme' });
    expect(me['owner']).toEqual(
      PERMISSIONS.owner.map((name) => ({ name, held: name === 'applications:read' })),
    );
    const none = (names: readonly string[]) => names.map((name) => ({ name, held: false }));
    expect(me['applications']).toEqual([
      {
        foreignId: 'payments',
        name: seed.application.name,
        common: none(PERMISSIONS.common),
        administrator: PERMISSIONS.administrator.map((name) => ({ name, held: name === 'cases:list' })),
        auditor: none(PERMISSIONS.auditor),
      },
    ]);
    expect(JSON.stringify(me)).not.toContain(seed.application.id);
  });

  it('shows an API key its organization, and no user', async () => {
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

  it('is UNAUTHENTICATED without credentials', async () => {
    for (const source of [AUTH_ME, '{ permissionTable { name } }', '{ members { nodes { id } } }']) {
      expect(codesOf(await browser().run(source))).toEqual(['UNAUTHENTICATED']);
    }
  });

  it('returns the signed-in user to a page, and null without a session', async () => {
    const page = browser();
    expect(await page.run('{ viewer { user { email } } }')).toEqual({ data: { viewer: null } });
    // It gives access to nothing else.
    expect(codesOf(await page.run('{ viewer { user { email } } me { user { email } } }'))).toEqual([
      'UNAUTHENTICATED',
    ]);
    const { data } = await run('{ viewer { user { email } organization { id } } }', {}, seed.owner.principal);
    expect(data?.['viewer']).toEqual({
      user: { email: seed.owner.email },
      organization: { id: seed.organization.id },
    });
  });

  it('signs in, acts and signs out with the cookie', async () => {
    const page = browser();
    const signIn =
      'mutation ($email: String!, $password: String!) { signIn(input: { email: $email, password: $password }) { user { email } } }';
    const credentials = { email: seed.owner.email, password: SEED_PASSWORD };
    expect(codesOf(await page.run(signIn, { ...credentials, password: 'a wrong password' }))).toEqual([
      'UNAUTHENTICATED',
    ]);
    expect(page.cookie()).toBeUndefined();
    const { data } = await page.run(signIn, credentials);
    expect(data?.['signIn']).toEqual({ user: { email: seed.owner.email } });
    const created = await page.run(`mutation {
      createApplication(input: { foreignId: "from-graphql", name: "From GraphQL" }) { foreignId name checkApplicationId }
    }`);
    expect(created.data?.['createApplication']).toMatchObject({ foreignId: 'from-graphql' });
    expect((await page.run('mutation { signOut }')).data).toEqual({ signOut: true });
    expect(page.cookie()).toBeUndefined();
    expect(codesOf(await page.run(AUTH_ME))).toEqual(['UNAUTHENTICATED']);
  });

  it('shows which browser and address opened a session, until it ends', async () => {
    const member = await seedMember(foundation, seed.organization.id, {});
    const credentials = `email: "${member.email}", password: "${SEED_PASSWORD}"`;
    const [page, other] = [browser(undefined, 'A browser'), browser(undefined, 'Another one')];
    for (const one of [page, other])
      await one.run(`mutation { signIn(input: { ${credentials} }) { user { id } } }`);
    const { data } = await page.run('{ sessions { nodes { current clientAddress userAgent } } }');
    expect(data?.['sessions']).toMatchObject({
      nodes: expect.arrayContaining([
        { current: true, clientAddress: '192.0.2.50', userAgent: 'A browser' },
        { current: false, clientAddress: '192.0.2.50', userAgent: 'Another one' },
      ]),
    });
    await page.run('mutation { revokeOtherSessions }');
    await page.run('mutation { signOut }');
    expect(
      await database.rows(sql`
        select id from sessions
        where ended_at is not null and (client_address is not null or user_agent is not null)`),
    ).toEqual([]);
  });

  it('shows one member', async () => {
    const page = browser(seed.owner.sessionToken);
    const ask = 'query ($id: ID!) { member(id: $id) { name permissions { owner } } }';
    const { data } = await page.run(ask, { id: seed.owner.principal.userId });
    expect(data).toEqual({
      member: { name: 'Acme Owner', permissions: { owner: PERMISSIONS.owner } },
    });
    expect(codesOf(await page.run(ask, { id: 'usr_01kaj8c4q2ez8bt7v5m1s9y3wd' }))).toEqual(['NOT_FOUND']);
  });

  it('opens and ends no session where a response cannot set a cookie', async () => {
    for (const source of [
      'mutation { signIn(input: { email: "a@b", password: "x" }) { user { id } } }',
      'mutation { signOut }',
      'mutation { changePassword(input: { currentPassword: "x", newPassword: "y" }) }',
    ]) {
      expect(codesOf(await run(source, {}, seed.owner.principal))).toEqual(['BAD_USER_INPUT']);
    }
  });

  it('manages members: invites, gives permissions, lists and removes', async () => {
    const page = browser(seed.owner.sessionToken);
    const invited = await page.run(
      `mutation ($permissions: PermissionsInput) {
        inviteMember(input: { email: "greta@example.test", name: "Greta", permissions: $permissions }) {
          link invitation { permissions { owner applications { foreignId auditor } } }
        }
      }`,
      { permissions: { applications: [{ foreignId: 'payments', auditor: ['cases:create'] }] } },
    );
    const { link, invitation } = invited.data?.['inviteMember'] as { link: string; invitation: unknown };
    expect(invitation).toMatchObject({
      permissions: { owner: [], applications: [{ foreignId: 'payments', auditor: ['cases:create'] }] },
    });
    const greta = browser();
    const accepted = await greta.run(
      `mutation ($token: String!) {
        acceptInvitation(input: { token: $token, password: "long enough for it" }) { user { id name } }
      }`,
      { token: link.split('#')[1] },
    );
    const { user: member } = accepted.data?.['acceptInvitation'] as { user: { id: string } };
    expect(greta.cookie()).toBeDefined();
    const changed = await page.run(
      `mutation ($id: ID!) {
        setPermissions(input: { memberId: $id, permissions: { owner: ["relays:read"] } }) {
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
    const removed = await page.run('mutation ($id: ID!) { removeMember(memberId: $id) { name } }', member);
    expect(removed.data?.['removeMember']).toEqual({ name: 'Greta' });
    expect(await ids()).not.toContain(member.id);
  });

  it('shows the secret of an API key only in the response that created it', async () => {
    const page = browser(seed.owner.sessionToken);
    const created = await page.run(`mutation {
      createApiKey(input: { name: "Shown once", scopes: ["assets:read"] }) { secret apiKey { id displayPrefix revokedAt } }
    }`);
    const { secret, apiKey } = created.data?.['createApiKey'] as {
      secret: string;
      apiKey: { id: string; displayPrefix: string };
    };
    expect(secret.startsWith(apiKey.displayPrefix)).toBe(true);
    const revoked = await page.run('mutation ($id: ID!) { revokeApiKey(id: $id) { id revokedAt } }', {
      id: apiKey.id,
    });
    expect(revoked.data?.['revokeApiKey']).toMatchObject({ id: apiKey.id });
    const listed = await page.run('{ apiKeys { edges { node { id name scopes displayPrefix } } } }');
    expect(JSON.stringify(listed.data)).toContain(apiKey.id);
    expect(JSON.stringify(listed.data)).not.toContain(secret);
  });

  it('shows the public check id only to owners and to administrators of the application', async () => {
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
    const change =
      'mutation { updateOrganization(input: { requireSecondPerson: true }) { name requireSecondPerson } }';
    const proposed = await page.run(change);
    expect(codesOf(proposed)).toEqual(['CONFLICT']);
    const listed = await page.run('{ proposedOperations { operation input } }');
    expect(listed.data?.['proposedOperations']).toEqual([
      { operation: 'updateOrganization', input: { require_second_person: true } },
    ]);
    const second = await seedMember(foundation, seed.organization.id, { owner: ['policies:manage'] });
    const changed = await browser(second.sessionToken).run(change);
    expect(changed.data?.['updateOrganization']).toEqual({ name: 'Acme', requireSecondPerson: true });
    expect(await shown()).toEqual({ organization: { requireSecondPerson: true } });
    await database.transaction((transaction) =>
      transaction.rows(sql`update organizations set require_second_person = false`),
    );
  });

  it('lists and ends sessions', async () => {
    const { email, sessionToken } = await seedMember(foundation, seed.organization.id);
    const page = browser(sessionToken);
    await browser().run(
      'mutation ($email: String!, $password: String!) { signIn(input: { email: $email, password: $password }) { user { id } } }',
      { email, password: SEED_PASSWORD },
    );
    const listed = await page.run('{ sessions { nodes { id current } } }');
    const { nodes } = listed.data?.['sessions'] as { nodes: { id: string; current: boolean }[] };
    expect(nodes.map(({ current }) => current)).toEqual([false, true]);
    expect((await page.run('mutation { revokeOtherSessions }')).data?.['revokeOtherSessions']).toBe(1);
    const revoke = 'mutation ($id: ID!) { revokeSession(id: $id) }';
    expect((await page.run(revoke, { id: nodes[1]!.id })).data?.['revokeSession']).toBe(true);
    expect(codesOf(await page.run('{ sessions { nodes { id } } }'))).toEqual(['UNAUTHENTICATED']);
  });

  it('returns the permission table with every name of every bucket', async () => {
    const { data } = await browser(seed.owner.sessionToken).run('{ permissionTable { name permissions } }');
    expect(data?.['permissionTable']).toContainEqual({ name: 'common', permissions: ['logs:view_activity'] });
    expect(data?.['permissionTable']).toHaveLength(4);
  });
});
