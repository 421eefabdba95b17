import { describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import {
  API_KEY_SCOPES,
  findApplicationByForeignId,
  findApplicationById,
  operatorOf,
} from '../../../src/domain/access/index.js';
import {
  createApiKey,
  createApplication,
  listApiKeys,
  listApplications,
  revokeApiKey,
} from '../../../src/domain/organizations/index.js';
import { seedApiKey, seedMember, seedOrganization, openTestFoundation } from '../../kit/seed.js';

const NOW = new Date('2126-11-21T10:00:00.000Z');

const { database, foundation } = await openTestFoundation({ now: () => NOW });
const seed = await seedOrganization(foundation);
const other = await seedOrganization(foundation, { name: 'Other' });

describe('what belongs to an organization', () => {
  const entriesOf = (eventType: string) =>
    database.rows(sql<{ organizationId: string; entry: { user_id: string; object: object } }>`
      select organization_id as "organizationId", entry from activity_entries
      where event_type = ${eventType} order by sequence`);

  describe('an application', () => {
    it('has a foreignId that is unique within the organization, but not across organizations', async () => {
      await expect(
        createApplication(foundation, seed.owner.principal, { foreignId: 'payments', name: 'Again' }),
      ).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(seed.application.foreignId).toBe(other.application.foreignId);
      expect(seed.application.checkApplicationId).not.toBe(other.application.checkApplicationId);
      expect(seed.application.checkApplicationId).toMatch(/^check_[0-9A-Za-z]{22}$/);
    });

    it('is created once when several requests use the same foreignId concurrently', async () => {
      const race = await Promise.allSettled(
        Array.from({ length: 5 }, () =>
          createApplication(foundation, seed.owner.principal, { foreignId: 'raced', name: 'Raced' }),
        ),
      );
      expect(race.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const answer of race) {
        if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'CONFLICT' });
      }
      const entries = await entriesOf('application.created');
      expect(entries.filter(({ entry }) => JSON.stringify(entry.object).includes('"raced"'))).toHaveLength(1);
    });

    it.each(['', '-a', 'A', 'a_b', 'a b', 'é', 'a'.repeat(64), 'a\n'])(
      'is not made with the foreignId %j',
      async (foreignId) => {
        await expect(
          createApplication(foundation, seed.owner.principal, { foreignId, name: 'Name' }),
        ).rejects.toThrow('foreignId must');
      },
    );

    it('is created only by holders of applications:create', async () => {
      const member = await seedMember(foundation, seed.organization.id, { owner: ['applications:read'] });
      const input = { foreignId: 'more', name: 'More' };
      await expect(createApplication(foundation, undefined, input)).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
      });
      for (const principal of [member.principal, seed.apiKey.principal]) {
        await expect(createApplication(foundation, principal, input)).rejects.toMatchObject({
          code: 'FORBIDDEN',
        });
      }
    });

    it('is found only in its own organization', async () => {
      const { id, foreignId } = seed.application;
      const organizationId = seed.organization.id;
      expect(await findApplicationByForeignId(database, organizationId, foreignId)).toEqual(seed.application);
      expect(await findApplicationById(database, organizationId, id)).toEqual(seed.application);
      expect(await findApplicationById(database, other.organization.id, id)).toBeUndefined();
      expect(await findApplicationById(database, organizationId, null)).toBeUndefined();
      expect(await findApplicationByForeignId(database, organizationId, 'unknown')).toBeUndefined();
    });

    it('is listed for the owner, for an API key, and for members with permissions in it', async () => {
      const seeded = await seedOrganization(foundation, { name: 'Third', foreignId: 'a' });
      for (const foreignId of ['c', 'b']) {
        await createApplication(foundation, seeded.owner.principal, { foreignId, name: foreignId });
      }
      const member = await seedMember(foundation, seeded.organization.id, {
        applications: [{ foreignId: 'c', common: ['logs:view_activity'] }],
      });
      const stranger = await seedMember(foundation, seeded.organization.id);
      const seen = async (principal: Parameters<typeof listApplications>[1]) =>
        (await listApplications(foundation, principal)).nodes.map(({ foreignId }) => foreignId);
      expect(await seen(seeded.owner.principal)).toEqual(['a', 'b', 'c']);
      expect(await seen(seeded.apiKey.principal)).toEqual(['a', 'b', 'c']);
      expect(await seen(member.principal)).toEqual(['c']);
      expect(await seen(stranger.principal)).toEqual([]);
      await expect(seen(undefined)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
      const narrow = await seedApiKey(foundation, seeded.organization.id, ['disclosures:read']);
      await expect(seen(narrow.principal)).rejects.toMatchObject({ code: 'FORBIDDEN' });
      const page = await listApplications(foundation, seeded.owner.principal, { first: 2 });
      const rest = await listApplications(foundation, seeded.owner.principal, {
        after: page.pageInfo.endCursor,
      });
      expect(rest.nodes.map(({ foreignId }) => foreignId)).toEqual(['c']);
    });
  });

  describe('an API key', () => {
    it('does not have its secret in the database', async () => {
      const { secret, apiKey } = await seedApiKey(foundation, seed.organization.id);
      const rows = await database.rows(sql<{ text: string }>`
        select k::text as text from api_keys k union all select a::text from activity_entries a`);
      const stored = rows.map(({ text }) => text).join('\n');
      expect(stored).toContain(apiKey.displayPrefix);
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(secret.slice(4, 31));
      expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    });

    it('is logged with its creator and its scopes', async () => {
      const { apiKey } = await createApiKey(foundation, seed.owner.principal, {
        name: 'Logged',
        scopes: ['transactions:read', 'assets:read', 'assets:read'],
        expiresAt: new Date(NOW.getTime() + 1),
      });
      expect(apiKey.scopes).toEqual(['assets:read', 'transactions:read']);
      const entry = (await entriesOf('api_key.created')).at(-1);
      expect(entry).toMatchObject({
        organizationId: seed.organization.id,
        entry: {
          user_id: seed.owner.principal.userId,
          object: { api_key_id: apiKey.id, name: 'Logged' },
          details: { scopes: apiKey.scopes, expires_at: '2126-11-21T10:00:00.001Z' },
        },
      });
    });

    it.each([
      ['name', { name: '' }],
      ['scopes', { scopes: [] }],
      ['scopes', { scopes: ['assets:read', 'everything'] }],
      ['scopes', { scopes: ['constructor'] }],
      ['expiresAt', { expiresAt: NOW }],
      ['expiresAt', { expiresAt: new Date(Number.NaN) }],
    ])('is not made with a wrong %s', async (member, wrong) => {
      const input = { name: 'Key', scopes: ['assets:read'], ...wrong };
      const attempt = createApiKey(foundation, seed.owner.principal, input);
      await expect(attempt).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
      await expect(attempt).rejects.toThrow(member);
    });

    it('cannot create, list or revoke keys, and neither can members without api_keys:manage', async () => {
      const member = await seedMember(foundation, seed.organization.id, { owner: ['members:manage'] });
      for (const principal of [member.principal, seed.apiKey.principal]) {
        const input = { name: 'Key', scopes: Object.keys(API_KEY_SCOPES) };
        await expect(createApiKey(foundation, principal, input)).rejects.toMatchObject({ code: 'FORBIDDEN' });
        await expect(listApiKeys(foundation, principal)).rejects.toMatchObject({ code: 'FORBIDDEN' });
        await expect(revokeApiKey(foundation, principal, seed.apiKey.apiKey.id)).rejects.toMatchObject({
          code: 'FORBIDDEN',
        });
      }
    });

    it('is revoked once, by its own organization', async () => {
      const { apiKey } = await seedApiKey(foundation, seed.organization.id);
      for (const id of [apiKey.id, newId('key'), 'key_x']) {
        await expect(revokeApiKey(foundation, other.owner.principal, id)).rejects.toMatchObject({
          code: 'NOT_FOUND',
        });
      }
      const [first, second] = await Promise.all([
        revokeApiKey(foundation, seed.owner.principal, apiKey.id),
        revokeApiKey(foundation, operatorOf(seed.organization.id), apiKey.id),
      ]);
      expect(first.revokedAt).toEqual(NOW);
      expect(second.revokedAt).toEqual(NOW);
      const entries = (await entriesOf('api_key.revoked')).filter(({ entry }) =>
        JSON.stringify(entry.object).includes(apiKey.id),
      );
      expect(entries).toHaveLength(1);
    });

    it('is listed with others of the organization, including revoked ones, page by page', async () => {
      const seeded = await seedOrganization(foundation, { name: 'Keys' });
      const more = await seedApiKey(foundation, seeded.organization.id);
      await revokeApiKey(foundation, seeded.owner.principal, more.apiKey.id);
      const first = await listApiKeys(foundation, seeded.owner.principal, { first: 1 });
      expect(first.nodes).toEqual([seeded.apiKey.apiKey]);
      const second = await listApiKeys(foundation, seeded.owner.principal, {
        first: 1,
        after: first.pageInfo.endCursor,
      });
      expect(second.nodes).toEqual([{ ...more.apiKey, revokedAt: NOW }]);
      expect(second.pageInfo.hasNextPage).toBe(false);
    });
  });
});
