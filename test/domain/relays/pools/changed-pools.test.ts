import { describe, expect, it } from '@jest/globals';
import { LOCAL_POOLS_FILE } from '../../../../devnet/index.js';
import { parsePoolsFile } from '../../../../src/domain/relays/pools/pool-descriptor.js';
import { freshPackage } from '../desk-kit.js';
import { submissionStories } from '../admission/submission-stories.js';

const stories = submissionStories();

describe('a package whose circuit the operator removed from the pool', () => {
  /** A gateway that was restarted without the circuit. */
  const withoutCircuit = async () => {
    const [pool] = LOCAL_POOLS_FILE.pools;
    const file = { pools: [{ ...pool, circuits: { 5: pool.circuits['3'] } }] };
    return stories.open({ pools: await parsePoolsFile(file, () => Promise.reject(new Error('No file.'))) });
  };

  it('finds its request when it is submitted again', async () => {
    const relayPackage = freshPackage();
    const { relayRequestId } = await stories.submit(relayPackage);
    const again = await stories.submit(relayPackage, await withoutCircuit());
    expect(again).toMatchObject({ relayRequestId, status: 'accepted' });
  });

  it('is rejected if it was not submitted before, whatever its number of signals', async () => {
    const desk = await withoutCircuit();
    const { publicSignals } = freshPackage();
    for (const count of [1, 3, 4, 7]) {
      const relayPackage = freshPackage({ publicSignals: publicSignals.slice(0, count) });
      expect(await stories.submit(relayPackage, desk)).toMatchObject({
        ...{ status: 'rejected', publicReason: 'zk_config_missing' },
      });
    }
  });

  it('is rejected with the nullifiers of another package, and reveals nothing about that package', async () => {
    const held = freshPackage();
    await stories.submit(held);
    const other = { ...held, proofBytes: freshPackage().proofBytes };
    expect(await stories.submit(other, await withoutCircuit())).toMatchObject({
      ...{ status: 'rejected', publicReason: 'zk_config_missing' },
    });
  });
});
