import { beforeEach, describe, expect, it } from '@jest/globals';
import { operatorOf } from '../../../src/domain/access/index.js';
import {
  auditorKeysOf,
  createAsset,
  importAuditorKey,
  withAuditorSecret,
} from '../../../src/domain/assets/index.js';
import { rotateAuditorKey } from '../../../src/domain/assets/auditor-keys/rotate-auditor-key.js';
import { formatElGamalKeypair, generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { type SeededOrganization, seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { EURO } from './kit.js';

const reason = 'Mints of our former gateway';

const { database, foundation } = await openTestFoundation();

describe('importing an auditor key', () => {
  let home: SeededOrganization;
  beforeEach(async () => {
    home = await seedOrganization(foundation);
  });

  const importKey = (keypair = formatElGamalKeypair(generateElGamalKeypair())) =>
    importAuditorKey(foundation, operatorOf(home.organization.id), { keypair, reason });
  const register = () => createAsset(foundation, home.apiKey.principal, EURO);
  const keys = () => auditorKeysOf(database, home.organization.id);

  it('keeps its secret encrypted, and logs who imported which key and why', async () => {
    const keypair = generateElGamalKeypair();
    const text = formatElGamalKeypair(keypair);
    const { epoch } = await importKey(text);
    const opened = await withAuditorSecret(
      ...([database, foundation.sealer, home.organization.id, epoch] as const),
      (secret) => Promise.resolve(base64.encode(secret)),
    );
    expect(opened).toBe(base64.encode(keypair.secret));
    const entries = await database.rows(sql<{ details: object; userId: string }>`
      select entry -> 'details' as details, entry ->> 'user_id' as "userId" from activity_entries
      where organization_id = ${home.organization.id} and event_type = 'auditor_key.imported'`);
    expect(entries).toEqual([
      {
        details: { auditor_public_key: base64.encode(keypair.publicKey), reason },
        userId: 'operator',
      },
    ]);
  });

  it('does not change assets, which show the newest key created here', async () => {
    const before = await register();
    await importKey();
    expect((await register()).auditorElGamalPubkey).toBe(before.auditorElGamalPubkey);
    expect((await keys()).map(({ imported }) => imported)).toEqual([true, false]);
  });

  it('does not prevent the first asset from creating a key', async () => {
    await importKey();
    const asset = await register();
    expect(await keys()).toMatchObject([
      { epoch: 2, imported: false },
      { epoch: 1, imported: true },
    ]);
    expect(asset.auditorElGamalPubkey).toBe(base64.encode((await keys())[0]!.publicKey));
  });

  it('does not affect rotation of the keys created here', async () => {
    await register();
    await importKey();
    const rotated = await rotateAuditorKey(foundation, home.owner.principal, { reason, fromEpoch: 1 });
    expect(rotated).toMatchObject({ epoch: 3, imported: false });
  });

  it('imports a key once, even if two operators import it concurrently', async () => {
    const text = formatElGamalKeypair(generateElGamalKeypair());
    const outcomes = await Promise.allSettled([importKey(text), importKey(text)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(importKey(text)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The organization already has this auditor key.',
    });
    expect(await keys()).toHaveLength(1);
  });

  it('lets another organization import the same key', async () => {
    const text = formatElGamalKeypair(generateElGamalKeypair());
    await importKey(text);
    home = await seedOrganization(foundation, { name: 'Its auditing company' });
    await expect(importKey(text)).resolves.toMatchObject({ epoch: 1 });
  });

  it('stores nothing from an invalid keypair', async () => {
    await expect(importKey('hunter2')).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.not.stringContaining('hunter2'),
    });
    expect(await keys()).toEqual([]);
  });

  it('is refused beyond the maximum number of keys', async () => {
    for (let count = 0; count < 32; count += 1) await importKey();
    await expect(importKey()).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});
