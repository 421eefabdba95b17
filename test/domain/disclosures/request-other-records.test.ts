import { describe, expect, it } from '@jest/globals';
import { generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { encrypt } from '../../kit/ledger/encrypt.js';
import { sql } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { auditorCiphertexts, seedAsset, seedRecords } from '../../kit/ledger/confidential-records.js';
import { requestStories } from './request-stories.js';

describe('requesting a disclosure of other record types', () => {
  const stories = requestStories();
  const { input, request } = stories;

  describe('for records that are not plain transfers', () => {
    it('shows public amounts as public, none if nothing moves, and no fee that is not encrypted to the auditor', async () => {
      const fresh = await seedAsset(stories.foundation, stories.acme.organization.id, {
        disclosurePolicyId: 'open',
      });
      const ciphertexts = auditorCiphertexts(fresh.auditorPublicKey, 42n);
      const seeded = await seedRecords(stories.foundation, fresh, [
        { type: 'confidential_deposit', publicData: { instructionIndex: 0, amount: '18446744073709551615' } },
        { type: 'apply_pending_balance' },
        { type: 'confidential_transfer_with_fee', ciphertexts },
        { type: 'confidential_burn', ciphertexts },
      ]);
      const disclosure = await request({
        assetId: fresh.id,
        scope: { transactionIds: seeded.map(({ id }) => id), fields: ['amount', 'fee'] },
      });
      const [deposit, applied, withFee, burn] = (await stories.desk.result(disclosure)).records;
      expect(deposit).toMatchObject({ amount: '18446744073709551615', public: ['amount'], proof: null });
      expect(applied).toMatchObject({ amount: null, fee: null, proof: null });
      expect(applied).not.toHaveProperty('undecryptable');
      expect(withFee).toMatchObject({ amount: '42', fee: null, unavailable: ['fee'] });
      expect(burn).toMatchObject({ amount: '42', fee: null });
      expect(burn).not.toHaveProperty('unavailable');
    });

    it('decrypts nothing when no amount is requested', async () => {
      const before = stories.desk.pool.asked;
      const disclosure = await request({ scope: { transactionIds: stories.ids, fields: ['fee'] } });
      const { records } = await stories.desk.result(disclosure);
      expect(records).toHaveLength(stories.ids.length);
      expect(records[0]).not.toHaveProperty('amount');
      expect(stories.desk.pool.asked).toBe(before);
    });

    it('reports records that no key decrypts, and still returns the others', async () => {
      const fresh = await seedAsset(stories.foundation, stories.acme.organization.id, {
        disclosurePolicyId: 'open',
      });
      const foreign = generateElGamalKeypair().publicKey;
      const mine = fresh.auditorPublicKey;
      const seeded = await seedRecords(stories.foundation, fresh, [
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
      const { records } = await stories.desk.result(disclosure);
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

    it('decrypts a record of an older epoch with the key of that epoch', async () => {
      const fresh = await seedAsset(stories.foundation, stories.other.organization.id);
      const newer = generateElGamalKeypair();
      await stories.database.rows(sql`
        insert into auditor_keys (organization_id, epoch, public_key, sealed_secret, created_at)
        values (${stories.other.organization.id}, 2, ${newer.publicKey},
          ${stories.foundation.sealer.seal(newer.secret, `auditor_keys/${stories.other.organization.id}/2`)}, now())`);
      await stories.database.rows(sql`
        insert into mint_auditor_keys (asset_id, from_slot, path, public_key, signature)
        values (${fresh.id}, 500, '{0,0,0}', ${newer.publicKey}, 'rotation')`);
      const seeded = await seedRecords(stories.foundation, fresh, [
        { slot: 499, ciphertexts: auditorCiphertexts(fresh.auditorPublicKey, 1n) },
        { slot: 500, ciphertexts: auditorCiphertexts(fresh.auditorPublicKey, 2n) },
        { slot: 500, ciphertexts: auditorCiphertexts(newer.publicKey, 3n) },
        { slot: 501, ciphertexts: auditorCiphertexts(newer.publicKey, 4n) },
      ]);
      const disclosure = await stories.desk.request(stories.other.apiKey.principal, {
        ...input(),
        assetId: fresh.id,
        scope: { transactionIds: seeded.map(({ id }) => id), fields: ['amount'] },
      });
      const decided = await stories.desk.decide(stories.other.owner.principal, disclosure.id, 'authorize');
      const { records } = await stories.desk.result(decided);
      expect(records.map(({ amount }) => amount)).toEqual(['1', '2', '3', '4']);
      const keys = records.map((record) => record.proof?.amount.auditorElGamalPubkey);
      expect(keys[2]).toBe(base64.encode(newer.publicKey));
      expect(keys[1]).toBe(base64.encode(fresh.auditorPublicKey));
    });
  });
});
