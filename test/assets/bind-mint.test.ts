import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bindMint, createAsset } from '../../src/assets/index.js';
import { MINTS_TOPIC } from '../../src/assets/bind-mint.js';
import { sql, type Database, type Foundation } from '../../src/database/index.js';
import { newId } from '../../src/kernel/ids.js';
import { createTestDatabase } from '../kit/database.js';
import { randomAddress } from '../kit/confidential-records.js';
import { seedApiKey, seedOrganization, testFoundation, type SeededOrganization } from '../kit/seed.js';
import { boundAsset, EURO, logOf } from './kit.js';

describe('binding a mint', () => {
  let database: Database;
  let foundation: Foundation;
  let seed: SeededOrganization;
  let other: SeededOrganization;
  beforeAll(async () => {
    database = await createTestDatabase();
    foundation = testFoundation(database);
    seed = await seedOrganization(foundation);
    other = await seedOrganization(foundation, { name: 'Other', foreignId: 'elsewhere' });
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  const create = (principal = seed.apiKey.principal) => createAsset(foundation, principal, EURO);
  const bind = (assetId: string, mintAddress: string, principal = seed.apiKey.principal) =>
    bindMint(foundation, principal, { assetId, mintAddress });

  async function handedToTheIndexer(assetId: string) {
    return database.rows(sql`
      select indexed_mints.mint_address as mint, status, address, kind, frontier_signature as frontier
      from indexed_mints join followed_addresses using (asset_id) where asset_id = ${assetId}`);
  }

  it('hands it to the indexer, writes its log entry, and tells the indexer after the commit', async () => {
    const { id } = await create();
    const mint = randomAddress();
    // What the indexer finds at the moment when it is told.
    const found = new Promise((resolve) => {
      const stop = foundation.signals.listen(MINTS_TOPIC, () => {
        stop();
        resolve(handedToTheIndexer(id));
      });
    });
    const bound = await bindMint(foundation, seed.apiKey.principal, {
      assetId: id,
      mintAddress: mint,
      deploymentSignature: 'signature',
      deploymentStatus: 'deployed',
    });
    expect(bound).toMatchObject({
      status: 'active',
      mintAddress: mint,
      deploymentSignature: 'signature',
      deploymentStatus: 'deployed',
    });
    expect(await found).toEqual([{ mint, status: 'pending', address: mint, kind: 'mint', frontier: null }]);
    expect(await logOf(foundation, id)).toEqual(['asset.created', 'asset.mint_bound']);
  });

  it('a second time changes nothing, not even what was said of the deployment', async () => {
    const { id } = await create();
    const mint = randomAddress();
    const first = await bind(id, mint);
    const again = await bindMint(foundation, seed.apiKey.principal, {
      assetId: id,
      mintAddress: mint,
      deploymentStatus: 'redeployed',
    });
    expect(again).toEqual(first);
    expect(await logOf(foundation, id)).toEqual(['asset.created', 'asset.mint_bound']);
  });

  it('leaves nothing behind when it is refused', async () => {
    const mint = randomAddress();
    const taken = await create(other.apiKey.principal);
    await bind(taken.id, mint, other.apiKey.principal);
    const { id } = await create();
    await expect(bind(id, mint)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The mint is already bound elsewhere.',
    });
    expect(await handedToTheIndexer(id)).toEqual([]);
    expect(await logOf(foundation, id)).toEqual(['asset.created']);
    expect(await bind(id, randomAddress())).toMatchObject({ status: 'active' });
  });

  it.each(['disabled', 'error'])(
    'is refused for an asset that is %s, also with its own mint',
    async (status) => {
      const { id, mintAddress } = await boundAsset(foundation, seed.apiKey.principal);
      await database.rows(sql`update assets set status = ${status} where id = ${id}`);
      for (const mint of [mintAddress!, randomAddress()]) {
        await expect(bind(id, mint)).rejects.toMatchObject({
          code: 'CONFLICT',
          message: expect.stringContaining(status),
        });
      }
    },
  );

  it('of one mint to many assets at once binds one', async () => {
    const assets = await Promise.all(
      [seed, seed, other, other].map(({ apiKey }) => create(apiKey.principal)),
    );
    const mint = randomAddress();
    const answers = await Promise.allSettled(
      assets.map(({ id }, index) => bind(id, mint, (index < 2 ? seed : other).apiKey.principal)),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'CONFLICT' });
    }
    const rows = await database.rows(sql`select asset_id from indexed_mints where mint_address = ${mint}`);
    expect(rows).toHaveLength(1);
  });

  it('of one mint to one asset, asked many times at once, is done once and answered alike', async () => {
    const { id } = await create();
    const mint = randomAddress();
    const answers = await Promise.all([1, 2, 3, 4].map(() => bind(id, mint)));
    expect(answers).toEqual(Array(4).fill(answers[0]));
    expect(await logOf(foundation, id)).toEqual(['asset.created', 'asset.mint_bound']);
  });

  it.each([
    ['deploymentSignature', { deploymentSignature: 's'.repeat(257) }],
    ['deploymentStatus', { deploymentStatus: '' }],
  ])('is refused with a wrong %s', async (member, wrong) => {
    const { id } = await create();
    const input = { assetId: id, mintAddress: randomAddress(), ...wrong };
    await expect(bindMint(foundation, seed.apiKey.principal, input)).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining(member),
    });
  });

  it('needs the scope assets:write', async () => {
    const { id } = await create();
    const reader = await seedApiKey(foundation, seed.organization.id, ['assets:read']);
    await expect(bind(id, randomAddress(), reader.principal)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('finds another organization’s asset no more than one that is not there', async () => {
    const { id } = await create();
    for (const assetId of [id, newId('ast'), 'ast_x']) {
      await expect(bind(assetId, randomAddress(), other.apiKey.principal)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'No such asset.',
      });
    }
    expect(await logOf(foundation, id)).toEqual(['asset.created']);
  });
});
