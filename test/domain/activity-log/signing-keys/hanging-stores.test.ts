import { expect, it } from '@jest/globals';
import { createSequencer } from '../../../../src/domain/activity-log/index.js';
import type { Foundation } from '../../../../src/platform/database/index.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import { createKeptSigningKeys, parseKeyUri } from '../../../../src/platform/keys/index.js';
import { eventually } from '../../../kit/eventually.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { forFile } from '../../../kit/for-file.js';
import { seedOrganization, testFoundation } from '../../../kit/seed.js';
import { createHangingStore } from '../../../platform/keys/stores/hanging-store.js';
import { act, countingMetrics, faultsOfLog, loggedEntries, PUBLIC_HOST, sequence } from '../kit.js';

const database = forFile(await createTestDatabase());
const sealing = testFoundation(database);

const waiting = async (organizationId: Id<'org'>) =>
  (await loggedEntries(database, organizationId)).filter(({ index }) => index === null).length;

it('a store that does not answer delays neither logs with other keys nor logs without a store', async () => {
  const store = createHangingStore();
  const keeping = (name: string): Foundation => ({
    ...sealing,
    signingKeys: createKeptSigningKeys(store.stores, parseKeyUri(`vault:transit/${name}`), 0),
  });
  const seeded = async (gateway: Foundation): Promise<Id<'org'>> => {
    const { organization } = await seedOrganization(gateway);
    await sequence(gateway);
    return organization.id;
  };
  // More than are sequenced at once.
  const stuck: Id<'org'>[] = [];
  for (let count = 0; count < 10; count += 1) stuck.push(await seeded(keeping('stuck')));
  const others = [await seeded(keeping('other')), await seeded(sealing)];
  const { metrics, failures } = countingMetrics();
  await using sequencer = createSequencer({
    ...{ foundation: keeping('other'), publicHost: PUBLIC_HOST, metrics, pollMs: 10 },
  });

  store.hang('stuck');
  for (const id of stuck) await act(sealing, id);
  sequencer.start();
  await eventually(() => store.unanswered('stuck') > 0);
  for (let round = 0; round < 3; round += 1) {
    for (const id of others) {
      await act(sealing, id);
      await eventually(async () => (await waiting(id)) === 0);
    }
  }
  for (const id of stuck) expect(await waiting(id)).toBe(1);

  store.letGo('stuck');
  for (const id of stuck) await eventually(async () => (await waiting(id)) === 0);
  expect(failures).toEqual([]);
  for (const id of [...stuck, ...others]) expect(await faultsOfLog(database, id)).toEqual([]);
});
