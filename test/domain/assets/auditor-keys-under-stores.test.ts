import { describe, expect, it } from '@jest/globals';
import { armor, Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { operatorOf, PERMISSIONS } from '../../../src/domain/access/index.js';
import { auditorKeysOf, importAuditorKey, withAuditorSecret } from '../../../src/domain/assets/index.js';
import { exportAuditorKey } from '../../../src/domain/assets/auditor-keys/export-auditor-key.js';
import {
  importEncryptedAuditorKey,
  prepareAuditorKeyImport,
} from '../../../src/domain/assets/auditor-keys/import-encrypted-auditor-key.js';
import { rotateAuditorKey } from '../../../src/domain/assets/auditor-keys/rotate-auditor-key.js';
import { decryptRecords } from '../../../src/domain/transactions/index.js';
import { transactionsAfter } from '../../../src/domain/transactions/transaction.js';
import {
  formatElGamalKeypair,
  generateElGamalKeypair,
  parseElGamalKeypair,
} from '../../../src/platform/crypto/index.js';
import { sql } from '../../../src/platform/database/index.js';
import {
  announceDataKeys,
  createMasterKeys,
  parseKeyUri,
  reseal,
  retireMasterKey,
  rotateMasterKey,
} from '../../../src/platform/keys/index.js';
import { PLACES, settingOf } from '../../crash/master-places.js';
import {
  auditorCiphertexts,
  randomSignature,
  seedAsset,
  seedRecords,
} from '../../kit/ledger/confidential-records.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { inlinePool } from '../../kit/ledger/inline-pool.js';
import { seedMember, seedOrganization, testFoundation } from '../../kit/seed.js';
import { letSettle, openGateway, openKeyRoom } from '../../platform/keys/key-room.js';
import { encryptTo } from './kit.js';

const reason = 'Mints of our former gateway';

describe.each(PLACES)('an organization whose master key is %s', (_, open) => {
  it('rotates, imports and exports auditor keys, and decrypts with every one, also after the master key’s next version', async () => {
    await using parts = new AsyncDisposableStack();
    const place = parts.use(await open());
    const room = parts.use(await openKeyRoom(place.stores));
    const database = parts.use(await createTestDatabase());
    parts.use(await room.gateway(database));
    await rotateMasterKey(
      room.operator(database),
      place.to === undefined ? undefined : parseKeyUri(place.to),
    );
    const masterKeys = createMasterKeys(settingOf(place, room.file), place.stores);
    const { sealer } = parts.use(await openGateway(database, masterKeys));
    const foundation = { ...testFoundation(database), sealer };

    const { organization, owner } = await seedOrganization(foundation);
    const second = await seedMember(foundation, organization.id, { owner: PERMISSIONS.owner });
    const asset = await seedAsset(foundation, organization.id);
    const rotated = await rotateAuditorKey(foundation, owner.principal, { reason, fromEpoch: 1 });
    const [byCommand, byGraphql] = [generateElGamalKeypair(), generateElGamalKeypair()];
    const keypair = formatElGamalKeypair(byCommand);
    await importAuditorKey(foundation, operatorOf(organization.id), { keypair, reason });
    const { recipient, token } = await prepareAuditorKeyImport(foundation, owner.principal);
    const ageFile = await encryptTo(recipient, formatElGamalKeypair(byGraphql));
    await importEncryptedAuditorKey(foundation, owner.principal, { token, ageFile, reason });
    const all = [asset.auditorPublicKey, rotated.publicKey, byCommand.publicKey, byGraphql.publicKey];
    expect((await auditorKeysOf(database, organization.id)).map(({ publicKey }) => publicKey)).toEqual(
      all.toReversed(),
    );

    const identity = await generateIdentity();
    const order = { epoch: 1, reason, recipients: [await identityToRecipient(identity)] };
    await expect(exportAuditorKey(foundation, owner.principal, true, order)).rejects.toMatchObject({
      reason: 'second_person_required',
    });
    const exported = await exportAuditorKey(foundation, second.principal, true, order);
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    const text = await decrypter.decrypt(armor.decode(exported.ageFile), 'text');
    expect(parseElGamalKeypair(text).publicKey).toEqual(asset.auditorPublicKey);

    // A mint that had each of the four keys, one after the other, and a payment under each.
    const amounts = [5n, 70n, 900n, 2n ** 40n];
    for (const [at, publicKey] of all.entries()) {
      if (at > 0)
        await database.rows(sql`insert into mint_auditor_keys (asset_id, from_slot, path, public_key, signature)
          values (${asset.id}, ${at * 1_000}, '{0,0,0}', ${publicKey}, ${randomSignature()})`);
      const ciphertexts = auditorCiphertexts(publicKey, amounts[at]!);
      await seedRecords(foundation, asset, [
        { type: 'confidential_transfer', slot: at * 1_000 + 500, ciphertexts },
      ]);
    }
    const decrypted = async (opener: typeof foundation) => {
      const records = await transactionsAfter(database, organization.id, asset.id, 0, 200);
      const shown = await decryptRecords(opener, inlinePool(), asset, records, new AbortController().signal);
      return records.map(({ id }) => shown.get(id));
    };
    const expected = amounts.map((value) => expect.objectContaining({ kind: 'amount', value }));
    expect(await decrypted(foundation)).toEqual(expected);

    // New data keys, wrapped there; those that the file ever wrapped are destroyed.
    const operator = { ...room.operator(database), masterKeys };
    await announceDataKeys(operator);
    await reseal({ ...operator, sealer: parts.use(await openGateway(database, masterKeys)).sealer });
    await letSettle(database);
    expect(await retireMasterKey(operator, 1)).toBeGreaterThan(0);
    const restarted = { ...foundation, sealer: parts.use(await openGateway(database, masterKeys)).sealer };
    expect(await decrypted(restarted)).toEqual(expected);
    for (const [at, { secret }] of [byCommand, byGraphql].entries())
      await withAuditorSecret(database, restarted.sealer, organization.id, at + 3, (opened) => {
        expect(Buffer.from(opened)).toEqual(Buffer.from(secret));
        return Promise.resolve();
      });
  });
});
