import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  OperationTypeNode,
  execute,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  parse,
  subscribe,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql';
import { sequenceAll } from '../kit/sequence-all.js';
import { sql } from '../../src/platform/database/index.js';
import { createAdmission, createContextFactory, lucarneErrorIn } from '../../src/edge/graphql/index.js';
import {
  type Authenticator,
  createAuthenticator,
  FRESH_FACTOR_MS,
  NEEDS_FRESH_FACTOR,
  PERMISSIONS,
  type Principal,
  type RequestContext,
} from '../../src/domain/access/index.js';
import { systemClock } from '../../src/platform/kernel/clock.js';
import { routes } from '../../src/edge/rest/routes.js';
import { createTestDatabase } from '../kit/database/database.js';
import { forFile } from '../kit/for-file.js';
import {
  type SeededOrganization,
  seedMember,
  seedOrganization,
  seedSession,
  testFoundation,
} from '../kit/seed.js';
import { type RestServer, startRestServer } from '../edge/rest/server/rest-server.js';
import {
  type FieldRow,
  FIELDS,
  isPermission,
  type May,
  type Outcome,
  type Permission,
  type RouteRow,
  ROUTES,
} from './authorization/table.js';
import { type Caller, EVERY_PERMISSION, holding, scopedTo, SCOPES, seedCallers } from './things/callers.js';
import { openSchema } from './things/open-schema.js';
import { seedThings } from './things/seed-things.js';
import { CREDENTIALS, observe } from './things/observed-database.js';

type Row = FieldRow | RouteRow;
type Seen = number | string;

const nameOf = (row: Row) => ('field' in row ? [row.field, row.of].filter(Boolean).join(' of ') : row.route);
const isMutation = (row: Row) => 'field' in row && row.field.startsWith('mutation ');
const needs = ({ may }: Row): Permission[] => may.filter(isPermission);

/** The outcome that the table expects for a caller. */
function expected(row: Row, { holds, place }: Pick<Caller, 'holds' | 'place'>): Outcome {
  const admitted = row.outcome ?? (isMutation(row) ? 'past' : 'answered');
  const isEnough = [row.may, row.also].every((some) => some?.some((may) => holds.includes(may)) ?? true);
  if (!isEnough) return holds.includes('caller') ? 403 : 401;
  if (place === 'stranger') return row.stranger ?? admitted;
  if (place === 'neighbour') return row.neighbour ?? admitted;
  return admitted;
}

/** `past` is any outcome that only an authorized caller gets. */
const isExpected = (seen: Seen, outcome: Outcome) =>
  outcome === 'past' ? ['answered', 400, 404, 409].includes(seen) : seen === outcome;

const database = forFile(await createTestDatabase());
const observed = observe(database);
const foundation = testFoundation(database);
const watched = { ...foundation, database: observed.database };
const opened = openSchema(watched);

