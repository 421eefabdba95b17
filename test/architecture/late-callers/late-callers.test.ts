import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { execute, type GraphQLSchema, Kind, parse } from 'graphql';
import { operatorOf, type Principal } from '../../../src/domain/access/index.js';
import type { PermissionSetInput } from '../../../src/domain/access/permissions/permission-set.js';
import { removeMember, setPermissions } from '../../../src/domain/organizations/index.js';
import { revokeApiKey } from '../../../src/domain/organizations/keys/revoke-api-key.js';
import { endMemberSessions } from '../../../src/domain/organizations/members/end-member-sessions.js';
import { lucarneErrorIn } from '../../../src/edge/graphql/index.js';
import { routes } from '../../../src/edge/rest/routes.js';
import { createKeptSigningKeys, parseKeyUri } from '../../../src/platform/keys/index.js';
import { type Database, sql } from '../../../src/platform/database/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { databaseContents } from '../../kit/database/database-contents.js';
import { forFile } from '../../kit/for-file.js';
import { seedApiKey, seedMember, testFoundation } from '../../kit/seed.js';
import { openLocalVault } from '../../platform/keys/stores/local-vault.js';
import { SCOPES } from '../things/callers.js';
import { FIELDS, isPermission, type Permission } from '../authorization/table.js';
import { openSchema } from '../things/open-schema.js';
import { openRoom, type Request, type Room, sequence } from '../second-person/second-person-rows.js';
import { OWN_CHECK_ONCE, OWN_ROWS } from './own-rows.js';
import { CHECK_ONCE, type Row, ROWS } from './rows.js';

const vault = forFile(await openLocalVault());
const database = forFile(await createTestDatabase());
const foundation = testFoundation(database);

/** Happens before the next transaction of a resolver: after everything that was checked without one. */
let overtaking: (() => Promise<unknown>) | undefined;
const overtaken: Database = {
  ...database,
  async transaction(work) {
    const event = overtaking;
    overtaking = undefined;
    await event?.();
    return database.transaction(work);
  },
};
const opened = forFile(openSchema({ ...foundation, database: overtaken }));
// Without the key that the vault had: only then can it be declared lost.
const withoutKey = forFile(
  openSchema({
    ...foundation,
    database: overtaken,
    signingKeys: createKeptSigningKeys(vault.stores, undefined, 0),
  }),
);
const schemaOf = (mutation: string): GraphQLSchema =>
  (mutation === 'declareSigningKeyLost' ? withoutKey : opened).schema;

const mutationOf = (row: string) => row.split(' ')[0]!;
/** A caller who was removed also finds that what the request is about is gone. */
const REFUSALS = ['FORBIDDEN', 'UNAUTHENTICATED', 'NOT_FOUND', 'CONFLICT'];

interface Outcome {
  readonly code?: string;
  readonly reason?: string | undefined;
  readonly message?: string;
}

