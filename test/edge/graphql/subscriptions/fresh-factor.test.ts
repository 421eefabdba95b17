import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from 'graphql-ws';
import { Secret, TOTP } from 'otpauth';
import { enableTotp, proposeTotp } from '../../../../src/domain/organizations/index.js';
import { sql } from '../../../../src/platform/database/index.js';
import { startTestApp, type TestApp } from '../../../kit/app.js';
import { seedAsset, seedRecords, type SeededAsset } from '../../../kit/ledger/confidential-records.js';
import { SEED_PASSWORD, seedMember, seedSession, type SeededUser } from '../../../kit/seed.js';
import { FOLLOW, ask, connect, take } from './websocket-client.js';

const CREATE_KEY = `mutation { createApiKey(input: { name: "Late", scopes: ["assets:read"] }) { secret } }`;
const NEWEST = 'query ($assetId: ID!) { transactions(assetId: $assetId) { pageInfo { endCursor } } }';
interface Newest {
  readonly transactions: { readonly pageInfo: { readonly endCursor: string } };
}
const STEP_UP = 'mutation ($totp: String!) { stepUp(input: { totp: $totp }) }';

describe('a socket that stays open, in an organization that requires a second factor', () => {
  let app: TestApp;
  let asset: SeededAsset;
  let owner: SeededUser;
  let secret: string;
  let client: Client;

  beforeAll(async () => {
    app = await startTestApp();
    const { foundation } = app.application;
    const { id } = app.organization.organization;
    asset = await seedAsset(foundation, id);
    await app.database.rows(sql`update organizations set require_second_factor = true where id = ${id}`);
  }, 480_000);
  afterAll(async () => app[Symbol.asyncDispose]());

  beforeEach(async () => {
    const { foundation } = app.application;
    const permissions = { owner: ['api_keys:manage', 'applications:read'] };
    const { id } = app.organization.organization;
    const member = await seedMember(foundation, id, permissions);
    ({ secret } = proposeTotp(foundation, member.principal));
    const input = { password: SEED_PASSWORD, secret, totp: codeAfter(0) };
    await enableTotp(foundation, member.principal, input, '192.0.2.7');
    const { userId, name, email } = member.principal;
    // Enabling it ended every session.
    owner = await seedSession(foundation, id, { id: userId, name, email });
    client = connect(app, { headers: { cookie: `lucarne=${owner.sessionToken}`, origin: app.url } });
  });

  const codeAfter = (ms: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + ms });
  /** As if the factor had been proven so long ago. */
  const age = (ms: number) =>
    app.database.rows(
      sql`update sessions set factor_at = ${new Date(Date.now() - ms)} where id = ${owner.principal.sessionId}`,
    );
  const proveAgain = () => ask(client, { query: STEP_UP, variables: { totp: codeAfter(30_000) } });

  it('decides only within five minutes of the factor, and again after it is proven again', async () => {
    await age(4 * 60_000);
    expect(await ask(client, { query: CREATE_KEY })).toMatchObject({ data: { createApiKey: {} } });
    await age(5 * 60_000);
    expect(await ask(client, { query: CREATE_KEY })).toMatchObject({
      errors: [{ extensions: { code: 'FORBIDDEN', reason: 'fresh_factor_required' } }],
    });
    expect(await proveAgain()).toEqual({ data: { stepUp: true } });
    expect(await ask(client, { query: CREATE_KEY })).toMatchObject({ data: { createApiKey: {} } });
  });

  it('continues to deliver events after the factor is proven again', async () => {
    await age(60 * 60_000);
    const add = () => seedRecords(app.application.foundation, asset, [{}]);
    await add();
    const { data } = await ask(client, { query: NEWEST, variables: { assetId: asset.id } });
    const { endCursor: after } = (data as unknown as Newest).transactions.pageInfo;
    const events = client.iterate({ query: FOLLOW, variables: { assetId: asset.id, after } });
    const first = take(events, 1);
    await add();
    await first;
    expect(await proveAgain()).toEqual({ data: { stepUp: true } });
    const second = take(events, 1);
    const [added] = await add();
    expect((await second)[0]!.transaction.id).toBe(added!.id);
  }, 20_000);
});
