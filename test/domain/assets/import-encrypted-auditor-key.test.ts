import { beforeEach, describe, expect, it } from '@jest/globals';
import { armor, Encrypter } from 'age-encryption';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { auditorKeysOf } from '../../../src/domain/assets/index.js';
import {
  importEncryptedAuditorKey,
  prepareAuditorKeyImport,
} from '../../../src/domain/assets/auditor-keys/import-encrypted-auditor-key.js';
import { rotateAuditorKey } from '../../../src/domain/assets/auditor-keys/rotate-auditor-key.js';
import { formatElGamalKeypair, generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { unavailable } from '../../../src/platform/kernel/errors.js';
import { type SeededOrganization, seedMember, seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { encryptTo } from './kit.js';
import { WRONG_KEYPAIRS } from './wrong-keypairs.js';

const reason = 'Mints of our former gateway';
const keypair = generateElGamalKeypair();

const encryptedTo = (recipient: string, text = formatElGamalKeypair(keypair)) => encryptTo(recipient, text);

const { database, foundation } = await openTestFoundation();

describe('importing an auditor key over GraphQL', () => {
  let home: SeededOrganization;
  beforeEach(async () => {
    home = await seedOrganization(foundation);
  });

  const prepare = (principal = home.owner.principal) => prepareAuditorKeyImport(foundation, principal);
  const importFile = (token: string, ageFile: string, principal = home.owner.principal, at = foundation) =>
    importEncryptedAuditorKey(at, principal, { token, ageFile, reason });

  it('accepts a keypair encrypted to a recipient that is valid only for this import', async () => {
    const { recipient, token } = await prepare();
    expect((await prepare()).recipient).not.toBe(recipient);
    const key = await importFile(token, await encryptedTo(recipient));
    expect(key).toMatchObject({ epoch: 1, imported: true });
    expect(base64.encode(key.publicKey)).toBe(base64.encode(keypair.publicKey));
  });

  it('requires two owners who have the keypair if a second person is required', async () => {
    const other = await seedMember(foundation, home.organization.id, { owner: PERMISSIONS.owner });
    await database.rows(sql`
      update organizations set require_second_person = true where id = ${home.organization.id}`);
    const first = await prepare();
    const proposed = { code: 'CONFLICT', reason: 'second_person_required' };
    await expect(importFile(first.token, await encryptedTo(first.recipient))).rejects.toMatchObject(proposed);
    const second = await prepare(other.principal);
    const theirs = await encryptedTo(second.recipient);
    await expect(importFile(second.token, theirs, other.principal)).resolves.toMatchObject({ epoch: 1 });
  });

  it('refuses another person’s token, and an expired one', async () => {
    const { recipient, token, expiresAt } = await prepare();
    const file = await encryptedTo(recipient);
    const refused = { code: 'BAD_USER_INPUT', message: expect.stringMatching(/^token must be a token/) };
    const other = await seedMember(foundation, home.organization.id, { owner: PERMISSIONS.owner });
    await expect(importFile(token, file, other.principal)).rejects.toMatchObject(refused);
    const late = { ...foundation, clock: { now: () => expiresAt } };
    await expect(importFile(token, file, undefined, late)).rejects.toMatchObject(refused);
    for (const forged of ['', 'none', base64.encode(new Uint8Array(64)), 'A'.repeat(2_000)])
      await expect(importFile(forged, file)).rejects.toMatchObject(refused);
    expect(await auditorKeysOf(database, home.organization.id)).toEqual([]);
  });

  it('answers 503 while the data key of the token is unavailable, and accepts the token afterwards', async () => {
    const { recipient, token } = await prepare();
    const file = await encryptedTo(recipient);
    const away = () => {
      throw unavailable('The keys that decrypt stored values are not available at present. Try again.');
    };
    const early = { ...foundation, sealer: { ...foundation.sealer, open: away } };
    await expect(importFile(token, file, undefined, early)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(importFile(token, file)).resolves.toMatchObject({ epoch: 1 });
  });

  it('concurrently with a rotation gives each its own epoch, or tells one of them to retry', async () => {
    const made = await prepare();
    await importFile(made.token, await encryptedTo(made.recipient));
    const { recipient, token } = await prepare();
    const file = await encryptedTo(recipient, formatElGamalKeypair(generateElGamalKeypair()));
    const done = await Promise.allSettled([
      importFile(token, file),
      rotateAuditorKey(foundation, home.owner.principal, { reason }),
    ]);
    for (const each of done)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'CONFLICT' });
    const keys = done.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(keys.length).toBeGreaterThan(0);
    // Each created key is stored with its epoch, and has a log entry.
    const stored = await auditorKeysOf(database, home.organization.id);
    expect(stored.map(({ epoch }) => epoch)).toEqual(
      Array.from({ length: 1 + keys.length }, (_, index) => 1 + keys.length - index),
    );
    const publicKeys = stored.map(({ publicKey }) => base64.encode(publicKey));
    for (const { publicKey } of keys) expect(publicKeys).toContain(base64.encode(publicKey));
    const entries = await database.rows(sql`select 1 from activity_entries
      where organization_id = ${home.organization.id}
        and event_type in ('auditor_key.imported', 'auditor_key.rotated')`);
    expect(entries).toHaveLength(stored.length);
  });

  it('refuses a file that was imported before, and a file from before its token was issued', async () => {
    const { recipient, token } = await prepare();
    const file = await encryptedTo(recipient);
    await importFile(token, file);
    await expect(importFile(token, file)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The organization already has this auditor key.',
    });
    // A file that was encrypted to the recipient of an earlier import, with the token of a later one.
    const later = await prepare();
    await expect(importFile(later.token, file)).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringMatching(/^ageFile must be an armored age file/),
    });
    expect(await auditorKeysOf(database, home.organization.id)).toHaveLength(1);
  });

  it('accepts one key per token, also in concurrent requests', async () => {
    const used = {
      code: 'BAD_USER_INPUT',
      message: expect.stringMatching(/^token must be a token .* has imported nothing yet/),
    };
    const { recipient, token } = await prepare();
    const another = (to: string) => encryptedTo(to, formatElGamalKeypair(generateElGamalKeypair()));
    await importFile(token, await encryptedTo(recipient));
    await expect(importFile(token, await another(recipient))).rejects.toMatchObject(used);
    const later = await prepare();
    const files = [await another(later.recipient), await another(later.recipient)];
    const done = await Promise.allSettled(files.map((file) => importFile(later.token, file)));
    expect(done.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    for (const each of done) if (each.status === 'rejected') expect(each.reason).toMatchObject(used);
    expect(await auditorKeysOf(database, home.organization.id)).toHaveLength(2);
  });

  it('does not propose a key that exists already, where a second person is required', async () => {
    const other = await seedMember(foundation, home.organization.id, { owner: PERMISSIONS.owner });
    await database.rows(sql`
      update organizations set require_second_person = true where id = ${home.organization.id}`);
    const [first, second] = [await prepare(), await prepare(other.principal)];
    const file = await encryptedTo(first.recipient);
    await expect(importFile(first.token, file)).rejects.toMatchObject({ reason: 'second_person_required' });
    await importFile(second.token, await encryptedTo(second.recipient), other.principal);
    await expect(importFile(first.token, file)).rejects.toMatchObject({
      message: 'The organization already has this auditor key.',
    });
  });

  const nothingIsStored = async () => {
    expect(await auditorKeysOf(database, home.organization.id)).toEqual([]);
    expect(
      await database.rows(sql`select id from activity_entries
        where organization_id = ${home.organization.id} and event_type = 'auditor_key.imported'`),
    ).toEqual([]);
    expect(
      await database.rows(sql`select operation from proposed_operations
        where organization_id = ${home.organization.id}`),
    ).toEqual([]);
  };

  it('explains the error in each invalid keypair, and then accepts a valid one with the same token', async () => {
    const { recipient, token } = await prepare();
    for (const [, text, answer] of WRONG_KEYPAIRS) {
      const attempt = importFile(token, await encryptedTo(recipient, text));
      await expect(attempt).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
        message: expect.stringContaining(answer),
      });
      if (text.trim() !== '') await expect(attempt).rejects.not.toThrow(text.trim().slice(0, 20));
    }
    await nothingIsStored();
    await expect(importFile(token, await encryptedTo(recipient))).resolves.toMatchObject({ epoch: 1 });
  });

  it('explains which file it needs instead of each wrong one, and then accepts the right one with the same token', async () => {
    const { recipient, token } = await prepare();
    const right = await encryptedTo(recipient);
    const lines = right.trimEnd().split('\n');
    const withPassphrase = new Encrypter();
    withPassphrase.setPassphrase('correct horse battery staple');
    withPassphrase.setScryptWorkFactor(2);
    const bytes = armor.decode(right);
    const wrong: Readonly<Record<string, string>> = {
      nothing: '',
      'a word': 'not age',
      'a keypair that is not encrypted': formatElGamalKeypair(keypair),
      'a file to another recipient': await encryptedTo((await prepare()).recipient),
      'a file with a passphrase': armor.encode(await withPassphrase.encrypt(formatElGamalKeypair(keypair))),
      'a file that is not armored': Buffer.from(bytes).toString('latin1'),
      'its base64 without the armor': lines.slice(1, -1).join('\n'),
      'a file without its last line': lines.slice(0, -1).join('\n'),
      'a file without a line of its middle': lines.toSpliced(2, 1).join('\n'),
      'a file that was changed': armor.encode(bytes.with(-1, bytes.at(-1)! ^ 1)),
      'a message of PGP': '-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n',
      'too long a file': `${right}${' '.repeat(9_000)}`,
    };
    for (const [what, file] of Object.entries(wrong)) {
      const answer = await importFile(token, file).catch((thrown: unknown) => thrown);
      expect([what, answer]).toEqual([
        what,
        expect.objectContaining({
          code: 'BAD_USER_INPUT',
          message:
            'ageFile must be an armored age file of at most 8192 characters, encrypted to the recipient of the token.',
        }),
      ]);
    }
    await nothingIsStored();
    await expect(importFile(token, right)).resolves.toMatchObject({ epoch: 1 });
  });
});
