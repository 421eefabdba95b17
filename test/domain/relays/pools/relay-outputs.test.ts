import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isTerminal } from '../../../../src/domain/relays/relay-state.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import type { LedgerNode, LedgerNodes } from '../../../../src/platform/ledger/index.js';
import type { FaultyNodes } from '../../../kit/ledger/faulty-nodes.js';
import { openRelayRoom, type RelayRoom } from '../kit.js';

/** A provider without transaction history, but with correct accounts. */
const withoutHistory = (node: LedgerNode): LedgerNode => ({
  ...node,
  signatureStatuses: async (signatures) => ({
    ...(await node.signatureStatuses(signatures)),
    statuses: signatures.map(() => null),
  }),
  finalizedOutcome: () => Promise.resolve(null),
  creatorOf: () => Promise.resolve(null),
});

describe('a relay whose transaction no provider shows anymore', () => {
  const opened = new AsyncDisposableStack();
  let withOutputs: RelayRoom;
  let withoutOutputs: RelayRoom;
  beforeAll(async () => {
    withOutputs = opened.use(await openRelayRoom({ hasOutputs: true }));
    withoutOutputs = opened.use(await openRelayRoom());
  });
  afterEach(() => Promise.all([withOutputs.rest(), withoutOutputs.rest()]));
  afterAll(() => opened.disposeAsync());

  const forgetful = (nodes: LedgerNodes): LedgerNodes => ({
    ...nodes,
    nodes: nodes.nodes.map(withoutHistory),
  });
  const spent = async (room: RelayRoom, id: Id<'rly'>) => {
    while (!(await room.spent(id)).every(Boolean)) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  /** Waits until each node was asked this number of times again which transaction created the account of the nullifier. */
  const looks = async (nodes: FaultyNodes, count: number) => {
    const asked = () => nodes.calls.filter(({ method }) => method === 'finalizedHeight').length;
    const until = asked() + count * nodes.nodes.length;
    while (asked() < until) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('succeeds by the outputs of its package once its blockhash has expired, and the evidence shows it', async () => {
    const room = withOutputs;
    const nodes = room.nodes(3);
    const id = await room.submit();
    room.worker({ nodes: forgetful(nodes) });
    await spent(room, id);
    await looks(nodes, 3);
    expect(isTerminal((await room.read(id)).status)).toBe(false);
    room.ledger.skipBlocks(200);
    expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
    const { evidence } = (await room.events(id)).at(-1)!;
    const { succeeded } = await room.landed(id);
    expect(evidence).toMatchObject({ by: 'state', slot: null, signature: succeeded[0] });
    expect(evidence['providers']).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ outputsExist: true })),
    );
    expect(await room.attempts(id)).toMatchObject([{ outcome: 'landed' }]);
  });

  it('is neither rejected nor succeeded if the nullifiers were spent for other outputs', async () => {
    const room = withOutputs;
    const nodes = room.nodes(3);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    const id = await room.submit();
    room.worker({ nodes: forgetful(nodes) });
    await room.until(id, ({ status }) => status === 'submitted');
    await room.spendForOthers(id);
    room.ledger.skipBlocks(200);
    await room.until(id, ({ waitingFor }) => waitingFor === 'spender');
    await looks(nodes, 5);
    const { status, waitingFor } = await room.read(id);
    expect([isTerminal(status), waitingFor]).toEqual([false, 'spender']);
  });

  it('waits for the spender if the pool creates no outputs', async () => {
    const room = withoutOutputs;
    const nodes = room.nodes(3);
    const id = await room.submit();
    room.worker({ nodes: forgetful(nodes) });
    await spent(room, id);
    room.ledger.skipBlocks(200);
    await room.until(id, ({ waitingFor }) => waitingFor === 'spender');
    await looks(nodes, 5);
    const { status, waitingFor } = await room.read(id);
    expect([isTerminal(status), waitingFor]).toEqual([false, 'spender']);
  });
});
