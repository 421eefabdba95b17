import { expect, it } from '@jest/globals';
import { findDisclosure } from '../../../src/domain/disclosures/index.js';
import { type KeptSigningKeys, sealingKeyOf } from '../../../src/platform/crypto/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { announceDataKeys, createKeptSigningKeys, parseKeyUri } from '../../../src/platform/keys/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { seedOrganization, testFoundation } from '../../kit/seed.js';
import { openKeyRoom } from '../../platform/keys/key-room.js';
import { openLocalVault } from '../../platform/keys/stores/local-vault.js';
import { sequence } from '../activity-log/kit.js';
import { disclosureDesk, seedTransfers } from './kit.js';

it('a result whose receipt a store signs slowly is sealed with the data key that is in use when it is stored', async () => {
  await using vault = await openLocalVault();
  vault.makeKey('log', 'ed25519');
  await using database = await createTestDatabase();
  await using room = await openKeyRoom();
  await using keyring = await room.gateway(database);
  const keys = createKeptSigningKeys(vault.stores, parseKeyUri('vault:transit/log'));
  let meanwhile = () => Promise.resolve();
  const signingKeys: KeptSigningKeys = {
    ...keys,
    async sign(key, message) {
      await meanwhile();
      return keys.sign(key, message);
    },
  };
  const foundation = { ...testFoundation(database), sealer: keyring.sealer, signingKeys };
  const home = await seedOrganization(foundation);
  await sequence(foundation);
  const desk = disclosureDesk(foundation);
  await desk.policy(home.owner.principal);
  const { asset, ids } = await seedTransfers(foundation, home, [7n], 'open');

  let changes = 0;
  meanwhile = async () => {
    if ((changes += 1) > 1) return;
    await announceDataKeys(room.operator(database));
    await keyring.refresh();
  };
  const { id } = await desk.request(home.apiKey.principal, {
    ...{ assetId: asset.id, purpose: 'Audit', format: 'json' },
    scope: { transactionIds: ids, fields: ['amount'] },
  });
  expect(await findDisclosure(foundation, home.apiKey.principal, id)).toMatchObject({ status: 'available' });
  expect(changes).toBeGreaterThan(0);
  const [stored] = await database.rows(sql<{ sealed: Uint8Array; newest: number }>`
    select sealed_result as sealed, (select max(data_keys.id) from data_keys where purpose = 'disclosures') as newest
    from disclosures where id = ${id}`);
  expect(sealingKeyOf(stored!.sealed)).toBe(stored!.newest);
});
