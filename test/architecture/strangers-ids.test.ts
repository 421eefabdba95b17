import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildSchema,
  getNamedType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { newCapabilityId, newId } from '../../src/platform/kernel/ids.js';
import { randomAddress, randomSignature } from '../kit/ledger/confidential-records.js';
import { bearer, sessionOf, startTestApp, type TestApp } from '../kit/app.js';
import { SEED_PASSWORD } from '../kit/seed.js';
import { type Belongings, type IdKind, seedBelongings } from './things/belongings.js';

/** What determines the kind of an id: its member, or its position if the member is only `id`. */
const KINDS: readonly (readonly [RegExp, IdKind])[] = [
  [/foreignId|workspaceId/i, 'foreignId'],
  [/objectId/i, 'crq'],
  [/disclosurePolicyId/i, 'dpl'],
  [/case-?requests?|cases\/requests/i, 'crq'],
  [/auditor(_?id)/i, 'auditor'],
  [/user_?id/i, 'actor'],
  [/member|user/i, 'usr'],
  [/relay/i, 'rly'],
  [/activityEntry/i, 'log'],
  [/^report$|report(file|generation|progress|_?id)/i, 'rpt'],
  [/case/i, 'cas'],
  [/transaction/i, 'txn'],
  [/asset|mint/i, 'ast'],
  [/disclosure/i, 'dsc'],
  [/receipt/i, 'rcp'],
  [/addressCheck/i, 'chk'],
  [/apiKey/i, 'key'],
  [/session/i, 'ses'],
  [/invitation/i, 'inv'],
  [/permissionGrant/i, 'grt'],
  [/passkey/i, 'pky'],
  [/legalHold/i, 'hld'],
  [/proposal/i, 'prp'],
  [/organization/i, 'org'],
];

/** Ids that everyone who knows them may use, and where. */
const FOR_EVERYBODY = [
  // The public id of an application.
  'checkAddress input.checkApplicationId',
  'POST /check applicationId',
  // The id of a relay is a capability.
  ...['relayRequest', 'retryRelayRequest'].map((field) => `${field} relayRequestId`),
  'GET /api/relay-requests/{relayRequestId} relayRequestId',
  'POST /api/relay-requests/{relayRequestId}/attempts relayRequestId',
];

/** Where an id of the caller's organization gets the same answer as an unknown id, and why. */
const NEVER_TOLD_APART: Readonly<Record<string, string>> = {
  'signInAsDemoUser id': 'there is no demo here',
  'signInWithPasskey input.organizationId': 'there is no passkey to sign in with',
  'createAsset input.disclosurePolicyId': 'any text is kept, and decides once a disclosure is asked for',
  'POST /v1/assets disclosurePolicyId': 'as above',
  'createAsset input.workspaceId':
    'any text is kept, and the answer does not show the application that it links',
  'POST /v1/assets workspaceId': 'as above',
  ...Object.fromEntries(
    ['userId', 'caseId', 'objectId'].flatMap((filter) => [
      [`startLogExport input.${filter}`, 'the answer has no entries'],
      [`logExportPart ${filter}`, 'only an export that was started has a cursor'],
    ]),
  ),
  'approveCaseRequest input.grant.assetIds': 'the request is decided by then',
  'approveCaseRequest input.grant.auditorIds': 'as above',
};

/** Kinds of objects that belong to an application. */
const OF_AN_APPLICATION: readonly IdKind[] = ['cas', 'rpt'];

/** Values that members must have so that a request reaches its id. */
const valuesFor = (own: Belongings, where: string): Readonly<Record<string, unknown>> => ({
  email: where === 'signIn' ? own.clerk.email : 'somebody@example.test',
  password: SEED_PASSWORD,
  reason: 'A reason',
  mintAddress: randomAddress(),
  address: randomAddress(),
  periodFrom: '2026-01-01',
  periodTo: '2026-01-31',
  accessDays: 1,
  decimals: 6,
  auditorIds: [own.ids.auditor],
  transactionIds: [own.ids.txn],
  scope: { transactionIds: [own.ids.txn], fields: ['amount'] },
});

