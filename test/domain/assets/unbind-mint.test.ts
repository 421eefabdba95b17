import { describe, expect, it } from '@jest/globals';
import { bindMint, createAsset } from '../../../src/domain/assets/index.js';
import { disableAsset } from '../../../src/domain/assets/disable-asset.js';
import { unbindMint } from '../../../src/domain/assets/unbind-mint.js';
import { actingFor, sql } from '../../../src/platform/database/index.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { seedMember, seedOrganization } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';
import { boundAsset, EURO, logOf } from './kit.js';

const bound = () => boundAsset(foundation, acme.apiKey.principal);
const unbind = (assetId: string, principal = acme.owner.principal) =>
  unbindMint(foundation, principal, { assetId, reason: 'The wrong mint' });
const disable = (assetId: string, principal = acme.owner.principal) =>
  disableAsset(foundation, principal, { assetId, reason: 'Retired' });
const rowsOf = async (assetId: string) => {
  const [row] = await database.rows(sql<{ mints: number; addresses: number }>`
    select (select count(*) from indexed_mints where asset_id = ${assetId}) as mints,
      (select count(*) from followed_addresses where asset_id = ${assetId}) as addresses`);
  return row;
};

const { database, foundation, acme, other } = await openTwoOrganizations();

describe('unbinding a mint', () => {
  it('makes the asset pending again, removes the mint from the indexer, and is logged with its reason', async () => {
    const { id, mintAddress } = await bound();
    expect(await unbind(id)).toMatchObject({
      status: 'pending',
      mintAddress: null,
      deploymentSignature: null,
    });
    expect(await rowsOf(id)).toEqual({ mints: 0, addresses: 0 });
    expect(await logOf(foundation, id)).toEqual(['asset.created', 'asset.mint_bound', 'asset.mint_unbound']);
    const input = { assetId: id, mintAddress: mintAddress! };
    expect(await bindMint(foundation, acme.apiKey.principal, input)).toMatchObject({ status: 'active' });
  });

  it('is allowed to the serving role, within its organization', async () => {
    const { id } = await bound();
    expect(await actingFor([acme.organization.id], () => unbind(id))).toMatchObject({ status: 'pending' });
    expect(await rowsOf(id)).toEqual({ mints: 0, addresses: 0 });
    // The embedded database has one user, whom row-level security does not limit.
    if (database.engine !== 'postgresql') return;
    const { id: theirs } = await bound();
    await expect(actingFor([other.organization.id], () => unbind(theirs))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await rowsOf(theirs)).toEqual({ mints: 1, addresses: 1 });
  });

  it('is refused once a record is indexed, and then the asset can be disabled', async () => {
    const { id, mintAddress } = await bound();
    await database.rows(sql`update indexed_mints set record_count = 1 where asset_id = ${id}`);
    await expect(unbind(id)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await rowsOf(id)).toEqual({ mints: 1, addresses: 1 });

    expect(await disable(id)).toMatchObject({ status: 'disabled', mintAddress });
    const [mint] = await database.rows(sql`
      select status, verified, lease_owner as owner from indexed_mints where asset_id = ${id}`);
    expect(mint).toEqual({ status: 'disabled', verified: false, owner: null });
    await expect(disable(id)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await logOf(foundation, id)).at(-1)).toBe('asset.disabled');
  });

  it('is refused for an asset without a mint', async () => {
    const { id } = await bound();
    await unbind(id);
    await expect(unbind(id)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching('pending'),
    });
  });

  it('frees the mint of a disabled asset for another asset of the organization', async () => {
    const { id, mintAddress } = await bound();
    await disable(id);
    const next = await bound();
    await unbind(next.id);
    const input = { assetId: next.id, mintAddress: mintAddress! };
    expect(await bindMint(foundation, acme.apiKey.principal, input)).toMatchObject({ mintAddress });
  });

  it.each([
    ['unbind', unbind],
    ['disable', disable],
  ] as const)('%s is for the owners of the organization', async (_name, change) => {
    const { id } = await bound();
    const member = await seedMember(foundation, acme.organization.id);
    await expect(change(id, member.principal)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(change(id, other.owner.principal)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(change(id, acme.apiKey.principal as never)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await rowsOf(id)).toEqual({ mints: 1, addresses: 1 });
  });

  it('requires two people if a second person is required, because one could move the mint to an asset with other rules', async () => {
    const home = await seedOrganization(foundation);
    const { id: organizationId } = home.organization;
    await database.rows(
      sql`update organizations set require_second_person = true where id = ${organizationId}`,
    );
    const ivan = await seedMember(foundation, organizationId, { owner: ['applications:create'] }, 'Ivan');
    const agreed = { ...EURO, disclosurePolicyId: 'review-everything' };
    const { id } = await createAsset(foundation, home.owner.principal, agreed);
    const mintAddress = randomAddress();
    await bindMint(foundation, home.owner.principal, { assetId: id, mintAddress });

    const proposed = { code: 'CONFLICT', reason: 'second_person_required' };
    await expect(unbind(id, ivan.principal)).rejects.toMatchObject(proposed);
    await expect(unbind(id, ivan.principal)).rejects.toMatchObject(proposed);
    const lax = { ...EURO, disclosurePolicyId: 'authorize-everything', workspaceId: 'payments' };
    const { id: own } = await createAsset(foundation, ivan.principal, lax);
    const taken = bindMint(foundation, ivan.principal, { assetId: own, mintAddress });
    await expect(taken).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await rowsOf(id)).toEqual({ mints: 1, addresses: 1 });

    expect(await unbind(id, home.owner.principal)).toMatchObject({ status: 'pending', mintAddress: null });
    expect(await logOf(foundation, id)).toEqual(['asset.created', 'asset.mint_bound', 'asset.mint_unbound']);
  });

  it('requires a reason', async () => {
    const { id } = await bound();
    for (const change of [unbindMint, disableAsset]) {
      const input = { assetId: id, reason: ' ' };
      await expect(change(foundation, acme.owner.principal, input)).rejects.toMatchObject({
        members: [{ member: 'reason' }],
      });
    }
  });

  it('allows another mint to be bound afterwards', async () => {
    const { id } = await bound();
    await unbind(id);
    const mintAddress = randomAddress();
    const input = { assetId: id, mintAddress };
    expect(await bindMint(foundation, acme.apiKey.principal, input)).toMatchObject({ mintAddress });
  });
});