describe('a caller who loses the right after the request was admitted', () => {
  /** Calls a mutation while `event` happens before its first transaction. */
  async function call(
    mutation: string,
    principal: Principal,
    variables: Readonly<Record<string, unknown>>,
    event: () => Promise<unknown>,
  ): Promise<Outcome & { readonly happened: boolean }> {
    const schema = schemaOf(mutation);
    const field = schema.getMutationType()!.getFields()[mutation]!;
    const declared = field.args.map(({ name, type }) => `$${name}: ${type.toString()}`).join(', ');
    const passed = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
    const selection = /\b(Boolean|Int|String|JSONObject)\b/.test(field.type.toString())
      ? ''
      : '{ __typename }';
    const cookie = { token: undefined, set: () => undefined, clear: () => undefined };
    let happened = false;
    let failed: unknown;
    overtaking = async () => {
      happened = true;
      try {
        await event();
      } catch (thrown) {
        failed = thrown;
        throw thrown;
      }
    };
    const { errors } = await execute({
      schema,
      document: parse(
        declared === ''
          ? `mutation { ${mutation} ${selection} }`
          : `mutation (${declared}) { ${mutation}(${passed}) ${selection} }`,
      ),
      variableValues: variables,
      contextValue: {
        ...{ principal, requestId: 'r-1', clientAddress: '192.0.2.1' },
        ...{ sessionCookie: cookie, attemptCookie: cookie },
      },
    });
    overtaking = undefined;
    if (failed !== undefined) throw new Error('What should happen meanwhile failed.', { cause: failed });
    const [error] = errors ?? [];
    if (!error) return { happened };
    const { code, reason, message } = lucarneErrorIn(error) ?? { code: error.message, message: '' };
    return { happened, code, reason, message };
  }

  /** Calls it as who loses the right, and returns whether it was refused and changed nothing. */
  async function late(
    mutation: string,
    principal: Principal,
    variables: Readonly<Record<string, unknown>>,
    loss: () => Promise<unknown>,
  ): Promise<string> {
    let before: ReadonlyMap<string, string> | undefined;
    const { happened, code } = await call(mutation, principal, variables, async () => {
      await loss();
      before = await databaseContents(database);
    });
    if (!happened) return 'opened no transaction';
    const after = await databaseContents(database);
    const changed = [...after.keys()].filter((name) => after.get(name) !== before!.get(name));
    if (changed.length > 0) return `changed ${changed.join(', ')}`;
    return code !== undefined && REFUSALS.includes(code) ? 'refused' : (code ?? 'answered');
  }

  const permissionSet = (held: readonly Permission[]): PermissionSetInput => {
    const names = (bucket: string) =>
      held.filter((name) => name.startsWith(`${bucket} `)).map((name) => name.slice(bucket.length + 1));
    return {
      owner: names('owner'),
      applications: [
        {
          foreignId: 'payments',
          common: names('common'),
          administrator: names('administrator'),
          auditor: names('auditor'),
        },
      ],
    };
  };

  const permissionsOf = (row: string) =>
    FIELDS.filter(({ field }) => field === `mutation ${mutationOf(row)}`).flatMap(({ may }) =>
      may.filter(isPermission),
    );
  /** What a caller of the row holds, once for each permission that one can lose. */
  const holdings = (row: string, { also = [], loses }: Row) =>
    [...new Set(loses ?? permissionsOf(row))].map((lost) => ({
      lost,
      held: [...new Set([...(loses && !permissionsOf(row).includes(lost) ? loses : [lost]), ...also])],
    }));

  const mutations = (isOne: (may: readonly string[]) => boolean) =>
    [...new Set(FIELDS.filter(({ may }) => isOne(may)).map(({ field }) => field))]
      .filter((field) => field.startsWith('mutation '))
      .map((field) => field.slice('mutation '.length))
      .sort();

  it('has a row, or a reason for none, for each mutation that needs a permission or is about the caller’s account', () => {
    expect([...new Set(Object.keys(ROWS).map(mutationOf)), ...Object.keys(CHECK_ONCE)].sort()).toEqual(
      mutations((may) => may.every((name) => name.includes(' '))),
    );
    expect([...Object.keys(OWN_ROWS), ...Object.keys(OWN_CHECK_ONCE)].sort()).toEqual(
      mutations((may) => may.includes('member')),
    );
  });

  it('covers the routes that change something, because each runs only mutations', async () => {
    const changing = routes.filter(({ method }) => method !== 'GET');
    for (const { document } of changing) {
      const { definitions } = parse(await readFile(`schema/rest/${document}.graphql`, 'utf8'));
      const kinds = definitions.flatMap((definition) =>
        definition.kind === Kind.OPERATION_DEFINITION ? [definition.operation] : [],
      );
      expect({ document, kinds }).toEqual({ document, kinds: ['mutation'] });
    }
    expect(changing.length).toBeGreaterThan(0);
  });

  /** The end of the longest time that a session lasts. */
  const expireSessions = (memberId: string) =>
    database.rows(sql`update sessions set expires_at = clock_timestamp() where user_id = ${memberId}`);

  const requireFactor = (organizationId: string, isRequired: boolean) =>
    database.rows(
      sql`update organizations set require_second_factor = ${isRequired} where id = ${organizationId}`,
    );

  async function sequenceWithLostKey(): Promise<void> {
    vault.makeKey('log', 'ed25519');
    const signingKeys = createKeptSigningKeys(vault.stores, parseKeyUri('vault:transit/log'));
    await sequence({ ...foundation, signingKeys });
    vault.deleteKey('log');
  }

  describe.each(Object.entries(ROWS))('%s', (row, story) => {
    const mutation = mutationOf(row);
    let room: Room;
    let asking: Request;
    const callerWith = async (held: readonly Permission[]) => {
      const { principal } = await seedMember(foundation, room.home.organization.id, permissionSet(held));
      return story.hasFactor === true ? { ...principal, factorAt: foundation.clock.now() } : principal;
    };

    beforeAll(async () => {
      room = await openRoom(foundation);
      asking = await story.prepare(room);
      // Exports need a checkpoint.
      await (mutation === 'declareSigningKeyLost' ? sequenceWithLostKey() : sequence(foundation));
    });

    it('changes nothing', async () => {
      const organizationId = room.home.organization.id;
      const operator = operatorOf(organizationId);
      const outcomes: Record<string, string> = {};
      for (const { lost, held } of holdings(row, story)) {
        if (lost.startsWith('scope ')) {
          const scopes = SCOPES.filter((scope) => held.includes(`scope ${scope}`));
          const losses: Record<string, (apiKeyId: string) => Promise<unknown>> = {
            revoked: (apiKeyId) => revokeApiKey(foundation, operator, apiKeyId),
            expired: (apiKeyId) =>
              database.rows(sql`
                update api_keys set expires_at = ${foundation.clock.now()} where id = ${apiKeyId}`),
          };
          for (const [how, lose] of Object.entries(losses)) {
            const { principal } = await seedApiKey(foundation, organizationId, scopes);
            const variables = await asking(principal as never);
            outcomes[`${lost}: ${how}`] = await late(mutation, principal, variables, () =>
              lose(principal.apiKeyId),
            );
          }
          continue;
        }
        const losses: Record<string, (memberId: string) => Promise<unknown>> = {
          removed: (memberId) => removeMember(foundation, operator, memberId),
          demoted: (memberId) =>
            setPermissions(foundation, operator, {
              memberId,
              permissions: permissionSet([
                'owner reports:list',
                ...held.filter((permission) => permission !== lost),
              ]),
            }),
          'signed out': (memberId) => endMemberSessions(foundation, operator, memberId),
          expired: expireSessions,
        };
        for (const [how, lose] of Object.entries(losses)) {
          const principal = await callerWith(held);
          const variables = await asking(principal);
          outcomes[`${lost}: ${how}`] = await late(mutation, principal, variables, () =>
            lose(principal.userId),
          );
        }
      }
      // A session without a factor does nothing once the organization requires one.
      for (const { lost, held } of story.hasFactor === true ? [] : holdings(row, story)) {
        if (lost.startsWith('scope ')) continue;
        const principal = await callerWith(held);
        const variables = await asking(principal);
        const require = () => requireFactor(organizationId, true);
        outcomes[`${lost}: without a factor`] = await late(mutation, principal, variables, require);
        await requireFactor(organizationId, false);
      }
      expect(outcomes).toEqual(
        Object.fromEntries(Object.keys(outcomes).map((outcome) => [outcome, 'refused'])),
      );
      expect(Object.keys(outcomes).length).toBeGreaterThan(0);

      // Without the loss, the same calls go through, or are proposed to a second person.
      for (const { lost, held } of holdings(row, story)) {
        if (lost.startsWith('scope ')) continue;
        const principal = await callerWith(held);
        const { code, reason, message, happened } = await call(
          mutation,
          principal,
          await asking(principal),
          () => Promise.resolve(),
        );
        expect({ lost, happened, code, reason, message }).toMatchObject({ lost, happened: true });
        expect([undefined, 'second_person_required']).toContain(code === undefined ? undefined : reason);
      }
    }, 60_000);
  });

  describe.each(Object.entries(OWN_ROWS))('%s', (mutation, prepare) => {
    it('changes nothing', async () => {
      const room = await openRoom(foundation);
      const operator = operatorOf(room.home.organization.id);
      const outcomes: Record<string, string> = {};
      const losses: Record<string, (memberId: string) => Promise<unknown>> = {
        removed: (memberId) => removeMember(foundation, operator, memberId),
        'signed out': (memberId) => endMemberSessions(foundation, operator, memberId),
        expired: expireSessions,
      };
      for (const [how, lose] of Object.entries(losses)) {
        const member = await seedMember(foundation, room.home.organization.id);
        const { caller, input } = await prepare(room, member);
        outcomes[how] = await late(mutation, caller, input, () => lose(caller.userId));
      }
      expect(outcomes).toEqual({ removed: 'refused', 'signed out': 'refused', expired: 'refused' });

      const member = await seedMember(foundation, room.home.organization.id);
      const { caller, input } = await prepare(room, member);
      const went = await call(mutation, caller, input, () => Promise.resolve());
      expect(went).toEqual({ happened: true });
    }, 60_000);
  });
});
