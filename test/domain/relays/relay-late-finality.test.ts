import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LedgerNode } from '../../../src/platform/ledger/index.js';
import { openRelayRoom, type RelayRoom } from './kit.js';

const LATE_SLOTS = 300;

describe('a relay whose ledger finalizes 300 slots late', () => {
  let room: RelayRoom;
  beforeAll(async () => {
    room = await openRelayRoom();
    room.ledger.skipBlocks(2 * LATE_SLOTS);
  });
  afterAll(async () => room[Symbol.asyncDispose]());

  it.each([1, 3])(
    'is signed, waits for finality, succeeds with it, and makes no liar of any of %i providers',
    async (count) => {
      let isLate = true;
      const late = (node: LedgerNode): LedgerNode => ({
        ...node,
        async finalizedHeight() {
          const { slot, blockHeight } = await node.finalizedHeight();
          return isLate
            ? { slot: slot - LATE_SLOTS, blockHeight: blockHeight - LATE_SLOTS }
            : { slot, blockHeight };
        },
        async signatureStatuses(signatures) {
          const { slot, statuses } = await node.signatureStatuses(signatures);
          return {
            slot,
            statuses: statuses.map((status) =>
              status && isLate ? { ...status, commitment: 'confirmed' } : status,
            ),
          };
        },
      });
      const honest = room.nodes(count);
      const lies: string[] = [];
      const id = await room.submit();
      room.worker({
        nodes: { ...honest, nodes: honest.nodes.map(late) },
        metrics: { providerLied: (node) => void lies.push(node) },
      });
      const waiting = await room.until(
        id,
        ({ status, waitingFor }) => waitingFor === 'finality' || status === 'failed',
      );
      expect(waiting).toMatchObject({ status: 'submitted', waitingFor: 'finality' });
      isLate = false;
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
      expect(lies).toEqual([]);
      await room.rest();
    },
  );
});
