import { describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import { findDisclosure, findReceipt } from '../../../src/domain/disclosures/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import {
  auditorCiphertexts,
  randomAddress,
  seedAsset,
  seedRecords,
} from '../../kit/ledger/confidential-records.js';
import { seedApiKey } from '../../kit/seed.js';
import { logOf, seedTransfers } from './kit.js';
import { AMOUNTS, requestStories } from './request-stories.js';

describe('requesting a disclosure', () => {
  const stories = requestStories();
  const { input, request } = stories;
  const scoped = (scope: object) => input({ scope: { fields: ['amount'], ...scope } });

  describe('of an asset whose policy authorizes it', () => {
    it('returns the amounts immediately, in indexing order', async () => {
      const disclosure = await request({
        scope: { transactionIds: [...stories.ids].reverse(), fields: ['amount'] },
      });
      expect(disclosure).toMatchObject({ status: 'available', decision: 'authorize', decidedBy: null });
      const { records } = await stories.desk.result(disclosure);
      expect(records.map(({ transactionId }) => transactionId)).toEqual(stories.ids);
      expect(records.map(({ amount }) => amount)).toEqual(AMOUNTS.map(String));
    });

    it('fills records and content in both formats', async () => {
      const asJson = await stories.desk.result(await request({ format: 'json' }));
      expect(JSON.parse(asJson.content)).toEqual(asJson.records);
      const asCsv = await stories.desk.result(await request({ format: 'csv' }));
      expect(asCsv.records).toHaveLength(AMOUNTS.length);
      expect(asCsv.content.split('\r\n')[1]).toContain(`${stories.ids[0]},`);
    });

    it('logs what was requested, decided and made available', async () => {
      expect(await logOf(stories.foundation, (await request()).id)).toEqual([
        'disclosure.requested',
        'disclosure.decided',
        'disclosure.available',
      ]);
    });

    it('issues a receipt that can be read separately', async () => {
      const disclosure = await request();
      const { receipt, receiptId } = await stories.desk.result(disclosure);
      const found = await findReceipt(stories.foundation, stories.acme.apiKey.principal, receiptId);
      expect(found).toEqual({ id: receiptId, ...receipt });
      expect(receipt.body).toMatchObject({
        disclosureId: disclosure.id,
        recordCount: AMOUNTS.length,
        mint: stories.asset.mintAddress,
        decision: { decidedBy: 'policy', policyId: disclosure.policyId },
      });
      await expect(
        findReceipt(stories.foundation, stories.other.apiKey.principal, receiptId),
      ).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    });

    it('stores no amount in plaintext anywhere in the database', async () => {
      const marker = 987_654_321n;
      const marked = await seedTransfers(stories.foundation, stories.acme, [marker], 'open');
      const disclosure = await request({
        assetId: marked.asset.id,
        scope: { transactionIds: marked.ids, fields: ['amount'] },
      });
      expect((await stories.desk.result(disclosure)).records[0]!.amount).toBe(marker.toString());
      for (const table of ['disclosures', 'receipts', 'activity_entries', 'idempotency_keys']) {
        const rows = await stories.database.rows(sql<{ row: string }>`
          select to_jsonb(dumped)::text as row from ${sql.table(table)} as dumped`);
        const bytes = Buffer.from(marker.toString()).toString('hex');
        for (const { row } of rows) {
          expect(row.includes(marker.toString()) || row.includes(bytes)).toBe(false);
        }
      }
    });
  });

  it('is refused while 1,000 of this organization wait for their results, regardless of others', async () => {
    const { id } = await request();
    const wait = (asWhose: string) =>
      stories.database.rows(sql`
        insert into disclosures
        select (jsonb_populate_record(null::disclosures, to_jsonb(disclosures) || jsonb_build_object(
          'id', ${asWhose} || n, 'organization_id', ${asWhose}::text, 'status', 'pending', 'next_attempt_at',
          '2100-01-01', 'receipt_id', null, 'sealed_result', null, 'resolved_at', null, 'change', 0))).*
        from disclosures, generate_series(1, 1000) as n where disclosures.id = ${id}`);
    await wait(stories.other.organization.id);
    expect(await request()).toMatchObject({ status: 'available' });
    await wait(stories.acme.organization.id);
    await expect(request()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await stories.database.rows(sql`delete from disclosures where next_attempt_at = '2100-01-01'`);
    expect(await request()).toMatchObject({ status: 'available' });
  });

  describe('by account', () => {
    it('selects by source or destination and by block time, including both bounds', async () => {
      const account = randomAddress();
      const fresh = await seedAsset(stories.foundation, stories.acme.organization.id, {
        disclosurePolicyId: 'open',
      });
      const amounts = [1n, 2n, 3n, 4n, 5n];
      const places = [
        { sourceAccount: account, blockTime: 100 },
        { destinationAccount: account, blockTime: 200 },
        { blockTime: 200 },
        { sourceAccount: account, blockTime: 300 },
        { sourceAccount: account, blockTime: null },
      ];
      await seedRecords(
        stories.foundation,
        fresh,
        places.map((place, index) => ({
          ...place,
          ciphertexts: auditorCiphertexts(fresh.auditorPublicKey, amounts[index]!),
        })),
      );
      const amountsOf = async (scope: object) => {
        const disclosure = await request({
          assetId: fresh.id,
          scope: { account, fields: ['amount'], ...scope },
        });
        return (await stories.desk.result(disclosure)).records.map(({ amount }) => amount);
      };
      const at = (second: number) => new Date(second * 1000);
      expect(await amountsOf({})).toEqual(['1', '2', '4', '5']);
      expect(await amountsOf({ from: at(200) })).toEqual(['2', '4']);
      expect(await amountsOf({ to: at(200) })).toEqual(['1', '2']);
      expect(await amountsOf({ from: at(200), to: at(200) })).toEqual(['2']);
      expect(await amountsOf({ from: at(100.001), to: at(299.999) })).toEqual(['2']);
    });

    it('is decided like any other when it selects nothing', async () => {
      const disclosure = await request({ scope: { account: randomAddress(), fields: ['amount'] } });
      const result = await stories.desk.result(disclosure);
      expect(result.records).toEqual([]);
      expect(result.content).toBe('[]');
    });
  });

  describe('by policy', () => {
    it('is pending without a policy, and if the asset names an unknown policy', async () => {
      for (const name of [null, 'no-such-policy']) {
        const seeded = await seedTransfers(stories.foundation, stories.acme, [5n], name);
        const disclosure = await stories.desk.request(stories.acme.apiKey.principal, {
          ...input(),
          assetId: seeded.asset.id,
          scope: { transactionIds: seeded.ids, fields: ['amount'] },
        });
        expect(disclosure).toMatchObject({ status: 'pending', decision: null, resolvedAt: null });
        expect(await logOf(stories.foundation, disclosure.id)).toEqual(['disclosure.requested']);
      }
    });

    it('is not decided by another organization’s policy of the same name', async () => {
      const seeded = await seedTransfers(stories.foundation, stories.other, [5n], 'open');
      const disclosure = await stories.desk.request(stories.other.apiKey.principal, {
        ...input(),
        assetId: seeded.asset.id,
        scope: { transactionIds: seeded.ids, fields: ['amount'] },
      });
      expect(disclosure.status).toBe('pending');
    });

    it('is decided by a policy named by its id', async () => {
      const policy = await stories.desk.policy(stories.acme.owner.principal, {
        key: 'rejects',
        inside: 'reject',
      });
      const seeded = await seedTransfers(stories.foundation, stories.acme, [5n], policy.id);
      const disclosure = await stories.desk.request(stories.acme.apiKey.principal, {
        ...input(),
        assetId: seeded.asset.id,
        scope: { transactionIds: seeded.ids, fields: ['amount'] },
      });
      expect(disclosure).toMatchObject({ status: 'rejected', decision: 'reject', policyId: policy.id });
      expect(disclosure.resolvedAt).not.toBeNull();
      expect(await logOf(stories.foundation, disclosure.id)).toEqual([
        'disclosure.requested',
        'disclosure.decided',
      ]);
    });

    it('measures selected records by their block times, and an account without a period as unbounded', async () => {
      await stories.desk.policy(stories.acme.owner.principal, {
        key: 'a-minute',
        maximumSpanSeconds: 60,
        outside: 'review',
      });
      const account = randomAddress();
      const fresh = await seedAsset(stories.foundation, stories.acme.organization.id, {
        disclosurePolicyId: 'a-minute',
      });
      const seeded = await seedRecords(stories.foundation, fresh, [
        { blockTime: 1_000, sourceAccount: account },
        { blockTime: 1_060 },
        { blockTime: 1_061 },
        { blockTime: null },
      ]);
      const statusOf = async (scope: object) =>
        (await request({ assetId: fresh.id, scope: { fields: ['amount'], ...scope } })).status;
      const chosen = (...indexes: number[]) => ({
        transactionIds: indexes.map((index) => seeded[index]!.id),
      });
      expect(await statusOf(chosen(0, 1))).toBe('available');
      expect(await statusOf(chosen(0, 2))).toBe('pending');
      expect(await statusOf(chosen(3))).toBe('pending');
      const from = new Date(1_000_000);
      expect(await statusOf({ account, from, to: new Date(1_060_000) })).toBe('available');
      expect(await statusOf({ account, from, to: new Date(1_060_001) })).toBe('pending');
      expect(await statusOf({ account, from })).toBe('pending');
      expect(await statusOf({ account })).toBe('pending');
    });
  });

  describe('with invalid input', () => {
    it('is refused, and the error names the member', async () => {
      const account = randomAddress();
      const late = new Date(2000);
      const early = new Date(1000);
      const bad: [object, RegExp][] = [
        [{ purpose: '' }, /purpose/],
        [{ purpose: 'x'.repeat(2001) }, /purpose/],
        [{ externalReference: 'x'.repeat(257) }, /externalReference/],
        [{ format: 'pdf' }, /format/],
        [scoped({}), /either transactionIds or account/],
        [scoped({ transactionIds: stories.ids, account }), /either transactionIds or account/],
        [scoped({ transactionIds: [] }), /at least one/],
        [scoped({ transactionIds: ['txn_1'] }), /scope\.transactionIds/],
        [scoped({ transactionIds: [stories.ids[0], stories.ids[0]] }), /once/],
        [
          scoped({ transactionIds: stories.ids, from: early }),
          /^scope may have from and to only with an account/,
        ],
        [scoped({ account: 'x' }), /scope\.account/],
        [scoped({ account, from: late, to: early }), /scope\.from must not be after/],
        [scoped({ account, from: new Date(NaN) }), /scope\.from/],
        [scoped({ account, fields: [] }), /scope\.fields/],
        [scoped({ account, fields: ['amount', 'amount'] }), /scope\.fields/],
        [scoped({ account, fields: ['balance'] }), /scope\.fields/],
      ];
      for (const [members, message] of bad) {
        const refused = await request(members).catch((thrown: unknown) => thrown);
        expect(refused).toMatchObject({ code: 'BAD_USER_INPUT', message: expect.stringMatching(message) });
      }
    });

    it('is refused beyond 10,000 records, for any selection', async () => {
      const many = Array.from({ length: 10_001 }, () => newId('txn'));
      await expect(request(scoped({ transactionIds: many }))).rejects.toThrow('at most 10,000 records');
      const account = randomAddress();
      const large = await seedAsset(stories.foundation, stories.acme.organization.id);
      await stories.database.rows(sql`
        insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
          source_account, public_data, ciphertexts, indexed_at)
        select 'txn_' || n, ${large.id}, n, 's' || n, '{0,0,0}', 'apply_pending_balance', n, n, 's', ${account},
          '{}', '{}', now()
        from generate_series(1, 10001) as n`);
      const scope = { account, fields: ['amount'] };
      await expect(request({ assetId: large.id, scope })).rejects.toThrow('at most 10,000 records');
      const within = { ...scope, to: new Date(10_000_000) };
      expect((await request({ assetId: large.id, scope: within })).status).toBe('pending');
    });

    it('finds only assets and records of the organization, and only records of the asset', async () => {
      const second = await seedTransfers(stories.foundation, stories.acme, [9n]);
      const theirs = await seedTransfers(stories.foundation, stories.other, [9n]);
      const missing = [
        { assetId: theirs.asset.id },
        { assetId: newId('ast') },
        scoped({ transactionIds: [...stories.ids, ...theirs.ids] }),
        scoped({ transactionIds: [...stories.ids, ...second.ids] }),
        scoped({ transactionIds: [newId('txn')] }),
      ];
      for (const members of missing)
        await expect(request(members)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it.each([
      ['assetId', { assetId: 'ast_1' }],
      ['scope.transactionIds[0]', { scope: { transactionIds: ['txn_1'], fields: ['amount'] } }],
    ])('says that %s is not an id', async (member, members) => {
      const refused = { code: 'BAD_USER_INPUT', message: expect.stringContaining(`${member} must be`) };
      await expect(request(members)).rejects.toMatchObject(refused);
    });

    it('requires the scope disclosures:write', async () => {
      const { principal } = await seedApiKey(stories.foundation, stories.acme.organization.id, [
        'disclosures:read',
      ]);
      await expect(stories.desk.request(principal, input())).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await expect(stories.desk.request(undefined, input())).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
      });
    });

    it('stores nothing when it is refused', async () => {
      const count = async () =>
        (await stories.database.rows(sql<{ n: number }>`select count(*) as n from disclosures`))[0]!.n;
      const before = await count();
      await expect(request(scoped({ transactionIds: [newId('txn')] }))).rejects.toThrow();
      expect(await count()).toBe(before);
    });
  });

  describe('under an idempotency key', () => {
    const send = (key: string, members: object = {}, answerWithin?: number) =>
      stories.desk.request(
        stories.acme.apiKey.principal,
        input({ ...members, idempotencyKey: key }),
        answerWithin,
      );

    it('returns the same disclosure again, and refuses a different body', async () => {
      const first = await send('once');
      const again = await send('once');
      expect(again).toEqual(first);
      expect(await stories.desk.result(again)).toEqual(await stories.desk.result(first));
      await expect(send('once', { purpose: 'Another' })).rejects.toMatchObject({ code: 'CONFLICT' });
    });

    it('creates one disclosure for ten concurrent requests', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => send('ten')));
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
      expect(answers.every(({ status }) => status === 'available')).toBe(true);
    });

    it('returns pending again as the first response did, even if it was authorized since', async () => {
      const seeded = await seedTransfers(stories.foundation, stories.acme, [5n]);
      const members = { assetId: seeded.asset.id, scope: { transactionIds: seeded.ids, fields: ['amount'] } };
      const first = await send('review', members);
      await stories.desk.decide(stories.acme.owner.principal, first.id, 'authorize');
      const again = await send('review', members);
      expect(again).toMatchObject({ id: first.id, status: 'pending', resolvedAt: null });
      expect((await findDisclosure(stories.foundation, stories.acme.apiKey.principal, first.id)).status).toBe(
        'available',
      );
    });
  });
});