/** A position of an id in a request, and the request with any id there. */
interface Place {
  readonly name: string;
  readonly kind: IdKind;
  readonly ask: (id: string) => Promise<string>;
}

type Input = GraphQLArgument | GraphQLInputField;

const SCHEMAS = path.resolve(import.meta.dirname, '..', '..', 'schema');
const schema = buildSchema(readFileSync(path.join(SCHEMAS, 'schema.graphql'), 'utf8'));
const documentation = JSON.parse(readFileSync(path.join(SCHEMAS, 'openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, RestOperation>>;
};

interface RestOperation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: {
    readonly content: Record<string, { readonly examples?: Record<string, { readonly value: object }> }>;
  };
}

const isIdName = (name: string) => /^id$|Ids?$|_ids?$/.test(name);

const isIdOf = (name: string, type: GraphQLNamedType) =>
  type.name === 'ID' || (type.name === 'String' && isIdName(name));

function kindOf(member: string, where: string): IdKind {
  const found = member === 'id' ? where : member;
  const kind = KINDS.find(([names]) => names.test(found))?.[1];
  if (!kind) throw new Error(`Of which kind is ${member} of ${where}? Add it to KINDS.`);
  return kind;
}

/** The segment before `{id}` in a path, which is the kind of the id. */
const beforeId = (route: string) =>
  route
    .split('/{id}')[0]!
    .split('/')
    .filter((part) => !part.startsWith('{'))
    .slice(-2)
    .join('/');

describe('an id of another organization', () => {
  let app: TestApp;
  let own: Belongings;
  let theirs: Belongings;
  let places: Place[];

  beforeAll(async () => {
    app = await startTestApp({ LUCARNE_TRUST_PROXY: 'loopback' });
    own = await seedBelongings(app, app.organization);
    theirs = await seedBelongings(app, app.other);
    places = [...graphqlPlaces(), ...restPlaces()];
  });
  afterAll(async () => app[Symbol.asyncDispose]());

  let asked = 0;
  /** A different client each time, so that a rate limit cannot be mistaken for an answer. */
  const headersOf = (route: string) => ({
    'x-forwarded-for': `198.51.${Math.floor((asked += 1) / 250)}.${asked % 250}`,
    ...(route.startsWith('/v1/') ? bearer(own.apiKey) : sessionOf(app, own.caller.sessionToken)),
  });

  /** The answer without the parts that differ between two answers of the same kind: times and new ids. */
  async function answerOf(response: Response, id: string): Promise<string> {
    const text = (await response.text())
      .replaceAll(id, 'THE_ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'A_TIME')
      .replaceAll(/\b([a-z]{3})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, '$1_NEW')
      .replaceAll(/\bcheck_\w+/g, 'check_NEW')
      .replaceAll(/"checkpoint":"(\\.|[^"\\])*"/g, '"checkpoint":"…"');
    const { status } = response;
    const names = ['content-type', 'www-authenticate', 'allow', 'retry-after', 'link'];
    return [status, ...names.map((name) => response.headers.get(name)), text].join(' ');
  }

  function graphqlPlaces(): Place[] {
    const roots = [schema.getQueryType()!, schema.getMutationType()!];
    return roots.flatMap((root) =>
      Object.values(root.getFields()).flatMap((field) =>
        idsIn(field.args).flatMap((members): Place[] => {
          const name = `${field.name} ${members.join('.')}`;
          if (FOR_EVERYBODY.includes(name)) return [];
          const kind = kindOf(members.at(-1)!, field.name);
          const document = documentOf(root.name.toLowerCase(), field);
          const ask = async (id: string) => {
            const variables = Object.fromEntries(
              field.args.map((argument) => [argument.name, valueOf(argument, field.name, members, id)]),
            );
            const response = await fetch(`${app.url}/graphql`, {
              method: 'POST',
              headers: { 'content-type': 'application/json', ...headersOf('/graphql') },
              body: JSON.stringify({ query: document, variables }),
            });
            return answerOf(response, id);
          };
          return [{ name, kind, ask }];
        }),
      ),
    );
  }

  /** The members below `inputs` that contain ids, each as its path of names. */
  function idsIn(inputs: readonly Input[]): string[][] {
    return inputs.flatMap(({ name, type }) => {
      const named = getNamedType(type);
      if (isInputObjectType(named))
        return idsIn(Object.values(named.getFields())).map((below) => [name, ...below]);
      return isIdOf(name, named) ? [[name]] : [];
    });
  }

  /** A value of an input: its required members, and `id` at the end of `members` if the path leads through it. */
  function valueOf(input: Input, where: string, members: readonly string[], id: string): unknown {
    const [first, ...below] = members;
    const isOnTheWay = first === input.name;
    const { type, name } = input;
    const values = valuesFor(own, where);
    if (isOnTheWay && below.length === 0) return isListed(type) ? [id] : id;
    // It is the id of an application, which may be optional.
    const isNeeded =
      isNonNullType(type) ||
      (name === 'foreignId' &&
        members.length > 0 &&
        OF_AN_APPLICATION.includes(kindOf(members.at(-1)!, where)));
    if (!isOnTheWay && !isNeeded) return undefined;
    const named: GraphQLNamedInputType = getNamedType(type);
    if (isInputObjectType(named)) {
      const fields = Object.values(named.getFields());
      const base = (values[name] ?? {}) as Readonly<Record<string, unknown>>;
      const made = fields.map((field): [string, unknown] => [
        field.name,
        valueOf(field, where, isOnTheWay ? below : [], id) ?? base[field.name],
      ]);
      const value: unknown = Object.fromEntries(made.filter(([, member]) => member !== undefined));
      return isListed(type) ? [value] : value;
    }
    if (name in values) return values[name];
    if (isIdOf(name, named)) {
      const other = own.ids[kindOf(name, where)];
      return isListed(type) ? [other] : other;
    }
    const value = leafOf(named);
    return isListed(type) ? [value] : value;
  }

  const isListed = (type: GraphQLInputType): boolean =>
    isListType(type) || (isNonNullType(type) && isListType(type.ofType));

  function leafOf(type: GraphQLNamedInputType): unknown {
    if (isEnumType(type)) return type.getValues()[0]!.name;
    const values: Readonly<Record<string, unknown>> = { Int: 1, Boolean: true, JSONObject: {} };
    return values[type.name] ?? 'text';
  }

  function restPlaces(): Place[] {
    return Object.entries(documentation.paths).flatMap(([route, operations]) =>
      Object.entries(operations)
        .filter(([method]) => ['get', 'post', 'patch', 'put', 'delete'].includes(method))
        .flatMap(([verb, operation]) => restPlacesOf(verb.toUpperCase(), route, operation)),
    );
  }

  function restPlacesOf(method: string, route: string, operation: RestOperation): Place[] {
    const parameters = (operation.parameters ?? []).filter(({ name }) => isIdName(name));
    const examples = Object.values(operation.requestBody?.content['application/json']?.examples ?? {});
    const first = examples[0]?.value;
    const place = (member: string, body: object | undefined, at: (id: string) => RestRequest): Place[] => {
      const name = `${method} ${route} ${member}`;
      if (FOR_EVERYBODY.includes(name)) return [];
      const ask = async (id: string) => {
        const { path: filled, query, body: sent = body } = at(id);
        const response = await fetch(`${app.url}${filled}${query ?? ''}`, {
          method,
          headers: { 'content-type': 'application/json', ...headersOf(route) },
          ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
        });
        return answerOf(response, id);
      };
      return [{ name, kind: kindOf(member, beforeId(route)), ask }];
    };
    const pathWith = (member?: string, id?: string) =>
      route.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        name === member ? id! : name === 'index' ? '0' : own.ids[kindOf(name, beforeId(route))],
      );
    return [
      ...parameters.flatMap(({ in: stands, name }) =>
        place(name, first && asOwn(first), (id) =>
          stands === 'path'
            ? { path: pathWith(name, id) }
            : { path: pathWith(), query: `?${name}=${encodeURIComponent(id)}` },
        ),
      ),
      ...membersOf(examples.map(({ value }) => value)).flatMap(([member, example]) =>
        place(member, undefined, (id) => ({ path: pathWith(), body: asOwn(example, member, id) })),
      ),
    ];
  }

  interface RestRequest {
    readonly path: string;
    readonly query?: string;
    readonly body?: object;
  }

  /** The members of bodies that contain ids, with an example that has them. */
  function membersOf(examples: readonly object[]): [string, object][] {
    const found = new Map<string, object>();
    for (const example of examples)
      JSON.stringify(example, (name, value: unknown) => {
        if (isIdName(name) && typeof value !== 'boolean' && !found.has(name)) found.set(name, example);
        return value;
      });
    return [...found];
  }

  /** An example of the reference with ids of the caller's organization, and `id` in one member. */
  function asOwn(example: object, member?: string, id?: string): object {
    return JSON.parse(
      JSON.stringify(example, (name, value: unknown) => {
        if (!isIdName(name) || typeof value === 'boolean') return value;
        const put = name === member ? id! : own.ids[kindOf(name, '')];
        return Array.isArray(value) ? [put] : put;
      }),
    ) as object;
  }

  const nobodys = (kind: IdKind): string => {
    // A new one each time, because one of the operations creates it.
    if (kind === 'foreignId') return `nobodys-${randomBytes(4).toString('hex')}`;
    if (kind === 'signature') return randomSignature();
    if (kind === 'auditor' || kind === 'actor') return newId('usr');
    return kind === 'rly' ? newCapabilityId('rly') : newId(kind);
  };

  it('gets the same answer everywhere as an id that does not exist', async () => {
    expect(places.length).toBeGreaterThan(100);
    const different: unknown[] = [];
    // Operations that create an object with the name run last: it would exist for the others.
    const inOrder = places.toSorted((one, other) => Number(makes(one)) - Number(makes(other)));
    for (const { name, kind, ask } of inOrder) {
      for (const asKind of kind === 'txn' ? (['txn', 'signature'] as const) : [kind]) {
        const [stranger, nobody] = [await ask(theirs.ids[asKind]), await ask(nobodys(asKind))];
        if (stranger !== nobody) different.push({ name, stranger, nobody });
      }
    }
    expect(different).toEqual([]);
  });

  const makes = ({ name }: Place) => name.startsWith('createApplication');
  /** Operations that end an object run after those that need it, and those that end the caller's session run last. */
  const rank = ({ name }: Place) =>
    [
      /^(remove|revoke|release|end|erase|disable)|withdraw|close/,
      /^endCase/,
      /^switch/,
      /^signIn /,
    ].findLastIndex((names) => names.test(name));

  it('is looked up: an id of the caller’s organization gets a different answer', async () => {
    const alike: string[] = [];
    const inOrder = places.toSorted((one, other) => rank(one) - rank(other));
    for (const { name, kind, ask } of inOrder) {
      const [nobody, mine] = [await ask(nobodys(kind)), await ask(own.ids[kind])];
      if (mine === nobody) alike.push(`${name}: ${mine}`);
    }
    expect(alike.filter((text) => !(text.split(':')[0]! in NEVER_TOLD_APART))).toEqual([]);
  });
});

/** The operation of a field, with the first level of its answer. */
function documentOf(operation: string, field: GraphQLField<unknown, unknown>): string {
  const declared = field.args.map(({ name, type }) => `$${name}: ${String(type)}`);
  const passed = field.args.map(({ name }) => `${name}: $${name}`);
  return `${operation} (${declared.join(', ')}) { ${field.name}(${passed.join(', ')}) ${selectionOf(field)} }`;
}

function selectionOf({ type }: GraphQLField<unknown, unknown>): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (!isObjectType(named)) return '{ __typename }';
  const members = Object.values(named.getFields()).filter(
    ({ name, args, type: memberType }) =>
      args.length === 0 && (isLeafType(getNamedType(memberType)) ? !isSecret(name) : name === 'nodes'),
  );
  return `{ __typename ${members.map((member) => `${member.name} ${selectionOf(member)}`).join(' ')} }`;
}

/** Random in each answer. */
const isSecret = (name: string) => /secret|token|link|cursor|challenge/i.test(name);
