import { beforeEach, describe, expect, it } from '@jest/globals';
import { bech32 } from '@scure/base';
import { armor, Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { auditorKeysOf, createAsset, withAuditorSecret } from '../../../src/domain/assets/index.js';
import { exportAuditorKey } from '../../../src/domain/assets/auditor-keys/export-auditor-key.js';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { parseElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import {
  type SeededOrganization,
  type SeededUser,
  seedMember,
  seedOrganization,
  openTestFoundation,
} from '../../kit/seed.js';
import { EURO } from './kit.js';

/** Points of small order on Curve25519 and its twist, with which a shared secret is zero (RFC 7748 section 6.1). */
const SMALL_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
];

const reason = 'For the escrow of the regulator';

const { database, foundation } = await openTestFoundation();
const identity = await generateIdentity();
const recipient = await identityToRecipient(identity);

describe('exporting an auditor key', () => {
  let home: SeededOrganization;
  let second: SeededUser;
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

  it('requires two owners regardless of the organization’s second-person rule, and gives the file to the second', async () => {
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

  it('is encrypted to the recipients that both requested', async () => {
    await expect(exportKey()).rejects.toMatchObject(proposed);
    const other = await identityToRecipient(await generateIdentity());
    await expect(exportKey(second.principal, { recipients: [other] })).rejects.toMatchObject(proposed);
    await expect(exportKey(second.principal, { recipients: [recipient, other] })).rejects.toMatchObject(
      proposed,
    );
  });

  it('treats the same recipients in any order and with repetitions as equal', async () => {
    const other = await identityToRecipient(await generateIdentity());
    const named = { recipients: [recipient, other] };
    await expect(exportKey(home.owner.principal, named)).rejects.toMatchObject(proposed);
    const { ageFile } = await exportKey(second.principal, { recipients: [other, recipient, other] });
    const header = new TextDecoder().decode(armor.decode(ageFile));
    expect(header.match(/^-> X25519 /gm)).toHaveLength(2);
  });

  it('is logged, with who can decrypt the file and why', async () => {
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

  it('is refused, also to two owners, if the operator does not allow it', async () => {
    for (const { principal } of [home.owner, second])
      await expect(exportKey(principal, {}, false)).rejects.toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining('LUCARNE_AUDITOR_KEY_EXPORT=1'),
      });
  });

  /** Traces that an export was requested or made. */
  const tracesOfExports = async () => [
    ...(await database.rows(sql`select operation from proposed_operations
      where organization_id = ${home.organization.id}`)),
    ...(await database.rows(sql`select id from activity_entries
      where organization_id = ${home.organization.id} and event_type = 'auditor_key.exported'`)),
  ];

  const AS_PRINTED = 'must be an age recipient (age1…), as age-keygen prints it.';
  it.each<[string, (right: string) => string]>([
    ['nothing', () => ''],
    ['a word', () => 'hunter2'],
    ['an identity, which is secret', () => identity],
    ['a recipient in upper case', (right) => right.toUpperCase()],
    ['a recipient with a space', (right) => `${right} `],
    ['two recipients in one', (right) => `${right},${right}`],
    ['a recipient with a wrong checksum', (right) => right.slice(0, -1) + (right.endsWith('q') ? 'p' : 'q')],
    ['half of a recipient', (right) => right.slice(0, 30)],
    ['a recipient of 31 bytes', () => bech32.encodeFromBytes('age', new Uint8Array(31).fill(9))],
    ['a recipient of 33 bytes', () => bech32.encodeFromBytes('age', new Uint8Array(33).fill(9))],
    ['a recipient of another kind', () => bech32.encodeFromBytes('age1nobody', new Uint8Array(32).fill(9))],
    ['a key of SSH', () => `ssh-ed25519 ${base64.encode(new Uint8Array(51).fill(9))} olga`],
    ['the bytes of X25519 in base64', () => base64.encode(new Uint8Array(32).fill(9))],
    ...SMALL_ORDER.map((point): [string, () => string] => [
      `the point ${point.slice(0, 8)}… of small order, to which anyone could decrypt`,
      () => bech32.encodeFromBytes('age', Uint8Array.from(Buffer.from(point, 'hex'))),
    ]),
  ])('names the recipient that is %s, and proposes nothing', async (_, wrong) => {
    const recipients = [recipient, wrong(recipient)];
    for (const { principal } of [home.owner, second])
      await expect(exportKey(principal, { recipients })).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
        message: `recipients[1] ${AS_PRINTED}`,
      });
    expect(await tracesOfExports()).toEqual([]);
  });

  it.each<[string, object, unknown]>([
    ['no recipient', { recipients: [] }, 'recipients must have 1 to 8 age recipients.'],
    ['nine recipients', { recipients: Array(9).fill('age1') }, 'recipients must have 1 to 8 age recipients.'],
    ['no reason', { reason: '' }, expect.stringContaining('reason')],
    ['too long a reason', { reason: 'r'.repeat(2_001) }, expect.stringContaining('reason')],
  ])('refuses %s with a sentence, and proposes nothing', async (_, input, message) => {
    await expect(exportKey(undefined, input)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', message });
    expect(await tracesOfExports()).toEqual([]);
  });

  it('does not find a key of an unknown epoch', async () => {
    await expect(exportKey(undefined, { epoch: 2 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
