import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { type Database, sql } from '../../../src/platform/database/index.js';
import { textOf } from '../../../src/platform/database/statement.js';
import { assignAsset } from '../../../src/domain/assets/assign-asset.js';
import { findDisclosure, listDisclosures } from '../../../src/domain/disclosures/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import {
  createApiKey,
  createApplication,
  removeMember,
  setPermissions,
} from '../../../src/domain/organizations/index.js';
import { operatorOf, PERMISSIONS } from '../../../src/domain/access/index.js';
import {
  auditorCiphertexts,
  randomAddress,
  seedAsset,
  seedRecords,
} from '../../kit/ledger/confidential-records.js';
import { seedApiKey, seedMember, seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { itOnPostgresql } from '../../kit/database/on-postgresql.js';
import { disclosureDesk, logOf, seedTransfers } from './kit.js';

const { database, foundation } = await openTestFoundation();
const desk = disclosureDesk(foundation);
const acme = await seedOrganization(foundation, { name: 'Acme' });
const other = await seedOrganization(foundation, { name: 'Other' });

describe('deciding a disclosure', () => {
  async function pending(organization = acme) {
    const { asset, ids } = await seedTransfers(foundation, organization, [7n, 8n]);
    return desk.request(organization.apiKey.principal, {
      assetId: asset.id,
      purpose: 'Audit',
      scope: { transactionIds: ids, fields: ['amount'] },
      format: 'json',
    });
  }

  it('makes an authorized disclosure available with its result', async () => {
    const disclosure = await pending();
    const decided = await desk.decide(acme.owner.principal, disclosure.id, 'authorize', 'Asked by the court');
    expect(decided).toMatchObject({
      status: 'available',
      decision: 'authorize',
      decidedBy: acme.owner.principal.userId,
      decisionReason: 'Asked by the court',
    });
    const { records, receipt } = await desk.result(decided);
    expect(records.map(({ amount }) => amount)).toEqual(['7', '8']);
    expect(receipt.body.decision).toEqual({ decision: 'authorize', decidedBy: 'user', policyId: null });
    expect(await logOf(foundation, disclosure.id)).toEqual([
      'disclosure.requested',
      'disclosure.decided',
      'disclosure.available',
      'disclosure.read',
    ]);
  });

  it.each([
    ['owner', (permissions: boolean) => ({ owner: permissions ? (['disclosures:decide'] as const) : [] })],
    [
      'administrator',
      (permissions: boolean) => ({
        applications: [
          { foreignId: 'payments', administrator: permissions ? (['disclosures:decide'] as const) : [] },
        ],
      }),
    ],
  ])('is refused to an %s who lost the permission while the request waited', async (_, permissions) => {
    const organizationId = acme.organization.id;
    const { principal } = await seedMember(foundation, organizationId, permissions(true));
    const asset = await seedAsset(foundation, organizationId, { applicationId: acme.application.id });
    const [record] = await seedRecords(foundation, asset, [{}]);
    const { id } = await desk.request(acme.apiKey.principal, {
      ...{ assetId: asset.id, purpose: 'Audit', format: 'json' },
      scope: { transactionIds: [record!.id], fields: ['amount'] },
    });
    await setPermissions(foundation, acme.owner.principal, {
      memberId: principal.userId,
      permissions: permissions(false),
    });
    await expect(desk.decide(principal, id, 'authorize')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await findDisclosure(foundation, acme.owner.principal, id)).status).toBe('pending');
  });

  it('is refused to an administrator whose application loses the asset just before', async () => {
    const organizationId = acme.organization.id;
    const { principal } = await seedMember(foundation, organizationId, {
      applications: [{ foreignId: 'payments', administrator: ['disclosures:decide'] }],
    });
    const asset = await seedAsset(foundation, organizationId, { applicationId: acme.application.id });
    const [record] = await seedRecords(foundation, asset, [{}]);
    const { id } = await desk.request(acme.apiKey.principal, {
      ...{ assetId: asset.id, purpose: 'Audit', format: 'json' },
      scope: { transactionIds: [record!.id], fields: ['amount'] },
    });
    const moving: Database = {
      ...database,
      async transaction(work) {
        await assignAsset(foundation, acme.owner.principal, { assetId: asset.id, foreignId: null });
        return database.transaction(work);
      },
    };
    const late = disclosureDesk({ ...foundation, database: moving });
    await expect(late.decide(principal, id, 'authorize')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await findDisclosure(foundation, acme.owner.principal, id)).status).toBe('pending');
  });

  itOnPostgresql('is refused if the permission is removed while the decision is stored', async () => {
    const { id } = await pending();
    const permissions = { owner: ['disclosures:decide'] } as const;
    const { principal } = await seedMember(foundation, acme.organization.id, permissions);
    const outside = AsyncLocalStorage.snapshot();
    let races = 0;
    const raced: Database = {
      ...database,
      transaction: (work) =>
        database.transaction(async (transaction) => {
          const input = { memberId: principal.userId, permissions: {} };
          return work({
            ...transaction,
            async rows(statement) {
              if (/^update "disclosures" set "decision"/.test(textOf(statement).text)) {
                await outside(() => setPermissions(foundation, acme.owner.principal, input));
                races += 1;
              }
              return transaction.rows(statement);
            },
          });
        }),
    };
    const decided = disclosureDesk({ ...foundation, database: raced }).decide(principal, id, 'reject');
    await expect(decided).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(races).toBe(1);
    expect((await findDisclosure(foundation, acme.owner.principal, id)).status).toBe('pending');
  });

  it('leaves a rejected disclosure without a result permanently', async () => {
    const disclosure = await pending();
    const decided = await desk.decide(acme.owner.principal, disclosure.id, 'reject');
    expect(decided).toMatchObject({ status: 'rejected', decision: 'reject', receiptId: null });
    expect(decided.resolvedAt).not.toBeNull();
    await expect(desk.result(decided)).rejects.toThrow('no result');
  });

  it('is refused to both owners who made the requesting key, because either may have its secret', async () => {
    const home = await seedOrganization(foundation, { name: 'Home' });
    const owner = () => seedMember(foundation, home.organization.id, { owner: PERMISSIONS.owner });
    const mallory = await owner();
    const olga = await owner();
    await database.rows(sql`
      update organizations set require_second_person = true where id = ${home.organization.id}`);
    const key = { name: 'Backend', scopes: ['disclosures:write', 'disclosures:read'] };
    await expect(createApiKey(foundation, mallory.principal, key)).rejects.toMatchObject({
      reason: 'second_person_required',
    });
    // Olga confirms Mallory's request, and gives Mallory the secret for the backend.
    const { apiKey } = await createApiKey(foundation, olga.principal, key);
    const { asset, ids } = await seedTransfers(foundation, home, [842_135n]);
    const asked = await desk.request(
      { ...home.apiKey.principal, apiKeyId: apiKey.id },
      {
        assetId: asset.id,
        purpose: 'Audit',
        scope: { transactionIds: ids, fields: ['amount'] },
        format: 'json',
      },
    );
    for (const { principal } of [mallory, olga])
      await expect(desk.decide(principal, asked.id, 'authorize')).rejects.toMatchObject({
        code: 'FORBIDDEN',
        reason: 'second_person_required',
      });
    expect((await desk.decide(home.owner.principal, asked.id, 'authorize')).status).toBe('available');
  });

  it('is refused a second time, for any decision', async () => {
    for (const first of ['authorize', 'reject']) {
      const disclosure = await pending();
      await desk.decide(acme.owner.principal, disclosure.id, first);
      for (const second of ['authorize', 'reject']) {
        await expect(desk.decide(acme.owner.principal, disclosure.id, second)).rejects.toMatchObject({
          code: 'CONFLICT',
        });
      }
    }
  });

  it('has one winner among twenty concurrent ones, and only that one is logged', async () => {
    const disclosure = await pending();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        desk.decide(acme.owner.principal, disclosure.id, index % 2 === 0 ? 'authorize' : 'reject'),
      ),
    );
    const won = outcomes.filter(({ status }) => status === 'fulfilled');
    expect(won).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'CONFLICT' });
    }
    const log = await logOf(foundation, disclosure.id);
    expect(log.filter((type) => type === 'disclosure.decided')).toHaveLength(1);
  });

  it('authorizes the records indexed so far, and none that are added later', async () => {
    const account = randomAddress();
    const asset = await seedAsset(foundation, acme.organization.id);
    const add = (amount: bigint) =>
      seedRecords(foundation, asset, [
        { sourceAccount: account, ciphertexts: auditorCiphertexts(asset.auditorPublicKey, amount) },
      ]);
    await add(1n);
    const disclosure = await desk.request(acme.apiKey.principal, {
      assetId: asset.id,
      purpose: 'Audit',
      scope: { account, fields: ['amount'] },
      format: 'json',
    });
    await add(2n);
    // The next record is committed while the amounts are decrypted.
    desk.pool.before = async () => {
      desk.pool.before = () => undefined;
      await add(3n);
    };
    const decided = await desk.decide(acme.owner.principal, disclosure.id, 'authorize');
    expect((await desk.result(decided)).records.map(({ amount }) => amount)).toEqual(['1', '2']);
  });

  it('requires disclosures:decide of the owner or the linked application', async () => {
    const { id: organizationId } = acme.organization;
    const disclosure = await pending();
    const elsewhere = await createApplication(foundation, operatorOf(organizationId), {
      foreignId: 'treasury',
      name: 'Treasury',
    });
    const member = (foreignId: string, permissions: object) =>
      seedMember(foundation, organizationId, { applications: [{ foreignId, ...permissions }] });
    const deciding = { administrator: ['disclosures:decide'] };
    const strangers = [
      { caller: undefined, code: 'UNAUTHENTICATED' },
      { caller: acme.apiKey.principal, code: 'FORBIDDEN' },
      { caller: (await seedMember(foundation, organizationId)).principal, code: 'FORBIDDEN' },
      {
        caller: (await member(acme.application.foreignId, { administrator: ['cases:list'] })).principal,
        code: 'FORBIDDEN',
      },
      { caller: (await member(elsewhere.foreignId, deciding)).principal, code: 'NOT_FOUND' },
      { caller: other.owner.principal, code: 'NOT_FOUND' },
    ];
    for (const { caller, code } of strangers) {
      await expect(desk.decide(caller, disclosure.id, 'authorize')).rejects.toMatchObject({ code });
    }
    const administrator = (await member(acme.application.foreignId, deciding)).principal;
    const decided = await desk.decide(administrator, disclosure.id, 'authorize');
    expect(decided).toMatchObject({ status: 'available', resultVisible: false });
  });

  it('refuses an unknown decision, a reason that is too long, and an invalid id', async () => {
    const { id } = await pending();
    await expect(desk.decide(acme.owner.principal, id, 'approve')).rejects.toThrow('decision');
    await expect(desk.decide(acme.owner.principal, id, 'reject', 'x'.repeat(2001))).rejects.toThrow('reason');
    for (const missing of [newId('dsc'), 'dsc_1']) {
      await expect(desk.decide(acme.owner.principal, missing, 'reject')).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
  });

  describe('and reading disclosures', () => {
    it('shows an administrator the application’s disclosures, without results', async () => {
      const mine = await pending();
      const unlinked = await seedAsset(foundation, acme.organization.id);
      const hidden = await desk.request(acme.apiKey.principal, {
        assetId: unlinked.id,
        purpose: 'Audit',
        scope: { account: randomAddress(), fields: ['amount'] },
        format: 'json',
      });
      const { principal } = await seedMember(foundation, acme.organization.id, {
        applications: [{ foreignId: acme.application.foreignId, administrator: ['disclosures:decide'] }],
      });
      const { nodes } = await listDisclosures(foundation, principal, { first: 200 });
      expect(nodes.map(({ id }) => id)).toContain(mine.id);
      expect(nodes.map(({ id }) => id)).not.toContain(hidden.id);
      expect(nodes.some(({ resultVisible }) => resultVisible)).toBe(false);
      await expect(findDisclosure(foundation, principal, hidden.id)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    });

    it('is limited to the organization and requires disclosures:read', async () => {
      const { id } = await pending();
      await expect(findDisclosure(foundation, other.apiKey.principal, id)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
      const { principal } = await seedApiKey(foundation, acme.organization.id, ['disclosures:write']);
      await expect(findDisclosure(foundation, principal, id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await expect(listDisclosures(foundation, principal, {})).rejects.toMatchObject({ code: 'FORBIDDEN' });
    });

    it('pages from newest to oldest, filtered by status and asset', async () => {
      const organization = await seedOrganization(foundation, { name: 'Paging' });
      const requested = [];
      for (let count = 0; count < 5; count += 1) requested.push(await pending(organization));
      const newest = requested.map(({ id }) => id).reverse();
      await desk.decide(organization.owner.principal, newest[1]!, 'reject');
      const { principal } = organization.apiKey;

      const read: string[] = [];
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof listDisclosures>> = await listDisclosures(
          foundation,
          principal,
          {
            first: 2,
            after,
          },
        );
        read.push(...page.nodes.map(({ id }) => id));
        after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
      } while (after !== null);
      expect(read).toEqual(newest);

      const idsOf = async (filter: object) =>
        (await listDisclosures(foundation, principal, filter)).nodes.map(({ id }) => id);
      expect(await idsOf({ status: 'rejected' })).toEqual([newest[1]]);
      expect(await idsOf({ assetId: requested[0]!.assetId })).toEqual([requested[0]!.id]);
      await expect(idsOf({ status: 'open' })).rejects.toThrow('status');
      await expect(idsOf({ after: 'AAAA' })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    });
  });

  it.each(['as a user', 'with their API key'])(
    'is not by the person who asked for it %s, after they left and came back',
    async (how) => {
      const home = await seedOrganization(foundation);
      const { asset, ids } = await seedTransfers(foundation, home, [7n]);
      const owner = () => seedMember(foundation, home.organization.id, { owner: PERMISSIONS.owner });
      const before = (await owner()).principal;
      const other = (await owner()).principal;
      const { apiKey } = await createApiKey(foundation, before, {
        name: 'Kept',
        scopes: ['disclosures:write'],
      });
      const key = { ...home.apiKey.principal, apiKeyId: apiKey.id };
      const { id } = await desk.request(how === 'as a user' ? before : key, {
        assetId: asset.id,
        purpose: 'Audit',
        scope: { transactionIds: ids, fields: ['amount'] },
        format: 'json',
      });
      await removeMember(foundation, home.owner.principal, before.userId);
      const back = (await owner()).principal;
      await database.rows(sql`
        update organizations set require_second_person = true where id = ${home.organization.id}`);
      await expect(desk.decide(back, id, 'authorize')).rejects.toMatchObject({
        code: 'FORBIDDEN',
        reason: 'second_person_required',
      });
      expect(await desk.decide(other, id, 'authorize')).toMatchObject({ status: 'available' });
    },
  );
});
