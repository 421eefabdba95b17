import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  auditorKeysOf,
  createAsset,
  importAuditorKey,
  withAuditorSecret,
} from '../../../src/domain/assets/index.js';
import { bindMint } from '../../../src/domain/assets/bind-mint.js';
import { findAsset } from '../../../src/domain/assets/find-asset.js';
import { auditorKeyCoverage } from '../../../src/domain/assets/auditor-keys/auditor-key-coverage.js';
import { rotateAuditorKey } from '../../../src/domain/assets/auditor-keys/rotate-auditor-key.js';
import { type Caller, operatorOf, PERMISSIONS } from '../../../src/domain/access/index.js';
import { formatElGamalKeypair, generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { type SeededOrganization, seedMember, seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { EURO } from './kit.js';

const reason = 'The old key may have leaked';

const { database, foundation } = await openTestFoundation();

describe('rotating the auditor key', () => {
  let home: SeededOrganization;
  beforeEach(async () => {
    home = await seedOrganization(foundation);
  });

  const register = () => createAsset(foundation, home.apiKey.principal, EURO);
  const rotate = (input: object = {}, principal = home.owner.principal) =>
    rotateAuditorKey(foundation, principal, { reason, ...input });
  const epochs = async () => (await auditorKeysOf(database, home.organization.id)).map(({ epoch }) => epoch);
  const logged = () =>
    database.rows(sql<{ details: object }>`
      select entry -> 'details' as details from activity_entries
      where organization_id = ${home.organization.id} and event_type = 'auditor_key.rotated' order by sequence`);

  it('makes every asset, new and old, show the next key for its mint', async () => {
    const old = await register();
    const key = await rotate();
    const shown = base64.encode(key.publicKey);
    expect(shown).not.toBe(old.auditorElGamalPubkey);
    expect(await register()).toMatchObject({ auditorElGamalPubkey: shown });
    expect(await findAsset(foundation, home.apiKey.principal, old.id)).toMatchObject({
      auditorElGamalPubkey: shown,
    });
    expect(await logged()).toEqual([{ details: { auditor_public_key: shown, reason } }]);
  });

  it('does not count another organization’s key as readable', async () => {
    const other = await seedOrganization(foundation, { name: 'Other', foreignId: 'other' });
    const foreign = await createAsset(foundation, other.apiKey.principal, EURO);
    const { id } = await register();
    await bindMint(foundation, home.apiKey.principal, { assetId: id, mintAddress: randomAddress() });
    await database.rows(sql`
      insert into mint_auditor_keys (asset_id, from_slot, path, public_key, signature)
      values (${id}, 1, '{0,0,0}', ${base64.decode(foreign.auditorElGamalPubkey)!}, 'an update')`);
    const { rows } = await auditorKeyCoverage(foundation, home.apiKey.principal, id, {});
    expect(rows).toMatchObject([{ epoch: null, readable: false, reason: 'foreign_key' }]);
  });

  it('keeps the secret of every epoch, encrypted', async () => {
    await register();
    await rotate();
    await rotate();
    const secrets: string[] = [];
    for (const epoch of await epochs()) {
      await withAuditorSecret(database, foundation.sealer, home.organization.id, epoch, (secret) => {
        secrets.push(base64.encode(secret));
        return Promise.resolve();
      });
    }
    expect(new Set(secrets).size).toBe(3);
  });

  it('creates one key when two owners rotate concurrently', async () => {
    await register();
    await rotate({ fromEpoch: 1 });
    await expect(rotate({ fromEpoch: 1 })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('rotated in the meantime'),
    });
    const outcomes = await Promise.allSettled([rotate({ fromEpoch: 2 }), rotate({ fromEpoch: 2 })]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await epochs()).toEqual([3, 2, 1]);
    expect(await logged()).toHaveLength(2);
  });

  it('requires two owners if a second person is required', async () => {
    await register();
    const olga = await seedMember(foundation, home.organization.id, { owner: PERMISSIONS.owner }, 'Olga');
    await database.rows(sql`
      update organizations set require_second_person = true where id = ${home.organization.id}`);
    const proposed = { code: 'CONFLICT', reason: 'second_person_required' };
    await expect(rotate()).rejects.toMatchObject(proposed);
    await expect(rotate()).rejects.toMatchObject(proposed);
    expect(await epochs()).toEqual([1]);
    await rotate({}, olga.principal);
    expect(await epochs()).toEqual([2, 1]);
  });

  it('requires the permission to manage policies, and an existing key', async () => {
    await expect(rotate()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('Register an asset'),
    });
    await register();
    const rest = PERMISSIONS.owner.filter((name) => name !== 'policies:manage');
    const member = await seedMember(foundation, home.organization.id, { owner: rest }, 'Mara');
    await expect(rotate({}, member.principal)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(rotateAuditorKey(foundation, home.apiKey.principal, { reason })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  it.each([
    ['reason', { reason: '' }],
    ['reason', { reason: 'x'.repeat(2001) }],
    ['fromEpoch', { fromEpoch: 0 }],
    ['fromEpoch', { fromEpoch: 1.5 }],
  ])('names the wrong %s: %j', async (member, input) => {
    await register();
    await expect(rotate(input)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', members: [{ member }] });
    expect(await epochs()).toEqual([1]);
  });

  it('cannot be used up by one owner at once: others can rotate again after a day', async () => {
    await register();
    for (let epoch = 2; epoch <= 5; epoch += 1) await rotate();
    const refused = {
      ...{ code: 'TOO_MANY_REQUESTS', retryAfterSeconds: expect.any(Number) },
      message: expect.stringContaining('4 auditor keys in 24 hours'),
    };
    await expect(rotate()).rejects.toMatchObject(refused);
    const keypair = () => formatElGamalKeypair(generateElGamalKeypair());
    const bring = (by: Caller) => importAuditorKey(foundation, by, { keypair: keypair(), reason });
    await expect(bring(home.owner.principal)).rejects.toMatchObject(refused);
    // The operator can bring all keys of a former gateway.
    for (let epoch = 6; epoch <= 10; epoch += 1) await bring(operatorOf(home.organization.id));
    await database.rows(sql`
      update auditor_keys set created_at = created_at - interval '1 day' where organization_id = ${home.organization.id}`);
    await rotate();
    expect(await epochs()).toHaveLength(11);
  });

  it('is refused beyond the number of keys that decryption can try', async () => {
    await register();
    await database.rows(sql`
      insert into auditor_keys (organization_id, epoch, public_key, sealed_secret, created_at)
      select ${home.organization.id}, 32, ${new Uint8Array(32).fill(9)}, ${new Uint8Array(1)}, now()`);
    await expect(rotate()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('at most 32'),
    });
  });
});
