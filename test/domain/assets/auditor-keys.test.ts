import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { auditorKeysOf, createAsset, withAuditorSecret } from '../../../src/domain/assets/index.js';
import { createSealer, generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { sql, type Foundation } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import type { Random } from '../../../src/platform/kernel/random.js';
import { seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { EURO } from './kit.js';

const { database, foundation } = await openTestFoundation();

describe('the auditor key of an organization', () => {
  it('is created once when many first assets are registered concurrently', async () => {
    const { apiKey, organization } = await seedOrganization(foundation);
    const assets = await Promise.all(
      Array.from({ length: 8 }, () => createAsset(foundation, apiKey.principal, EURO)),
    );
    const keys = await auditorKeysOf(database, organization.id);
    expect(keys.map(({ epoch }) => epoch)).toEqual([1]);
    expect(new Set(assets.map(({ auditorElGamalPubkey }) => auditorElGamalPubkey))).toEqual(
      new Set([base64.encode(keys[0]!.publicKey)]),
    );
  });

  it('is different in each organization', async () => {
    const seeds = [await seedOrganization(foundation), await seedOrganization(foundation)];
    const assets = await Promise.all(
      seeds.map(({ apiKey }) => createAsset(foundation, apiKey.principal, EURO)),
    );
    expect(assets[0]!.auditorElGamalPubkey).not.toBe(assets[1]!.auditorElGamalPubkey);
  });

  it('is not created by a registration that fails', async () => {
    const { apiKey, organization } = await seedOrganization(foundation);
    await createAsset(foundation, apiKey.principal, { ...EURO, idempotencyKey: 'k' }).then(() =>
      database.transaction(async (transaction) => {
        await transaction.rows(sql`delete from assets where organization_id = ${organization.id}`);
        await transaction.rows(sql`delete from auditor_keys where organization_id = ${organization.id}`);
      }),
    );
    const failing = createAsset(foundation, apiKey.principal, {
      ...EURO,
      symbol: 'OTHER',
      idempotencyKey: 'k',
    });
    await expect(failing).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await auditorKeysOf(database, organization.id)).toEqual([]);
  });

  it('is stored encrypted: its secret is nowhere in the database in plaintext', async () => {
    // The randomness that the operation will use, so that the test knows its secret.
    const drawn = new Uint8Array(randomBytes(64));
    const random: Random = (length) => drawn.slice(0, length);
    const { secret } = generateElGamalKeypair(random);
    const known: Foundation = { ...foundation, random };
    const { apiKey, organization } = await seedOrganization(foundation);
    const asset = await createAsset(known, apiKey.principal, { ...EURO, idempotencyKey: 'sealed' });

    const tables = await database.rows(sql<{ name: string }>`
      select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`);
    const dump: string[] = [];
    for (const { name } of tables) {
      // A bytea prints as hex.
      const rows = await database.rows(sql<{ text: string }>`
        select ${sql.ref('t')}::text as text from ${sql.table(name)} t`);
      dump.push(...rows.map(({ text }) => text));
    }
    const text = dump.join('\n');
    expect(text).toContain(Buffer.from(asset.auditorElGamalPubkey, 'base64').toString('hex'));
    for (const form of ['hex', 'base64', 'base64url', 'latin1'] as const) {
      expect(text).not.toContain(Buffer.from(secret).toString(form));
    }
    await withAuditorSecret(database, foundation.sealer, organization.id, 1, (opened) => {
      expect(base64.encode(opened)).toBe(base64.encode(secret));
      return Promise.resolve();
    });
  });

  it('cannot be decrypted with another master key, or as another organization’s key', async () => {
    const [one, two] = [await seedOrganization(foundation), await seedOrganization(foundation)];
    await createAsset(foundation, one.apiKey.principal, EURO);
    await createAsset(foundation, two.apiKey.principal, EURO);
    const use = () => Promise.reject(new Error('The secret was lent.'));
    const otherMaster = createSealer(randomBytes(32));
    await expect(withAuditorSecret(database, otherMaster, one.organization.id, 1, use)).rejects.toThrow(
      'cannot be opened',
    );
    await database.rows(sql`
      update auditor_keys set sealed_secret =
        (select sealed_secret from auditor_keys where organization_id = ${two.organization.id})
      where organization_id = ${one.organization.id}`);
    await expect(withAuditorSecret(database, foundation.sealer, one.organization.id, 1, use)).rejects.toThrow(
      'cannot be opened',
    );
  });

  it('is zeroed after use, even if the use fails', async () => {
    const { apiKey, organization } = await seedOrganization(foundation);
    await createAsset(foundation, apiKey.principal, EURO);
    const lent: Uint8Array[] = [];
    const lend = (fail: boolean) =>
      withAuditorSecret(database, foundation.sealer, organization.id, 1, (secret) => {
        expect(secret.some((byte) => byte !== 0)).toBe(true);
        lent.push(secret);
        return fail ? Promise.reject(new Error('stop')) : Promise.resolve();
      });
    await lend(false);
    await expect(lend(true)).rejects.toThrow('stop');
    expect(lent.map((secret) => secret.every((byte) => byte === 0))).toEqual([true, true]);
  });
});