describe(`the authorization of ${FIELDS.length} fields and ${ROUTES.length} routes`, () => {
  let schema: GraphQLSchema;
  let server: RestServer;
  let authenticator: Authenticator;
  let home: SeededOrganization;
  let callers: Caller[];
  let things: Record<string, string>;
  let cells = 0;
  let statementsOfAnswers = 0;

  beforeAll(async () => {
    ({ schema } = opened);
    authenticator = createAuthenticator(foundation);
    const contextAuthenticator = createAuthenticator(watched);
    server = await startRestServer((port) => ({
      schema,
      contextFor: createContextFactory({
        authenticator: contextAuthenticator,
        admission: createAdmission({ clock: systemClock }),
        publicUrl: undefined,
        port,
        started: () => true,
      }),
    }));
    home = await seedOrganization(foundation);
    const other = await seedOrganization(foundation, { name: 'Other', foreignId: 'other-app' });
    things = await seedThings(foundation, home);
    const expired = await seedMember(foundation, home.organization.id, { owner: ['members:manage'] });
    callers = await seedCallers({
      foundation,
      home,
      other,
      neighbour: 'payroll',
      expired: expired.sessionToken,
    });
    await database.transaction((transaction) =>
      transaction.rows(sql`
        update sessions set expires_at = created_at where id = ${expired.principal.sessionId}`),
    );
    const metrics = { entriesSequenced: () => undefined, sequencingFailed: () => undefined };
    await sequenceAll({ foundation, publicHost: 'lucarne.example', metrics });
  }, 480_000);
  afterAll(async () => {
    process.stdout.write(
      `Authorization matrix: ${FIELDS.length} fields and ${ROUTES.length} routes, ${callers.length} kinds of callers, ` +
        `${cells} cells.\n`,
    );
    await server[Symbol.asyncDispose]();
    await opened[Symbol.asyncDispose]();
    await authenticator[Symbol.asyncDispose]();
  });

  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (whole, thing: string) =>
      thing === 'unique' ? `cell-${cells}` : (things[thing] ?? whole),
    );

  function fields(): Map<string, { kind: OperationTypeNode; field: GraphQLField<unknown, unknown> }> {
    const roots = [
      [OperationTypeNode.QUERY, schema.getQueryType()] as const,
      [OperationTypeNode.MUTATION, schema.getMutationType()] as const,
      [OperationTypeNode.SUBSCRIPTION, schema.getSubscriptionType()] as const,
    ];
    return new Map(
      roots.flatMap(([kind, type]) =>
        Object.values(type?.getFields() ?? {}).map((field) => [`${kind} ${field.name}`, { kind, field }]),
      ),
    );
  }

  /** Runs the field for the caller: with the object of the row, or with nonsense if a mutation would change it. */
  async function ask(
    row: FieldRow,
    principal: Principal | undefined,
    withThing: boolean,
  ): Promise<{ seen: Seen; statements: number; reason?: string | undefined; message?: string | undefined }> {
    cells += 1;
    const { kind, field } = fields().get(row.field)!;
    const fieldArguments = row.given === undefined || !withThing ? nonsenseArguments(field) : fill(row.given);
    const selection = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
    const cookie = { token: undefined, set: () => undefined, clear: () => undefined };
    const contextValue: RequestContext = {
      principal,
      requestId: 'r-1',
      // A separate client, so that a lock-out cannot be mistaken for a refusal.
      clientAddress: `192.0.2.1:${cells}`,
      sessionCookie: cookie,
      attemptCookie: cookie,
    };
    const document = parse(
      `${kind} { ${field.name}${fieldArguments === '' ? '' : `(${fieldArguments})`}${selection} }`,
    );
    const run = kind === OperationTypeNode.SUBSCRIPTION ? subscribe : execute;
    const [result, statements] = await observed.count(async () => run({ schema, document, contextValue }));
    if (Symbol.asyncIterator in result) {
      await (result as AsyncGenerator).return(undefined);
      return { seen: 'answered', statements };
    }
    const [error] = result.errors ?? [];
    const known = error && lucarneErrorIn(error);
    return {
      seen: error ? codeOf(known?.code ?? error.message) : 'answered',
      statements,
      reason: known?.reason,
      message: known?.message,
    };
  }

  /**
   * Returns the differences from the expected outcome. A caller without permission is refused before anything is read, and
   * before the arguments are checked.
   */
  async function check(
    row: FieldRow,
    caller: string,
    principal: Principal | undefined,
    outcome: Outcome,
  ): Promise<unknown[]> {
    const refused = (outcome === 401 || outcome === 403) && outcome !== row.outcome;
    // Without its arguments, a row for an object is the same as another row of its field.
    const both = refused && row.given !== undefined && row.of === undefined;
    const ways = both ? [true, false] : [outcome !== 'past'];
    const wrong: unknown[] = [];
    for (const withThing of ways) {
      // Other cells sign out, and end sessions.
      await database.rows(sql`update sessions set ended_at = null where ended_at is not null`);
      const { seen, statements } = await ask(row, principal, withThing);
      if (!refused) statementsOfAnswers += statements;
      if (!isExpected(seen, outcome) || (refused && statements > 0)) {
        wrong.push({ row: nameOf(row), caller, outcome, seen, statements, withThing });
      }
    }
    return wrong;
  }

  it('has a row for each field of the schema and each route, and for nothing else', () => {
    expect([...new Set(FIELDS.map(({ field }) => field))].sort()).toEqual([...fields().keys()].sort());
    expect(ROUTES.map(({ route }) => route).sort()).toEqual(
      routes.map(({ method, path }) => `${method} ${path}`).sort(),
    );
    expect(new Set(FIELDS.map(nameOf)).size).toBe(FIELDS.length);
  });

  it('shares the execution of an event only among subscribers that need no permission to see it', () => {
    const shared = FIELDS.filter(({ field }) => fields().get(field)!.field.extensions['sameForAll'] === true);
    expect(shared.map(({ field }) => field)).toContain('subscription relayStatus');
    expect(shared.filter(({ may }) => may.join() !== 'anyone')).toEqual([]);
  });

  it('matches the table for every kind of caller and field, and reads nothing before a refusal', async () => {
    const wrong: unknown[] = [];
    const principals = new Map<Caller, Principal | undefined>();
    for (const caller of callers)
      principals.set(caller, await authenticator.authenticate(caller.credentials));
    for (const row of FIELDS) {
      for (const caller of callers) {
        const outcome = expected(row, caller);
        wrong.push(...(await check(row, caller.kind, principals.get(caller), outcome)));
      }
    }
    expect(wrong).toEqual([]);
    // Otherwise statements would not be seen.
    expect(statementsOfAnswers).toBeGreaterThan(FIELDS.length);
  }, 480_000);

  it('depends only on the permissions that the table names: each one is enough, and all others together are not', async () => {
    const wrong: unknown[] = [];
    const { id, foreignId, name } = home.application;
    const member = (await seedMember(foundation, home.organization.id)).principal;
    // Operations that change something look for the permission in the database, too.
    const { owner, administrator, auditor, common } = PERMISSIONS;
    const stored = { owner, applications: [{ foreignId, administrator, auditor, common }] };
    const holder = (await seedMember(foundation, home.organization.id, stored)).principal;
    const everything = [...EVERY_PERMISSION, ...SCOPES.map((scope): Permission => `scope ${scope}`)];
    for (const row of FIELDS.filter(({ may }) => may.every(isPermission))) {
      const others = everything.filter((permission) => !row.may.includes(permission));
      const cases: [string, Principal, Outcome][] = [
        ['all others', holding(member, { id, foreignId, name }, others), 403],
        ['all other scopes', scopedTo(home.apiKey.principal, others), 403],
        ...needs(row).map((need): [string, Principal, Outcome] => [
          need,
          need.startsWith('scope ')
            ? scopedTo(home.apiKey.principal, [need])
            : holding(holder, { id, foreignId, name }, [need]),
          expected(row, { holds: ['anyone', 'caller', need], place: 'home' }),
        ]),
      ];
      for (const [holds, principal, outcome] of cases) {
        wrong.push(...(await check(row, holds, principal, outcome)));
      }
    }
    expect(wrong).toEqual([]);
  }, 480_000);

  it('names in each refusal of a member a permission that is enough', async () => {
    const unnamed: unknown[] = [];
    const { id, foreignId, name } = home.application;
    const member = (await seedMember(foundation, home.organization.id)).principal;
    for (const row of FIELDS.filter(({ may }) => may.every(isPermission))) {
      const others = EVERY_PERMISSION.filter((permission) => !row.may.includes(permission));
      const { message = '' } = await ask(row, holding(member, { id, foreignId, name }, others), true);
      if (!needs(row).some((need) => message.includes(need.split(' ')[1]!)))
        unnamed.push([nameOf(row), message]);
    }
    // So many permissions are enough for it that it names none.
    expect(unnamed).toEqual([
      ['query proposedOperations', 'This needs a permission for an operation that two people must call.'],
    ]);
  }, 480_000);

  it('requires a fresh second factor in exactly the mutations that decide', async () => {
    const { id, foreignId, name } = home.application;
    const member = (await seedMember(foundation, home.organization.id)).principal;
    const everything = holding(member, { id, foreignId, name }, EVERY_PERMISSION);
    const stale = { ...everything, isFactorRequired: true, factorAt: new Date(Date.now() - FRESH_FACTOR_MS) };
    const asking = new Set<string>();
    for (const row of FIELDS.filter(isMutation)) {
      const { reason } = await ask(row, stale, row.outcome !== undefined && row.outcome !== 'past');
      if (reason === 'fresh_factor_required') asking.add(row.field.split(' ')[1]!);
    }
    expect([...asking].sort()).toEqual([...NEEDS_FRESH_FACTOR].sort());
  }, 480_000);

  it('matches the table for every kind of caller and route, and reads only the credentials before a refusal', async () => {
    const wrong: unknown[] = [];
    for (const row of ROUTES) {
      for (const caller of callers) {
        cells += 1;
        const counts = row.by === 'key' ? caller.credentials.bearer : caller.credentials.sessionToken;
        const holds: readonly May[] = counts === undefined ? ['anyone'] : caller.holds;
        const outcome = expected(row, { ...caller, holds });
        const { bearer } = caller.credentials;
        const sessionToken = await freshSession(caller);
        const [method = '', path = ''] = row.route.split(' ');
        const at = path.replace(/\{(\w+)\}/g, (_, name: string) => fill(row.params?.[name] ?? ''));
        observed.statements.length = 0;
        const answer = await server.call(method, `${at}${row.query ?? ''}`, {
          ...(bearer === undefined ? {} : { key: bearer }),
          ...(sessionToken === undefined ? {} : { cookie: `lucarne=${sessionToken}` }),
          ...(row.body === undefined ? {} : { body: fill(JSON.stringify(row.body)) }),
        });
        const seen = answer.status < 400 ? 'answered' : answer.status;
        const read = observed.statements.filter((statement) => !CREDENTIALS.test(statement));
        const refused = (outcome === 401 || outcome === 403) && outcome !== row.outcome;
        if (!isExpected(seen, outcome) || (refused && read.length > 0)) {
          wrong.push({ row: nameOf(row), caller: caller.kind, outcome, seen, read, text: answer.text });
        }
      }
    }
    expect(wrong).toEqual([]);
  }, 480_000);

  // Signing out is one of the routes, and would end the session of later callers.
  async function freshSession({ kind, credentials }: Caller): Promise<string | undefined> {
    const { sessionToken } = credentials;
    if (sessionToken === undefined || kind === 'an expired session') return sessionToken;
    const [user] = await database.rows(sql<{
      id: string;
      organizationId: string;
      name: string;
      email: string;
    }>`
      select id, organization_id as "organizationId", name, email from users where name = ${kind}`);
    const { organizationId, ...member } = user as never as Parameters<typeof seedSession>[2] & {
      organizationId: Parameters<typeof seedSession>[1];
    };
    return (await seedSession(foundation, organizationId, member)).sessionToken;
  }
});

function codeOf(code: string): Seen {
  const statuses: Readonly<Record<string, Seen>> = {
    BAD_USER_INPUT: 400,
    UNAUTHENTICATED: 401,
    FORBIDDEN: 403,
    NOT_FOUND: 404,
    CONFLICT: 409,
  };
  return statuses[code] ?? code;
}

/** The minimum of arguments with the correct types and nonsense values. */
function nonsenseArguments(field: GraphQLField<unknown, unknown>): string {
  return field.args
    .filter(({ type }) => isNonNullType(type))
    .map(({ name, type }) => `${name}: ${nonsense(type)}`)
    .join(', ');
}

function nonsense(type: GraphQLInputType): string {
  if (isNonNullType(type)) return nonsense(type.ofType);
  if (isListType(type)) return '[]';
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const members = Object.values(type.getFields()).filter((member) => isNonNullType(member.type));
    return `{ ${members.map((member) => `${member.name}: ${nonsense(member.type)}`).join(', ')} }`;
  }
  if (type.name === 'LocalDate') return '"2000-01-01"';
  if (type.name === 'Boolean') return 'false';
  if (type.name === 'JSONObject') return '{}';
  return ['Int', 'Float', 'SafeInt'].includes(type.name) ? '-1' : '""';
}
