import { afterEach, describe, expect, it } from '@jest/globals';
import { openRelayRoom } from '../kit.js';
import { forFile } from '../../../kit/for-file.js';

const room = forFile(await openRelayRoom());

describe('a relay that never lands', () => {
  afterEach(() => room.rest());

  it('is dead only when 150 blocks can have passed by the clock of the database, not of a restarted gateway', async () => {
    const minBlockMs = 20;
    const nodes = room.nodes(3);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    const id = await room.submit();
    const before = room.worker({ nodes, timing: { minBlockMs } });
    await room.until(id, ({ status }) => status === 'submitted');
    await before.stop();
    room.ledger.skipBlocks(155);
    const clock = { now: () => new Date(Date.now() + 3_600_000) };
    room.worker({ nodes, timing: { minBlockMs }, foundation: { ...room.foundation, clock } });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'send_failed' });
    const [attempt] = await room.attempts(id);
    const lifeMs = attempt!.concludedAt!.getTime() - attempt!.createdAt.getTime();
    expect(lifeMs).toBeGreaterThanOrEqual(150 * minBlockMs);
  });
});
