import { describe, expect, it } from '@jest/globals';
import { execute, parse } from 'graphql';
import {
  PERMISSIONS,
  UNDER_SECOND_PERSON_RULE,
  type UserPrincipal,
} from '../../../src/domain/access/index.js';
import { listPendingGrants } from '../../../src/domain/organizations/members/confirm-permission-grant.js';
import { lucarneErrorIn } from '../../../src/edge/graphql/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { createKeptSigningKeys, parseKeyUri } from '../../../src/platform/keys/index.js';
import { forFile } from '../../kit/for-file.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { databaseContents } from '../../kit/database/database-contents.js';
import { SEED_PASSWORD, seedMember, testFoundation } from '../../kit/seed.js';
import { openLocalVault } from '../../platform/keys/stores/local-vault.js';
import { type OpenSchema, openSchema } from '../things/open-schema.js';
import { DECIDERS, openRoom, type Room, type Row, sequence, TWO_PERSONS } from './second-person-rows.js';

/** The tables that a proposal writes: itself, its log entry, and what the log derives from entries. */
const OF_A_PROPOSAL = [
  'activity_entries',
  'activity_logs',
  'log_checkpoints',
  'log_tiles',
  'proposed_operations',
];
/** The longest time that another person must wait after a proposal. */
const WAIT_MS = 61 * 60_000;
const GRANTS = ['inviteMember', 'setPermissions', 'resetMemberSignIn'];

const vault = forFile(await openLocalVault());
const database = forFile(await createTestDatabase());
let now = Date.now();
const foundation = testFoundation(database, { now: () => new Date(now) });
const opened = forFile(openSchema(foundation));

