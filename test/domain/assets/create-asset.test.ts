import { describe, expect, it } from '@jest/globals';
import { createAsset } from '../../../src/domain/assets/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { seedApiKey, seedMember } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';
import { EURO, logOf } from './kit.js';

const { database, foundation, acme, other } = await openTwoOrganizations();

describe('registering an asset', () => {
  const create = (
    input: object = {},
    idempotencyKey: string | null = null,
    principal = acme.apiKey.principal,
  ) => createAsset(foundation, principal, { ...EURO, ...input, idempotencyKey });

  async function assetsInDatabase(): Promise<number> {
    const [row] = await database.rows(sql<{ count: number }>`select count(*) as count from assets`);
    return row!.count;
  }

  it('stores every member of the input, and writes a log entry', async () => {
    const longest = {
      name: '👩‍🚀'.repeat(25),
      symbol: 'S'.repeat(16),
      decimals: 255,
      workspaceId: 'w'.repeat(256),
      creatorAuthority: 'a',
      disclosurePolicyId: 'not a policy',
      confidentialMintBurnEnabled: true,
    };
    const asset = await create(longest);
    expect(asset).toMatchObject({ ...longest, status: 'pending', applicationId: null, mintAddress: null });
    expect(await logOf(foundation, asset.id)).toEqual(['asset.created']);
  });

  it.each([
    ['name', { name: '' }],
    ['name', { name: ' \t' }],
    ['name', { name: 'n'.repeat(129) }],
    ['name', { name: 'NUL\0' }],
    ['name', { name: 'half \ud83d' }],
    ['symbol', { symbol: '' }],
    ['symbol', { symbol: 's'.repeat(17) }],
    ['decimals', { decimals: -1 }],
    ['decimals', { decimals: 256 }],
    ['decimals', { decimals: 1.5 }],
    ['decimals', { decimals: Number.NaN }],
    ['workspaceId', { workspaceId: '' }],
    ['workspaceId', { workspaceId: 'w'.repeat(257) }],
    ['workspaceId', { workspaceId: '\ud800' }],
    ['creatorAuthority', { creatorAuthority: 'a'.repeat(257) }],
    ['disclosurePolicyId', { disclosurePolicyId: 'p'.repeat(257) }],
  ])('is refused with a wrong %s: %j', async (member, wrong) => {
    const before = await assetsInDatabase();
    const attempt = create(wrong);
    await expect(attempt).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringMatching(new RegExp(`^${member} must be `)),
    });
    expect(await assetsInDatabase()).toBe(before);
  });

  it('accepts the shortest and smallest values', async () => {
    expect(await create({ name: 'n', symbol: 's', decimals: 0 })).toMatchObject({ decimals: 0 });
  });

  it('requires the scope assets:write, or an owner who may create applications', async () => {
    const { id } = acme.organization;
    const reader = await seedApiKey(foundation, id, ['assets:read', 'disclosures:write']);
    const member = await seedMember(foundation, id, { owner: ['applications:read'] });
    for (const [principal, code] of [
      [undefined, 'UNAUTHENTICATED'],
      [reader.principal, 'FORBIDDEN'],
      [member.principal, 'FORBIDDEN'],
    ] as const) {
      await expect(createAsset(foundation, principal, EURO)).rejects.toMatchObject({ code });
    }
    const byOwner = await createAsset(foundation, acme.owner.principal, EURO);
    expect(byOwner.organizationId).toBe(id);
  });

  it('links it to the application whose foreignId is its workspaceId', async () => {
    const { application } = acme;
    expect(await create({ workspaceId: application.foreignId })).toMatchObject({
      workspaceId: application.foreignId,
      applicationId: application.id,
    });
  });

  it('does not link it to another organization’s application, or by an internal application id', async () => {
    for (const workspaceId of [other.application.foreignId, acme.application.id, 'PAYMENTS']) {
      expect(await create({ workspaceId })).toMatchObject({ workspaceId, applicationId: null });
    }
  });

  describe('with an Idempotency-Key', () => {
    it('repeats the first response, and writes one asset and one log entry', async () => {
      const before = await assetsInDatabase();
      const first = await create({}, 'once');
      const [second, third] = await Promise.all([create({}, 'once'), create({}, 'once')]);
      expect([second, third]).toEqual([first, first]);
      expect(await assetsInDatabase()).toBe(before + 1);
      expect(await logOf(foundation, first.id)).toEqual(['asset.created']);
    });

    it('treats missing and null members as the same request', async () => {
      const first = await create({}, 'unset');
      const again = await create({ workspaceId: null, confidentialMintBurnEnabled: false }, 'unset');
      expect(again.id).toBe(first.id);
    });

    it('refuses a different request', async () => {
      await create({}, 'taken');
      await expect(create({ symbol: 'CEUR2' }, 'taken')).rejects.toMatchObject({ code: 'CONFLICT' });
    });

    it('stores no response for a refused request', async () => {
      await expect(create({ decimals: 300 }, 'mistaken')).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
      expect(await create({ decimals: 3 }, 'mistaken')).toMatchObject({ decimals: 3 });
    });

    it('is independent in each organization', async () => {
      const mine = await create({}, 'shared');
      const theirs = await create({}, 'shared', other.apiKey.principal);
      expect(theirs).not.toMatchObject({ id: mine.id });
      expect(theirs.organizationId).toBe(other.organization.id);
    });
  });
});
