import { sql, type Foundation } from '../../src/database/index.js';
import type { ApiKeyPrincipal, UserPrincipal } from '../../src/organizations/index.js';
import type { PermissionSetInput } from '../../src/organizations/permission-set.js';
import { seedApiKey, seedMember, type SeededOrganization } from '../kit/seed.js';
import type { May, Permission } from './authorization-table.js';

// As in the interface; not read from the permission table, which is what is being tested.
const OWNER = [
  ...['applications:read', 'applications:create', 'members:manage', 'api_keys:manage', 'disclosures:decide'],
  ...['policies:manage', 'addresses:manage', 'relays:read', 'reports:list', 'reports:download'],
  ...['reports:create', 'logs:view_activity'],
];
const COMMON = ['logs:view_activity'];
const ADMINISTRATOR = [
  ...['cases:approve_creation', 'cases:list', 'reports:list', 'addresses:manage', 'disclosures:decide'],
];
const AUDITOR = [
  ...['reports:view_transactions', 'cases:create', 'cases:withdraw_pending_request'],
  ...['reports:create', 'reports:list', 'reports:download'],
];
export const SCOPES = [
  ...(['assets:read', 'assets:write', 'transactions:read'] as const),
  ...(['disclosures:read', 'disclosures:write'] as const),
];

/** Everything in one application, and nothing beside it. */
const everythingIn = (foreignId: string): PermissionSetInput => ({
  applications: [{ foreignId, common: COMMON, administrator: ADMINISTRATOR, auditor: AUDITOR }],
});

const named = (bucket: string, names: readonly string[]) =>
  names.map((name) => `${bucket} ${name}` as Permission);

/** Somebody who calls, and by what. */
export interface Caller {
  readonly kind: string;
  readonly holds: readonly May[];
  readonly place: 'home' | 'stranger' | 'neighbour';
  readonly credentials: { readonly bearer?: string; readonly sessionToken?: string };
}

export interface CallerSeeds {
  readonly foundation: Foundation;
  readonly home: SeededOrganization;
  readonly other: SeededOrganization;
  /** The foreignId of another application at home. */
  readonly neighbour: string;
  /** A session that has expired. */
  readonly expired: string;
}

/** One of every kind of caller. */
export async function seedCallers(seeds: CallerSeeds): Promise<Caller[]> {
  const { foundation, home, other, neighbour, expired } = seeds;
  const foreignId = 'payments';
  const member = async (
    kind: string,
    permissions: PermissionSetInput,
    holds: readonly May[],
    place: Caller['place'] = 'home',
    organization = home,
  ): Promise<Caller> => {
    const { sessionToken } = await seedMember(foundation, organization.organization.id, permissions, kind);
    return { kind, holds: ['anybody', 'caller', 'member', ...holds], place, credentials: { sessionToken } };
  };
  const key = async (
    kind: string,
    scopes: readonly (typeof SCOPES)[number][],
    place: Caller['place'] = 'home',
    organization = home,
  ): Promise<Caller> => {
    const { secret, apiKey } = await seedApiKey(foundation, organization.organization.id, [
      ...(scopes.length === 0 ? (['assets:read'] as const) : scopes),
    ]);
    if (scopes.length === 0) await takeScopes(foundation, apiKey.id);
    return {
      kind,
      holds: ['anybody', 'caller', ...named('scope', scopes)],
      place,
      credentials: { bearer: secret },
    };
  };
  const stranger = { owner: OWNER, ...everythingIn('other-app') };
  const everything = [
    ...named('owner', OWNER),
    ...named('common', COMMON),
    ...named('administrator', ADMINISTRATOR),
    ...named('auditor', AUDITOR),
  ];
  return [
    { kind: 'nobody', holds: ['anybody'], place: 'home', credentials: {} },
    { kind: 'an expired session', holds: ['anybody'], place: 'home', credentials: { sessionToken: expired } },
    await member('a member without a bucket', {}, []),
    await member('common', { applications: [{ foreignId, common: COMMON }] }, named('common', COMMON)),
    await member(
      'an administrator',
      { applications: [{ foreignId, administrator: ADMINISTRATOR }] },
      named('administrator', ADMINISTRATOR),
    ),
    await member(
      'an auditor',
      { applications: [{ foreignId, auditor: AUDITOR }] },
      named('auditor', AUDITOR),
    ),
    await member('an owner without a bucket', { owner: OWNER }, named('owner', OWNER)),
    await member(
      'a member with every bucket of another application',
      everythingIn(neighbour),
      everything.filter((permission) => !permission.startsWith('owner ')),
      'neighbour',
    ),
    await member('an owner of another organization', stranger, everything, 'stranger', other),
    await key('a key without a scope', []),
    ...(await Promise.all(SCOPES.map((scope) => key(`a key with ${scope}`, [scope])))),
    await key('a key of another organization', SCOPES, 'stranger', other),
  ];
}

// None can be made without, but a check must not rest on that.
async function takeScopes({ database }: Foundation, id: string): Promise<void> {
  await database.transaction((transaction) =>
    transaction.rows(sql`update api_keys set scopes = '{}' where id = ${id}`),
  );
}

/** Every permission that there is. */
export const EVERY_PERMISSION: readonly Permission[] = [
  ...named('owner', OWNER),
  ...named('common', COMMON),
  ...named('administrator', ADMINISTRATOR),
  ...named('auditor', AUDITOR),
];

/** The same member holding exactly these, of which those of an application are of `applicationId`. */
export function holding(
  member: UserPrincipal,
  application: { readonly id: string; readonly foreignId: string; readonly name: string },
  permissions: readonly Permission[],
): UserPrincipal {
  const of = (bucket: string) =>
    new Set(
      permissions
        .filter((permission) => permission.startsWith(`${bucket} `))
        .map((permission) => permission.slice(bucket.length + 1)),
    );
  const buckets = { common: of('common'), administrator: of('administrator'), auditor: of('auditor') };
  return {
    ...member,
    grants: { owner: of('owner'), applications: new Map([[application.id, buckets]]) },
    applications: new Map([[application.id, application]]),
  };
}

/** The same key holding exactly these. */
export function scopedTo(key: ApiKeyPrincipal, permissions: readonly Permission[]): ApiKeyPrincipal {
  return {
    ...key,
    scopes: new Set(
      permissions.filter((name) => name.startsWith('scope ')).map((name) => name.slice('scope '.length)),
    ),
  };
}
