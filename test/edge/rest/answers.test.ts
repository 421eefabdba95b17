import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TSchema } from 'typebox';
import { Errors } from 'typebox/value';
import { createDisclosurePolicy } from '../../../src/domain/disclosures/index.js';
import { openApiDocument } from '../../../src/edge/rest/reference/openapi.js';
import { routes } from '../../../src/edge/rest/routes.js';
import { ErrorSchema, ErrorWithReasonSchema } from '../../../src/edge/rest/schemas/error.js';
import { AUTHORIZE_ALL, seedTransfers } from '../../domain/disclosures/kit.js';
import { startTestApp, type TestApp } from '../../kit/app.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { SEED_PASSWORD } from '../../kit/seed.js';
import { callRest, type RestCall } from './server/rest-server.js';

// Compares the answers of the whole application with the document's promises for each route.
describe('responses that match the OpenAPI document', () => {
  let app: TestApp;
  let assetId: string;
  let records: readonly string[];

  beforeAll(async () => {
    app = await startTestApp();
    const { foundation } = app.application;
    await createDisclosurePolicy(foundation, app.organization.owner.principal, AUTHORIZE_ALL);
    const seeded = await seedTransfers(foundation, app.organization, [1n, 65_536n], AUTHORIZE_ALL.key);
    assetId = seeded.asset.id;
    records = seeded.ids;
  }, 480_000);
  afterAll(async () => app[Symbol.asyncDispose]());

  const { paths } = openApiDocument() as unknown as {
    readonly paths: Readonly<
      Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, unknown>> }>>>
    >;
  };

  /** Calls the route. The answer must have a documented status, and match its schema without additional members. */
  async function call(name: string, parameters: Record<string, string>, options: RestCall = {}) {
    const route = routes.find(({ method, path }) => `${method} ${path}` === name)!;
    const path = route.path.replace(/\{(\w+)\}/g, (_, parameter: string) => parameters[parameter]!);
    const credentials =
      route.credentials === 'session'
        ? { cookie: `lucarne=${app.organization.owner.sessionToken}` }
        : { key: app.organization.apiKey.secret };
    const answer = await callRest(`${app.url}${path}`, route.method, { ...credentials, ...options });
    expect(Object.keys(paths[route.path]![route.method.toLowerCase()]!.responses)).toContain(
      String(answer.status),
    );
    const { answer: documented } = route;
    if (answer.status < 400 && documented.status === 302) return answer;
    const refusal = route.reasons ? ErrorWithReasonSchema : ErrorSchema;
    const schema = answer.status < 400 && documented.status !== 302 ? documented.schema : refusal;
    expect(answer.status < 400 ? answer.status : route.answer.status).toBe(route.answer.status);
    expect(Errors(schema, answer.body)).toEqual([]);
    expect(undocumented(schema, answer.body)).toEqual([]);
    return answer;
  }

  const asset = { name: 'Confidential Euro', symbol: 'CEUR', decimals: 6 };

  it('describe an asset, from its registration on', async () => {
    const optional = {
      workspaceId: 'payments',
      creatorAuthority: randomAddress(),
      disclosurePolicyId: 'of-our-own',
      confidentialMintBurnEnabled: true,
    };
    for (const body of [asset, { ...asset, ...optional }]) {
      const { id } = (await call('POST /v1/assets', {}, { body })).body as { id: string };
      const mint = { mintAddress: randomAddress(), deploymentSignature: 's', deploymentStatus: 'confirmed' };
      await call('GET /v1/assets/{id}', { id });
      await call('GET /v1/assets/{id}/indexer-status', { id });
      await call('PATCH /v1/assets/{id}/mint', { id }, { body: mint });
      await call('GET /v1/assets/{id}/indexer-status', { id });
      await call('GET /v1/assets/{id}/transactions', { id });
    }
  });

  it('describe transactions', async () => {
    await call('GET /v1/assets/{id}/transactions', { id: assetId });
    await call('GET /v1/assets/{id}/indexer-status', { id: assetId });
    await call('GET /v1/transactions/{transactionId}', { transactionId: records[0]! });
  });

  it.each(['json', 'csv'])('describe a disclosure as %s', async (format) => {
    for (const fields of [['amount'], ['fee'], ['fee', 'amount']]) {
      const scope = { transactionIds: records, fields };
      const body = { assetId, purpose: 'Audit', format, scope, externalReference: 'A-1' };
      const requested = await call('POST /v1/disclosures', {}, { body });
      expect(requested.body).toMatchObject({ status: 'available', scope, externalReference: 'A-1' });
      const { id } = requested.body as { id: string };
      const read = await call('GET /v1/disclosures/{disclosureId}', { disclosureId: id });
      expect(read.text).toBe(requested.text);
    }
  });

  it('describe a session', async () => {
    const body = { email: app.organization.owner.email, password: SEED_PASSWORD };
    await call('POST /auth/sign-in', {}, { body });
    await call('GET /auth/me', {});
    await call('POST /auth/sign-out', {});
    expect((await call('GET /auth/me', {})).status).toBe(401);
  });

  it('describe a check of an address', async () => {
    const { checkApplicationId } = app.organization.application;
    for (const applicationId of [checkApplicationId, 'check_nobodys']) {
      const body = { network: 'solana', address: randomAddress(), applicationId };
      expect((await call('POST /check', {}, { body })).status).toBe(200);
    }
  });

  it.each(routes.map(({ method, path }) => `${method} ${path}`))(
    'describe each refusal of %s',
    async (name) => {
      const nothing = { id: 'ast_1', transactionId: 'txn_1', disclosureId: 'dsc_1' };
      await call(name, nothing, { key: 'lck_nonsense', cookie: 'lucarne=nonsense' });
      if (name.startsWith('GET')) await call(name, nothing);
      else for (const body of ['{', '[]', { unknown: 1 }]) await call(name, nothing, { body });
    },
  );
});

/** The members of a value that are not in its schema. */
function undocumented(schema: Shape, value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (schema.anyOf) {
    const form = schema.anyOf.find((each) => Errors(each, value).length === 0);
    return form ? undocumented(form, value, path) : [path];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => undocumented(schema.items ?? {}, item, `${path}[${index}]`));
  }
  if (schema.additionalProperties === true) return [];
  const [ofAnyName] = Object.values(schema.patternProperties ?? {});
  return Object.entries(value).flatMap(([name, member]) => {
    const property = schema.properties?.[name] ?? ofAnyName;
    return property ? undocumented(property, member, `${path}.${name}`) : [`${path}.${name}`];
  });
}

interface Shape extends TSchema {
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: boolean;
}
