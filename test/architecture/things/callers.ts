import { type Foundation, sql } from '../../../src/platform/database/index.js';
import type { ApiKeyPrincipal, ApiKeyScope, UserPrincipal } from '../../../src/domain/access/index.js';
import type { PermissionSetInput } from '../../../src/domain/access/permissions/permission-set.js';
import { seedApiKey, type SeededOrganization, seedMember } from '../../kit/seed.js';
import { type May, type Permission, REQUIRED_PERMISSIONS } from '../authorization/table.js';

// From the handwritten table, because the permission table is what is tested: `permissions.test.ts` compares the two.
const OWNER = namesIn('owner');
const COMMON = namesIn('common');
const ADMINISTRATOR = namesIn('administrator');
const AUDITOR = namesIn('auditor');
export const SCOPES = namesIn('scope') as readonly ApiKeyScope[];

function namesIn(bucket: string): readonly string[] {
  return REQUIRED_PERMISSIONS.filter((name) => name.startsWith(`${bucket} `)).map((name) =>
    name.slice(bucket.length + 1),
  );
}

/** All permissions in one application, and no others. */
const everythingIn = (foreignId: string): PermissionSetInput => ({
  applications: [{ foreignId, common: COMMON, administrator: ADMINISTRATOR, auditor: AUDITOR }],
});

const named = (bucket: string, names: readonly string[]) =>
  names.map((name) => `${bucket} ${name}` as Permission);

/** A caller and its credentials. */
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
  /** The foreignId of another application of the same organization. */
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
    return { kind, holds: ['anyone', 'caller', 'member', ...holds], place, credentials: { sessionToken } };
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
      holds: ['anyone', 'caller', ...named('scope', scopes)],
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
    { kind: 'nobody', holds: ['anyone'], place: 'home', credentials: {} },
    { kind: 'an expired session', holds: ['anyone'], place: 'home', credentials: { sessionToken: expired } },
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

// A key cannot be created without scopes, but a check must not depend on that.
async function takeScopes({ database }: Foundation, id: string): Promise<void> {
  await database.transaction((transaction) =>
    transaction.rows(sql`update api_keys set scopes = '{}' where id = ${id}`),
  );
}

/** All permissions, without the scopes of API keys. */
export const EVERY_PERMISSION = REQUIRED_PERMISSIONS.filter((name) => !name.startsWith('scope '));

/** The same member with exactly these permissions. Those of an application are for `applicationId`. */
export function holding(
  member: UserPrincipal,
  application: { readonly id: string; readonly foreignId: string; readonly name: string },
  permissions: readonly Permission[],
): UserPrincipal {
  const namesIn = (bucket: string) =>
    new Set(
      permissions
        .filter((permission) => permission.startsWith(`${bucket} `))
        .map((permission) => permission.slice(bucket.length + 1)),
    );
  const buckets = {
    common: namesIn('common'),
    administrator: namesIn('administrator'),
    auditor: namesIn('auditor'),
  };
  return {
    ...member,
    grants: { owner: namesIn('owner'), applications: new Map([[application.id, buckets]]) },
    applications: new Map([[application.id, application]]),
  };
}

/** The same key with exactly these permissions. */
export function scopedTo(key: ApiKeyPrincipal, permissions: readonly Permission[]): ApiKeyPrincipal {
  return {
    ...key,
    scopes: new Set(
      permissions.filter((name) => name.startsWith('scope ')).map((name) => name.slice('scope '.length)),
    ),
  };
}