describe('with the second-person rule on', () => {
  /** Calls the mutation like GraphQL. Returns its data or the error. */
  async function call(
    operation: string,
    principal: UserPrincipal | undefined,
    variables: Readonly<Record<string, unknown>>,
    { selection = '__typename', schema = opened.schema } = {},
  ): Promise<{ readonly data?: Readonly<Record<string, string>>; readonly refused?: unknown }> {
    const field = schema.getMutationType()!.getFields()[operation]!;
    const declared = field.args.map(({ name, type }) => `$${name}: ${type.toString()}`).join(', ');
    const passed = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
    const cookie = { token: undefined, set: () => undefined, clear: () => undefined };
    const { data, errors } = await execute({
      schema,
      document: parse(`mutation (${declared}) { answer: ${operation}(${passed}) { ${selection} } }`),
      variableValues: variables,
      contextValue: {
        ...{ principal, requestId: 'r-1', clientAddress: '192.0.2.1' },
        ...{ sessionCookie: cookie, attemptCookie: cookie },
      },
    });
    const [error] = errors ?? [];
    if (!error) return { data: (data as { answer: Record<string, string> }).answer };
    const { code, reason } = lucarneErrorIn(error) ?? { code: error.message };
    return { refused: { code, reason } };
  }

  async function changesOf(work: () => Promise<unknown>): Promise<string[]> {
    const before = await databaseContents(database);
    await work();
    const after = await databaseContents(database);
    return [...after.keys()].filter((name) => after.get(name) !== before.get(name));
  }
  const entriesOf = async ({ home }: Room) =>
    (
      await database.rows(sql<{ type: string }>`
        select event_type as type from activity_entries
        where organization_id = ${home.organization.id} order by sequence`)
    ).map(({ type }) => type);

  /** The first person requests twice, is refused, and nothing happens. Then another person requests, and it happens. */
  async function tell(
    room: Room,
    operation: string,
    { prepare, entry, changes }: Row,
    { code, writes, schema }: { code: string; writes: readonly string[]; schema?: OpenSchema['schema'] },
  ): Promise<void> {
    const request = await prepare(room);
    const as = async ({ principal }: Room['first']) =>
      call(operation, principal, await request(principal), schema && { schema });
    const before = await entriesOf(room);
    const refused = { refused: { code, reason: 'second_person_required' } };
    const changed = await changesOf(async () => {
      expect(await as(room.first)).toEqual(refused);
      expect(await as(room.first)).toEqual(refused);
      now += WAIT_MS;
      expect(await as(room.first)).toEqual(refused);
    });
    expect(changed.filter((name) => !writes.includes(name))).toEqual([]);
    const meanwhile = (await entriesOf(room)).slice(before.length);
    expect(meanwhile).toEqual(writes.length === 0 ? [] : Array(3).fill('operation.proposed'));
    now += WAIT_MS;
    const effect = await changesOf(async () => {
      expect(await as(room.second)).toEqual({ data: { __typename: expect.any(String) } });
    });
    expect((await entriesOf(room)).slice(before.length + meanwhile.length)).toContain(entry);
    if (changes !== undefined) expect(effect).toContain(changes);
  }

  it('has a story for each operation in the table', () => {
    const operations = [...Object.keys(TWO_PERSONS), ...Object.keys(DECIDERS), ...GRANTS];
    expect(operations.sort()).toEqual(Object.keys(UNDER_SECOND_PERSON_RULE).sort());
  });

  it.each(Object.entries(TWO_PERSONS).filter(([operation]) => operation !== 'declareSigningKeyLost'))(
    '%s is proposed by one person, and takes effect only when another asks for the same',
    async (operation, row) => {
      const room = await openRoom(foundation);
      await tell(room, operation, row, { code: 'CONFLICT', writes: OF_A_PROPOSAL });
    },
  );

  it('requires a second person to request declareSigningKeyLost before it takes effect', async () => {
    vault.makeKey('log', 'ed25519');
    const uri = parseKeyUri('vault:transit/log');
    const room = await openRoom({ ...foundation, signingKeys: createKeptSigningKeys(vault.stores, uri) });
    await sequence(room.foundation);
    vault.deleteKey('log');
    const lost = { ...foundation, signingKeys: createKeptSigningKeys(vault.stores, undefined, 0) };
    await using reopened = openSchema(lost);
    const { schema } = reopened;
    const row = TWO_PERSONS.declareSigningKeyLost;
    await tell(room, 'declareSigningKeyLost', row, { code: 'CONFLICT', writes: OF_A_PROPOSAL, schema });
  });

  it.each(Object.entries(DECIDERS))(
    '%s is refused to who asked, and another person decides',
    async (operation, row) => {
      await tell(await openRoom(foundation), operation, row, { code: 'FORBIDDEN', writes: [] });
    },
  );

  const decidingOf = async (id: string) =>
    (
      await database.rows(sql<{ permission: string }>`
        select permission from permission_grants where user_id = ${id} and permission = 'policies:manage'`)
    ).length;
  const memberOf = async ({ home }: Room, email: string) => {
    const [user] = await database.rows(sql<{ id: string }>`
      select id from users where organization_id = ${home.organization.id} and email = ${email}`);
    return user!.id;
  };
  const permissions = { owner: ['policies:manage'] };
  const link = { selection: 'link' };
  /** Accepts an invitation as the person with the link. */
  async function accept({ data }: { readonly data?: Readonly<Record<string, string>> }): Promise<void> {
    const input = { token: data!['link']!.split('#')[1], password: SEED_PASSWORD };
    expect(await call('acceptInvitation', undefined, { input })).toEqual({ data: { __typename: 'Viewer' } });
  }

  /** Each operation in which the first person grants `policies:manage`. Returns the grantee. */
  const granting: Readonly<Record<string, (room: Room) => Promise<string>>> = {
    inviteMember: async (room) => {
      const email = `invited-${now}@example.test`;
      const input = { email, name: 'Ivy Invited', permissions };
      await accept(await call('inviteMember', room.first.principal, { input }, link));
      return memberOf(room, email);
    },
    setPermissions: async ({ first, third }) => {
      const memberId = third.principal.userId;
      const input = { memberId, permissions };
      expect(await call('setPermissions', first.principal, { input })).toHaveProperty('data');
      return memberId;
    },
    resetMemberSignIn: async ({ first, second }) => {
      const memberId = second.principal.userId;
      await accept(await call('resetMemberSignIn', first.principal, { memberId }, link));
      return memberId;
    },
  };

  it.each(GRANTS)(
    'gives the permissions that %s grants no effect until another person confirms them',
    async (operation) => {
      const room = await openRoom(foundation);
      const { organization } = room.home;
      const { owner } = PERMISSIONS;
      const confirming = await seedMember(foundation, organization.id, { owner }, 'Cara Confirming');
      const member = await granting[operation]!(room);
      expect(await decidingOf(member)).toBe(0);
      const { nodes } = await listPendingGrants(foundation, room.first.principal, { first: 200 });
      const waiting = nodes.find(
        (grant) => grant.userId === member && grant.permission === 'policies:manage',
      )!;
      const confirm = ({ principal }: Room['first']) =>
        call('confirmPermissionGrant', principal, { id: waiting.id });
      const refused = { code: 'FORBIDDEN', reason: 'second_person_required' };
      expect(await confirm(room.first)).toEqual({ refused });
      expect(await decidingOf(member)).toBe(0);
      expect(await confirm(confirming)).toEqual({ data: { __typename: 'Member' } });
      expect(await decidingOf(member)).toBe(1);
    },
  );
});
