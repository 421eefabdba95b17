import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { armor, Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { auditorKeysOf, createAsset, withAuditorSecret } from '../../../src/domain/assets/index.js';
import { exportAuditorKey } from '../../../src/domain/assets/auditor-keys/export-auditor-key.js';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { parseElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { sql, type Database, type Foundation } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { createTestDatabase } from '../../kit/database.js';
import {
  type SeededOrganization,
  type SeededUser,
  seedMember,
  seedOrganization,
  testFoundation,
} from '../../kit/seed.js';
import { EURO } from './kit.js';

const reason = 'For the escrow of the regulator';

describe('exporting an auditor key', () => {
  let database: Database;
  let foundation: Foundation;
  let home: SeededOrganization;
  let second: SeededUser;
  let identity: string;
  let recipient: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    foundation = testFoundation(database);
    identity = await generateIdentity();
    recipient = await identityToRecipient(identity);
  });
  afterAll(async () => database[Symbol.asyncDispose]());
  beforeEach(async () => {
    home = await seedOrganization(foundation);
    second = await seedMember(foundation, home.organization.id, { owner: PERMISSIONS.owner });
    await createAsset(foundation, home.apiKey.principal, EURO);
  });

  const exportKey = (principal = home.owner.principal, input: object = {}, isAllowed = true) =>
    exportAuditorKey(foundation, principal, isAllowed, {
      epoch: 1,
      recipients: [recipient],
      reason,
      ...input,
    });
  const proposed = { code: 'CONFLICT', reason: 'second_person_required' };

  it('needs two owners whatever the rule of the organization is, and gives the second the file', async () => {
    await expect(exportKey()).rejects.toMatchObject(proposed);
    await expect(exportKey()).rejects.toMatchObject(proposed);
    const { ageFile } = await exportKey(second.principal);

    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    const keypair = parseElGamalKeypair(await decrypter.decrypt(armor.decode(ageFile), 'text'));
    const [key] = await auditorKeysOf(database, home.organization.id);
    expect(base64.encode(keypair.publicKey)).toBe(base64.encode(key!.publicKey));
    await withAuditorSecret(database, foundation.sealer, home.organization.id, 1, (secret) => {
      expect(base64.encode(keypair.secret)).toBe(base64.encode(secret));
      return Promise.resolve();
    });
  });

  it('is for the recipients that both asked for', async () => {
    await expect(exportKey()).rejects.toMatchObject(proposed);
    const other = await identityToRecipient(await generateIdentity());
    await expect(exportKey(second.principal, { recipients: [other] })).rejects.toMatchObject(proposed);
    await expect(exportKey(second.principal, { recipients: [recipient, other] })).rejects.toMatchObject(
      proposed,
    );
  });

  it('is recorded in the log, with who can decrypt the file and why', async () => {
    await exportKey().catch(() => undefined);
    await exportKey(second.principal);
    const entries = await database.rows(sql<{ details: object; userId: string }>`
      select entry -> 'details' as details, entry ->> 'user_id' as "userId" from activity_entries
      where organization_id = ${home.organization.id} and event_type = 'auditor_key.exported'`);
    expect(entries).toEqual([
      {
        details: expect.objectContaining({ recipients: recipient, reason }),
        userId: second.principal.userId,
      },
    ]);
  });

  it('is refused where the operator has not allowed it, also to two owners', async () => {
    for (const { principal } of [home.owner, second])
      await expect(exportKey(principal, {}, false)).rejects.toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining('LUCARNE_AUDITOR_KEY_EXPORT=1'),
      });
  });

  it.each([
    [{ recipients: [] }, 'recipients must have 1 to 8 age recipients.'],
    [{ recipients: Array<string>(9).fill('age1') }, 'recipients must have 1 to 8 age recipients.'],
    [{ recipients: ['age1qqqq'] }, 'recipients[0] must be an age recipient (age1…).'],
    // The point zero of X25519: anyone could decrypt.
    [
      { recipients: ['age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z'] },
      'recipients[0] must be an age recipient (age1…).',
    ],
    [{ reason: '' }, expect.stringContaining('reason')],
  ])('refuses %j with a sentence', async (input, message) => {
    await expect(exportKey(undefined, input)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', message });
  });

  it('finds no key of an epoch that does not exist', async () => {
    await expect(exportKey(undefined, { epoch: 2 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
