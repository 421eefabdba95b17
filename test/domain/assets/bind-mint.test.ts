import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Principal } from '../../../src/domain/access/index.js';
import { bindMint, createAsset } from '../../../src/domain/assets/index.js';
import { MAX_UNVERIFIED_MINTS, MINTS_TOPIC } from '../../../src/domain/assets/bind-mint.js';
import { disableAsset } from '../../../src/domain/assets/disable-asset.js';
import { sql } from '../../../src/platform/database/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { type SeededOrganization, seedApiKey, seedOrganization } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';
import { boundAsset, EURO, logOf } from './kit.js';

const { database, foundation, acme, other } = await openTwoOrganizations();

describe('binding a mint', () => {
  const create = (principal = acme.apiKey.principal) => createAsset(foundation, principal, EURO);
  const bind = (assetId: string, mintAddress: string, principal: Principal = acme.apiKey.principal) =>
    bindMint(foundation, principal, { assetId, mintAddress });

  async function handedToTheIndexer(assetId: string) {
    return database.rows(sql`
      select indexed_mints.mint_address as mint, status, address, kind, frontier_signature as frontier
      from indexed_mints join followed_addresses using (asset_id) where asset_id = ${assetId}`);
  }

  it('makes it available to the indexer, writes a log entry, and signals the indexer after the commit', async () => {
    const { id } = await create();
    const mint = randomAddress();
    // What the indexer finds when it is notified.
    const found = new Promise((resolve) => {
      const stop = foundation.signals.listen(MINTS_TOPIC, () => {
        stop();
        resolve(handedToTheIndexer(id));
      });
    });
    const bound = await bindMint(foundation, acme.apiKey.principal, {
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

  it('changes nothing the second time, not even the deployment members', async () => {
    const { id } = await create();
    const mint = randomAddress();
    const first = await bind(id, mint);
    const again = await bindMint(foundation, acme.apiKey.principal, {
      assetId: id,
      mintAddress: mint,
      deploymentStatus: 'redeployed',
    });
    expect(again).toEqual(first);
    expect(await logOf(foundation, id)).toEqual(['asset.created', 'asset.mint_bound']);
  });

  it('succeeds if another organization also claims the mint, and neither blocks the other', async () => {
    const mint = randomAddress();
    const theirs = await create(other.apiKey.principal);
    await bind(theirs.id, mint, other.apiKey.principal);
    const { id } = await create();
    expect(await bind(id, mint)).toMatchObject({ status: 'active', mintAddress: mint });
    expect(await handedToTheIndexer(id)).toHaveLength(1);
    expect(await handedToTheIndexer(theirs.id)).toHaveLength(1);
  });

  it('is limited for mints that never showed the key on the ledger, so that they take no indexer capacity from others', async () => {
    const squatter = await seedOrganization(foundation, { name: 'Squatter' });
    const claim = async () =>
      bind((await create(squatter.apiKey.principal)).id, randomAddress(), squatter.apiKey.principal);
    const [first] = await Promise.all(Array.from({ length: MAX_UNVERIFIED_MINTS }, claim));
    await expect(claim()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/^Your organization has 64 bound mints that the ledger does not show/),
    });
    await bind((await create()).id, randomAddress());
    await database.rows(sql`update indexed_mints set verified = true where asset_id = ${first!.id}`);
    await claim();
    await expect(claim()).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('is refused for a second asset of the organization, and then changes nothing', async () => {
    const { mintAddress } = await boundAsset(foundation, acme.apiKey.principal);
    const { id } = await create();
    await expect(bind(id, mintAddress!)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'Your organization has bound the mint to another asset.',
    });
    expect(await handedToTheIndexer(id)).toEqual([]);
    expect(await logOf(foundation, id)).toEqual(['asset.created']);
    expect(await bind(id, randomAddress())).toMatchObject({ status: 'active' });
  });

  it.each(['disabled', 'error'])(
    'is refused for an asset that is %s, also with its own mint',
    async (status) => {
      const { id, mintAddress } = await boundAsset(foundation, acme.apiKey.principal);
      await database.rows(sql`update assets set status = ${status} where id = ${id}`);
      for (const mint of [mintAddress!, randomAddress()]) {
        await expect(bind(id, mint)).rejects.toMatchObject({
          code: 'CONFLICT',
          message: expect.stringContaining(status),
        });
      }
    },
  );

  it('binds one asset in each organization if many assets request the mint concurrently', async () => {
    const organizations = [acme, acme, other, other];
    const assets = await Promise.all(organizations.map(({ apiKey }) => create(apiKey.principal)));
    const mint = randomAddress();
    const answers = await Promise.allSettled(
      assets.map(({ id }, index) => bind(id, mint, organizations[index]!.apiKey.principal)),
    );
    for (const half of [answers.slice(0, 2), answers.slice(2)]) {
      expect(half.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const answer of half) {
        if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'CONFLICT' });
      }
    }
  });

  it('happens once for many concurrent requests of one asset, which get equal responses', async () => {
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
    await expect(bindMint(foundation, acme.apiKey.principal, input)).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining(member),
    });
  });

  it('requires the scope assets:write', async () => {
    const { id } = await create();
    const reader = await seedApiKey(foundation, acme.organization.id, ['assets:read']);
    await expect(bind(id, randomAddress(), reader.principal)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('gives the same response for another organization’s asset as for an unknown one', async () => {
    const { id } = await create();
    for (const assetId of [id, newId('ast'), 'ast_x']) {
      await expect(bind(assetId, randomAddress(), other.apiKey.principal)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'No such asset.',
      });
    }
    expect(await logOf(foundation, id)).toEqual(['asset.created']);
  });

  describe('of an earlier asset of the organization, where a second person is required,', () => {
    const DAILY = 'daily-report';
    const name = async (disclosurePolicyId: string | null) =>
      createAsset(foundation, owner, { ...EURO, disclosurePolicyId });
    const disable = (assetId: string) =>
      disableAsset(foundation, owner, { assetId, reason: 'Registered again.' });
    const REFUSED = {
      code: 'CONFLICT',
      message: expect.stringContaining('must name the same disclosurePolicyId, or none'),
    };
    let home: SeededOrganization;
    let owner: Principal;
    let mint: string;
    beforeEach(async () => {
      home = await seedOrganization(foundation);
      owner = home.owner.principal;
      mint = randomAddress();
      await database.rows(sql`
        update organizations set require_second_person = true where id = ${home.organization.id}`);
    });
    const boundBefore = async (policy: string | null) => {
      const { id } = await name(policy);
      await bind(id, mint, owner);
      await disable(id);
    };

    it('is refused with another policy, so that no single person changes the decision rule', async () => {
      await boundBefore(null);
      const { id } = await name(DAILY);
      for (const caller of [owner, home.apiKey.principal])
        await expect(bind(id, mint, caller)).rejects.toMatchObject(REFUSED);
      expect(await handedToTheIndexer(id)).toEqual([]);
      expect(await logOf(foundation, id)).toEqual(['asset.created']);
    });

    it('is allowed with the same policy, and with no policy, because then a person decides', async () => {
      await boundBefore(DAILY);
      await boundBefore(DAILY);
      await boundBefore(null);
      const { id } = await name(DAILY);
      await expect(bind(id, mint, owner)).rejects.toMatchObject(REFUSED);
    });

    it('is refused with another application, whose administrators would decide, and allowed with none', async () => {
      await boundBefore(null);
      const { id } = await createAsset(foundation, owner, { ...EURO, workspaceId: 'payments' });
      const REFUSED_APPLICATION = {
        code: 'CONFLICT',
        message: expect.stringContaining('must have the same application, or none'),
      };
      await expect(bind(id, mint, owner)).rejects.toMatchObject(REFUSED_APPLICATION);
      await boundBefore(null);
      const elsewhere = randomAddress();
      await bind(id, elsewhere, owner);
      await disable(id);
      const again = await createAsset(foundation, owner, { ...EURO, workspaceId: 'payments' });
      expect(await bind(again.id, elsewhere, owner)).toMatchObject({ status: 'active' });
    });

    it('is refused while the earlier asset is being disabled, because that asset counts before and after', async () => {
      const first = await name(null);
      await bind(first.id, mint, owner);
      const { id } = await name(DAILY);
      const answers = await Promise.allSettled([disable(first.id), bind(id, mint, owner)]);
      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      await expect(bind(id, mint, owner)).rejects.toMatchObject(REFUSED);
    });

    it('is allowed with any policy where one person can decide alone, and in another organization', async () => {
      await boundBefore(null);
      const theirs = await createAsset(foundation, other.apiKey.principal, {
        ...EURO,
        disclosurePolicyId: DAILY,
      });
      await bind(theirs.id, mint, other.apiKey.principal);
      await database.rows(sql`
        update organizations set require_second_person = false where id = ${home.organization.id}`);
      const { id } = await name(DAILY);
      expect(await bind(id, mint, owner)).toMatchObject({ status: 'active', disclosurePolicyId: DAILY });
    });
  });
});
