import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encrypt, generateElGamalKeypair } from '../../src/crypto/index.js';
import { sql, type Database, type Foundation } from '../../src/database/index.js';
import { findDisclosure, findReceipt } from '../../src/disclosures/index.js';
import { base64 } from '../../src/kernel/bytes.js';
import { newId } from '../../src/kernel/ids.js';
import {
  auditorCiphertexts,
  randomAddress,
  seedAsset,
  seedRecords,
  type SeededAsset,
} from '../kit/confidential-records.js';
import { createTestDatabase } from '../kit/database.js';
import { seedApiKey, seedOrganization, testFoundation, type SeededOrganization } from '../kit/seed.js';
import { disclosureDesk, logOf, seedTransfers } from './kit.js';

describe('requesting a disclosure', () => {
  let database: Database;
  let foundation: Foundation;
  let acme: SeededOrganization;
  let other: SeededOrganization;
  let desk: ReturnType<typeof disclosureDesk>;
  let asset: SeededAsset;
  let ids: string[];

  const AMOUNTS = [0n, 1n, 65_535n, 65_536n, 1_234_567n];

  beforeAll(async () => {
    database = await createTestDatabase();
    foundation = testFoundation(database);
    desk = disclosureDesk(foundation);
    acme = await seedOrganization(foundation, { name: 'Acme' });
    other = await seedOrganization(foundation, { name: 'Other' });
    await desk.policy(acme.owner.principal);
    ({ asset, ids } = await seedTransfers(foundation, acme, AMOUNTS, 'open'));
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  const input = (members: object = {}) => ({
    assetId: asset.id,
    purpose: 'Audit',
    scope: { transactionIds: ids, fields: ['amount'] },
    format: 'json',
    ...members,
  });
  const scoped = (scope: object) => input({ scope: { fields: ['amount'], ...scope } });
  const request = (members: object = {}) => desk.request(acme.apiKey.principal, input(members));

  describe('of an asset whose policy authorizes it', () => {
    it('answers the amounts at once, in the order of indexing', async () => {
      const disclosure = await request({ scope: { transactionIds: [...ids].reverse(), fields: ['amount'] } });
      expect(disclosure).toMatchObject({ status: 'available', decision: 'authorize', decidedBy: null });
      const { records } = await desk.result(disclosure);
      expect(records.map(({ transactionId }) => transactionId)).toEqual(ids);
      expect(records.map(({ amount }) => amount)).toEqual(AMOUNTS.map(String));
    });

    it('fills records and content in both formats', async () => {
      const asJson = await desk.result(await request({ format: 'json' }));
      expect(JSON.parse(asJson.content)).toEqual(asJson.records);
      const asCsv = await desk.result(await request({ format: 'csv' }));
      expect(asCsv.records).toHaveLength(AMOUNTS.length);
      expect(asCsv.content.split('\r\n')[1]).toContain(`${ids[0]},`);
    });

    it('says in the log what was requested, decided and made available', async () => {
      expect(await logOf(foundation, (await request()).id)).toEqual([
        'disclosure.requested',
        'disclosure.decided',
        'disclosure.available',
      ]);
    });

    it('issues a receipt that can be read apart', async () => {
      const disclosure = await request();
      const { receipt, receiptId } = await desk.result(disclosure);
      const found = await findReceipt(foundation, acme.apiKey.principal, receiptId);
      expect(found).toEqual({ id: receiptId, ...receipt });
      expect(receipt.body).toMatchObject({
        disclosureId: disclosure.id,
        recordCount: AMOUNTS.length,
        mint: asset.mintAddress,
        decision: { decidedBy: 'policy', policyId: disclosure.policyId },
      });
      await expect(findReceipt(foundation, other.apiKey.principal, receiptId)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    });

    it('keeps no amount in clear anywhere in the database', async () => {
      const marker = 987_654_321n;
      const marked = await seedTransfers(foundation, acme, [marker], 'open');
      const disclosure = await request({
        assetId: marked.asset.id,
        scope: { transactionIds: marked.ids, fields: ['amount'] },
      });
      expect((await desk.result(disclosure)).records[0]!.amount).toBe(marker.toString());
      for (const table of ['disclosures', 'receipts', 'activity_entries', 'idempotency_keys']) {
        const rows = await database.rows(sql<{ row: string }>`
          select to_jsonb(dumped)::text as row from ${sql.table(table)} as dumped`);
        const bytes = Buffer.from(marker.toString()).toString('hex');
        for (const { row } of rows) {
          expect(row.includes(marker.toString()) || row.includes(bytes)).toBe(false);
        }
      }
    });
  });

  describe('by account', () => {
    it('selects by source or destination and by block time with both ends inside', async () => {
      const account = randomAddress();
      const fresh = await seedAsset(foundation, acme.organization.id, { disclosurePolicyId: 'open' });
      const amounts = [1n, 2n, 3n, 4n, 5n];
      const places = [
        { sourceAccount: account, blockTime: 100 },
        { destinationAccount: account, blockTime: 200 },
        { blockTime: 200 },
        { sourceAccount: account, blockTime: 300 },
        { sourceAccount: account, blockTime: null },
      ];
      await seedRecords(
        foundation,
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
        return (await desk.result(disclosure)).records.map(({ amount }) => amount);
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
      const result = await desk.result(disclosure);
      expect(result.records).toEqual([]);
      expect(result.content).toBe('[]');
    });
  });

  describe('of records that are not plain transfers', () => {
    it('shows public amounts as public, none where nothing moves, and no fee where the auditor has none', async () => {
      const fresh = await seedAsset(foundation, acme.organization.id, { disclosurePolicyId: 'open' });
      const ciphertexts = auditorCiphertexts(fresh.auditorPublicKey, 42n);
      const seeded = await seedRecords(foundation, fresh, [
        { type: 'confidential_deposit', publicData: { instructionIndex: 0, amount: '18446744073709551615' } },
        { type: 'apply_pending_balance' },
        { type: 'confidential_transfer_with_fee', ciphertexts },
        { type: 'confidential_burn', ciphertexts },
      ]);
      const disclosure = await request({
        assetId: fresh.id,
        scope: { transactionIds: seeded.map(({ id }) => id), fields: ['amount', 'fee'] },
      });
      const [deposit, applied, withFee, burn] = (await desk.result(disclosure)).records;
      expect(deposit).toMatchObject({ amount: '18446744073709551615', public: ['amount'], proof: null });
      expect(applied).toMatchObject({ amount: null, fee: null, proof: null });
      expect(applied).not.toHaveProperty('undecryptable');
      expect(withFee).toMatchObject({ amount: '42', fee: null, unavailable: ['fee'] });
      expect(burn).toMatchObject({ amount: '42', fee: null });
      expect(burn).not.toHaveProperty('unavailable');
    });

    it('decrypts nothing when no amount is asked for', async () => {
      const before = desk.pool.asked;
      const disclosure = await request({ scope: { transactionIds: ids, fields: ['fee'] } });
      const { records } = await desk.result(disclosure);
      expect(records).toHaveLength(ids.length);
      expect(records[0]).not.toHaveProperty('amount');
      expect(desk.pool.asked).toBe(before);
    });

    it('reports what no key opens, in the middle of the rest, and fails nothing else', async () => {
      const fresh = await seedAsset(foundation, acme.organization.id, { disclosurePolicyId: 'open' });
      const foreign = generateElGamalKeypair().publicKey;
      const mine = fresh.auditorPublicKey;
      const seeded = await seedRecords(foundation, fresh, [
        { ciphertexts: auditorCiphertexts(mine, 1n) },
        { ciphertexts: auditorCiphertexts(foreign, 2n) },
        { ciphertexts: { auditor: { lo: 'AAAA', hi: 'AAAA' } } },
        {
          ciphertexts: {
            auditor: { lo: base64.encode(encrypt(mine, 65_536n)), hi: base64.encode(encrypt(mine, 0n)) },
          },
        },
        {},
        { ciphertexts: auditorCiphertexts(mine, 3n) },
      ]);
      const disclosure = await request({
        assetId: fresh.id,
        scope: { transactionIds: seeded.map(({ id }) => id), fields: ['amount'] },
      });
      const { records } = await desk.result(disclosure);
      expect(records.map(({ amount }) => amount)).toEqual(['1', null, null, null, null, '3']);
      expect(records.map(({ undecryptable }) => undecryptable)).toEqual([
        undefined,
        ['amount'],
        ['amount'],
        ['amount'],
        ['amount'],
        undefined,
      ]);
      expect(records[1]!.proof).toBeNull();
    });

    it('opens a record of an older epoch under the key of its time', async () => {
      const fresh = await seedAsset(foundation, other.organization.id);
      const newer = generateElGamalKeypair();
      await database.rows(sql`
        insert into auditor_keys (organization_id, epoch, public_key, sealed_secret, created_at)
        values (${other.organization.id}, 2, ${newer.publicKey},
          ${foundation.sealer.seal(newer.secret, `auditor_keys/${other.organization.id}/2`)}, now())`);
      await database.rows(sql`
        insert into mint_auditor_keys (asset_id, from_slot, path, public_key, signature)
        values (${fresh.id}, 500, '{0,0,0}', ${newer.publicKey}, 'rotation')`);
      const seeded = await seedRecords(foundation, fresh, [
        { slot: 499, ciphertexts: auditorCiphertexts(fresh.auditorPublicKey, 1n) },
        { slot: 500, ciphertexts: auditorCiphertexts(fresh.auditorPublicKey, 2n) },
        { slot: 500, ciphertexts: auditorCiphertexts(newer.publicKey, 3n) },
        { slot: 501, ciphertexts: auditorCiphertexts(newer.publicKey, 4n) },
      ]);
      const disclosure = await desk.request(other.apiKey.principal, {
        ...input(),
        assetId: fresh.id,
        scope: { transactionIds: seeded.map(({ id }) => id), fields: ['amount'] },
      });
      const decided = await desk.decide(other.owner.principal, disclosure.id, 'authorize');
      const { records } = await desk.result(decided);
      expect(records.map(({ amount }) => amount)).toEqual(['1', '2', '3', '4']);
      const keys = records.map((record) => record.proof?.amount.auditorElGamalPubkey);
      expect(keys[2]).toBe(base64.encode(newer.publicKey));
      expect(keys[1]).toBe(base64.encode(fresh.auditorPublicKey));
    });
  });

  describe('by policy', () => {
    it('is pending without one, and when the asset names one that is not there', async () => {
      for (const name of [null, 'no-such-policy']) {
        const seeded = await seedTransfers(foundation, acme, [5n], name);
        const disclosure = await desk.request(acme.apiKey.principal, {
          ...input(),
          assetId: seeded.asset.id,
          scope: { transactionIds: seeded.ids, fields: ['amount'] },
        });
        expect(disclosure).toMatchObject({ status: 'pending', decision: null, resolvedAt: null });
        expect(await logOf(foundation, disclosure.id)).toEqual(['disclosure.requested']);
      }
    });

    it('is not decided by another organization’s policy of the same name', async () => {
      const seeded = await seedTransfers(foundation, other, [5n], 'open');
      const disclosure = await desk.request(other.apiKey.principal, {
        ...input(),
        assetId: seeded.asset.id,
        scope: { transactionIds: seeded.ids, fields: ['amount'] },
      });
      expect(disclosure.status).toBe('pending');
    });

    it('is decided by a policy that is named by its id', async () => {
      const policy = await desk.policy(acme.owner.principal, { key: 'rejects', inside: 'reject' });
      const seeded = await seedTransfers(foundation, acme, [5n], policy.id);
      const disclosure = await desk.request(acme.apiKey.principal, {
        ...input(),
        assetId: seeded.asset.id,
        scope: { transactionIds: seeded.ids, fields: ['amount'] },
      });
      expect(disclosure).toMatchObject({ status: 'rejected', decision: 'reject', policyId: policy.id });
      expect(disclosure.resolvedAt).not.toBeNull();
      expect(await logOf(foundation, disclosure.id)).toEqual(['disclosure.requested', 'disclosure.decided']);
    });

    it('measures chosen records by their block times, and an account without a period as endless', async () => {
      await desk.policy(acme.owner.principal, { key: 'a-minute', maximumSpanSeconds: 60, outside: 'review' });
      const account = randomAddress();
      const fresh = await seedAsset(foundation, acme.organization.id, { disclosurePolicyId: 'a-minute' });
      const seeded = await seedRecords(foundation, fresh, [
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

  describe('with bad input', () => {
    it('is refused naming the member', async () => {
      const account = randomAddress();
      const late = new Date(2000);
      const early = new Date(1000);
      const bad: [object, RegExp][] = [
        [{ purpose: '' }, /purpose/],
        [{ purpose: 'x'.repeat(2001) }, /purpose/],
        [{ externalReference: 'x'.repeat(257) }, /externalReference/],
        [{ format: 'pdf' }, /format/],
        [scoped({}), /either transactionIds or account/],
        [scoped({ transactionIds: ids, account }), /either transactionIds or account/],
        [scoped({ transactionIds: [] }), /at least one/],
        [scoped({ transactionIds: ['txn_1'] }), /scope\.transactionIds/],
        [scoped({ transactionIds: [ids[0], ids[0]] }), /once/],
        [scoped({ transactionIds: ids, from: early }), /by account/],
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

    it('is refused past 10,000 records, however they are chosen', async () => {
      const many = Array.from({ length: 10_001 }, () => newId('txn'));
      await expect(request(scoped({ transactionIds: many }))).rejects.toThrow('at most 10,000 records');
      const account = randomAddress();
      const large = await seedAsset(foundation, acme.organization.id);
      await database.rows(sql`
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

    it('finds no asset and no record but the organization’s own, nor a record of another asset', async () => {
      const second = await seedTransfers(foundation, acme, [9n]);
      const theirs = await seedTransfers(foundation, other, [9n]);
      const missing = [
        { assetId: theirs.asset.id },
        { assetId: newId('ast') },
        scoped({ transactionIds: [...ids, ...theirs.ids] }),
        scoped({ transactionIds: [...ids, ...second.ids] }),
        scoped({ transactionIds: [newId('txn')] }),
      ];
      for (const members of missing)
        await expect(request(members)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it.each([
      ['assetId', { assetId: 'ast_1' }],
      ['scope.transactionIds', { scope: { transactionIds: ['txn_1'], fields: ['amount'] } }],
    ])('says of %s that it is no id', async (member, members) => {
      const refused = { code: 'BAD_USER_INPUT', message: expect.stringMatching(`^${member} must be`) };
      await expect(request(members)).rejects.toMatchObject(refused);
    });

    it('needs the scope disclosures:write', async () => {
      const { principal } = await seedApiKey(foundation, acme.organization.id, ['disclosures:read']);
      await expect(desk.request(principal, input())).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await expect(desk.request(undefined, input())).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    });

    it('leaves nothing behind when it is refused', async () => {
      const count = async () =>
        (await database.rows(sql<{ n: number }>`select count(*) as n from disclosures`))[0]!.n;
      const before = await count();
      await expect(request(scoped({ transactionIds: [newId('txn')] }))).rejects.toThrow();
      expect(await count()).toBe(before);
    });
  });

  describe('under an idempotency key', () => {
    const send = (key: string, members: object = {}, answerWithin?: number) =>
      desk.request(acme.apiKey.principal, input(members), key, answerWithin);

    it('answers the same disclosure again, and refuses another body', async () => {
      const first = await send('once');
      const again = await send('once');
      expect(again).toEqual(first);
      expect(await desk.result(again)).toEqual(await desk.result(first));
      await expect(send('once', { purpose: 'Another' })).rejects.toMatchObject({ code: 'CONFLICT' });
    });

    it('makes one disclosure of ten requests at once', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => send('ten')));
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
      expect(answers.every(({ status }) => status === 'available')).toBe(true);
    });

    it('answers pending again as it did first, although it was authorized since', async () => {
      const seeded = await seedTransfers(foundation, acme, [5n]);
      const members = { assetId: seeded.asset.id, scope: { transactionIds: seeded.ids, fields: ['amount'] } };
      const first = await send('review', members);
      await desk.decide(acme.owner.principal, first.id, 'authorize');
      const again = await send('review', members);
      expect(again).toMatchObject({ id: first.id, status: 'pending', resolvedAt: null });
      expect((await findDisclosure(foundation, acme.apiKey.principal, first.id)).status).toBe('available');
    });
  });
});
