import { afterEach, describe, expect, it } from '@jest/globals';
import type { RelayTiming } from '../../../../src/domain/relays/execution/relay-timing.js';
import { deskWith, scriptedProvider } from '../../checks/kit.js';
import { forFile } from '../../../kit/for-file.js';
import { randomAddress } from '../../../kit/ledger/confidential-records.js';
import { openRelayRoom } from '../kit.js';

const room = forFile(await openRelayRoom());

describe('a relay of which nothing is signed when the gateway stops', () => {
  afterEach(() => room.rest());

  it('is screened again before it is signed, because the recipient may have been refused meanwhile', async () => {
    const nodes = room.nodes(3);
    nodes.fail({ method: 'latestBlockhash' }, { kind: 'drop' });
    const step = scriptedProvider('sanctions_list');
    const worker = (timing: Partial<RelayTiming>) =>
      room.worker({ nodes, checkDesk: deskWith(room.foundation, [step]), timing });
    const id = await room.submit({ recipient: randomAddress() });
    const before = worker({ maxFailedLooks: 1_000 });
    await room.until(id, ({ status, failedLooks }) => status === 'queued' && failedLooks > 0);
    await before.stop();
    step.answers = 'sanctioned';
    nodes.heal();
    worker({ validForMs: 0 });
    expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'kyt_rejected' });
    expect(await room.attempts(id)).toEqual([]);
  });
});

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
