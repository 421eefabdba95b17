import { describe, expect, it } from '@jest/globals';
import { forFile } from '../../kit/for-file.js';
import { bearer, graphql, sessionOf, startTestApp } from '../../kit/app.js';
import { cursorsFor } from '../../../src/platform/kernel/paging/paging.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';

const CREATE = `mutation ($input: CreateAssetInput!) {
  createAsset(input: $input) { id name decimals status auditorKeyProvider indexerStatus { status } }
}`;
const LIST = `query ($first: Int, $after: String) {
  assets(first: $first, after: $after) {
    edges { cursor node { symbol } } nodes { symbol } pageInfo { hasNextPage endCursor }
  }
}`;
const ASSIGN = `mutation ($id: ID!, $foreignId: String) {
  assignAsset(input: { assetId: $id, foreignId: $foreignId }) { id }
}`;

interface Listing {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly symbol: string } }[];
  readonly nodes: readonly { readonly symbol: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

const app = forFile(await startTestApp());

describe('assets in GraphQL', () => {
  const ask = (query: string, variables: object, headers = bearer(app.organization.apiKey.secret)) =>
    graphql(app, query, { variables, headers });
  const asOwner = (query: string, variables: object) =>
    graphql(app, query, { variables, headers: sessionOf(app, app.organization.owner.sessionToken) });

  async function create(symbol: string, headers?: { authorization: string }): Promise<string> {
    const input = { name: 'Euro', symbol, decimals: 2 };
    const { data, errors } = await ask(CREATE, { input }, headers);
    expect(errors).toBeUndefined();
    return (data!['createAsset'] as { id: string }).id;
  }

  async function list(variables: object): Promise<Listing> {
    const { data, errors } = await ask(LIST, variables);
    expect(errors).toBeUndefined();
    return data!['assets'] as Listing;
  }

  it('are listed newest first, page by page, without duplicates, as nodes and as edges', async () => {
    const symbols = ['A', 'B', 'C', 'D', 'E'];
    for (const symbol of symbols) await create(symbol);
    const foreign = await create('X', bearer(app.other.apiKey.secret));
    expect(foreign).toMatch(/^ast_/);

    const seen: string[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const page: Listing = await list({ first: 2, after });
      expect(page.edges.map(({ node }) => node)).toEqual(page.nodes);
      expect(page.edges.at(-1)?.cursor).toBe(page.pageInfo.endCursor);
      seen.push(...page.nodes.map(({ symbol }) => symbol));
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    }
    expect(seen).toEqual([...symbols].reverse());
    expect((await list({})).pageInfo.hasNextPage).toBe(false);
  });

  it('have an auditor key that is not exportable, unless the operator allows it', async () => {
    const { data } = await ask('{ auditorKeys { exportable } }', {});
    expect(data).toEqual({ auditorKeys: [{ exportable: false }] });
  });

  it('do not shift the following pages when they are registered meanwhile', async () => {
    await create('P');
    await create('Q');
    const first = await list({ first: 1 });
    await create('R');
    const second = await list({ first: 1, after: first.pageInfo.endCursor });
    expect([first, second].map(({ nodes }) => nodes[0]?.symbol)).toEqual(['Q', 'P']);
  });

  it.each([
    ['first', { first: 201 }],
    ['first', { first: -1 }],
    ['after', { after: '' }],
    ['after', { after: 'bm9uZQ' }],
    ['after', { after: '\ud800\0' }],
  ])('refuse a page whose %s is wrong: %j', async (member, variables) => {
    const { errors } = await ask(LIST, variables);
    expect(errors?.[0]).toMatchObject({
      message: expect.stringMatching(new RegExp(`^${member} `)),
      extensions: { code: 'BAD_USER_INPUT' },
    });
  });

  it('refuse a cursor that does not name an asset', async () => {
    const cursors = cursorsFor('assets', app.organization.organization.id);
    for (const key of ['ast_', "' or 1=1", 'txn_01kaj79dk8f1prw2c6m5t0xj3q', 7]) {
      const { errors } = await ask(LIST, { after: cursors.encode(key) });
      expect(errors?.[0]?.extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        members: [{ member: 'after' }],
      });
    }
  });

  it('refuse a cursor of the assets of one application, which refuse theirs', async () => {
    const id = await create('Z');
    await asOwner(ASSIGN, { id, foreignId: 'payments' });
    const ofApplication = `query ($after: String) {
      applications { nodes { assets(after: $after) { pageInfo { endCursor } } } }
    }`;
    const { data } = await asOwner(ofApplication, {});
    const { nodes } = data!['applications'] as { nodes: { assets: Pick<Listing, 'pageInfo'> }[] };
    const foreign = {
      code: 'BAD_USER_INPUT',
      members: [{ member: 'after', message: expect.stringContaining('another listing') }],
    };
    const swapped = await ask(LIST, { after: nodes[0]!.assets.pageInfo.endCursor });
    expect(swapped.errors?.[0]?.extensions).toMatchObject(foreign);
    const { pageInfo } = await list({ first: 1 });
    const other = await asOwner(ofApplication, { after: pageInfo.endCursor });
    expect(other.errors?.[0]?.extensions).toMatchObject(foreign);
    await asOwner(ASSIGN, { id });
  });

  it('are registered once for an idempotency key', async () => {
    const input = { name: 'Once', symbol: 'ONE', decimals: 2, idempotencyKey: 'k' };
    const [first, second] = [await ask(CREATE, { input }), await ask(CREATE, { input })];
    expect(first.data?.['createAsset']).toMatchObject({
      status: 'pending',
      auditorKeyProvider: 'local',
      indexerStatus: { status: 'pending' },
    });
    expect(second.data).toEqual(first.data);
    const changed = await ask(CREATE, { input: { ...input, decimals: 3 } });
    expect(changed.errors?.[0]?.extensions).toEqual({ code: 'CONFLICT' });
  });

  it('can be read and bound only by their organization', async () => {
    const id = await create('OWN');
    const stranger = bearer(app.other.apiKey.secret);
    const read = 'query ($id: ID!) { asset(id: $id) { symbol indexerStatus { registered } } }';
    const bind = `mutation ($id: ID!, $mint: String!) { bindMint(input: { assetId: $id, mintAddress: $mint }) { status mintAddress } }`;
    const mint = randomAddress();
    for (const [query, variables] of [
      [read, { id }],
      [bind, { id, mint }],
    ] as const) {
      const { errors } = await ask(query, variables, stranger);
      expect(errors?.[0]?.extensions).toEqual({ code: 'NOT_FOUND' });
    }
    expect((await ask(bind, { id, mint })).data).toEqual({
      bindMint: { status: 'active', mintAddress: mint },
    });
    expect((await ask(read, { id })).data).toEqual({
      asset: { symbol: 'OWN', indexerStatus: { registered: false } },
    });
  });

  it('are assigned by an owner’s session, not by an API key', async () => {
    const id = await create('APP');
    const { foreignId } = app.organization.application;
    expect((await ask(ASSIGN, { id, foreignId })).errors?.[0]?.extensions).toEqual({ code: 'FORBIDDEN' });
    expect((await asOwner(ASSIGN, { id, foreignId })).data).toEqual({ assignAsset: { id } });
    const assigned = '{ applications { nodes { foreignId assets(first: 5) { nodes { symbol } } } } }';
    expect((await asOwner(assigned, {})).data).toEqual({
      applications: { nodes: [{ foreignId, assets: { nodes: [{ symbol: 'APP' }] } }] },
    });
    const elsewhere = await asOwner(ASSIGN, { id, foreignId: app.other.application.foreignId });
    expect(elsewhere.errors?.[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      members: [{ member: 'foreignId' }],
    });
    expect((await asOwner(ASSIGN, { id })).data).toEqual({ assignAsset: { id } });
  });
});
