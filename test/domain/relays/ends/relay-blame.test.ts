import { describe, expect, it } from '@jest/globals';
import { LedgerError, type LedgerHeight, type LedgerNode } from '../../../../src/platform/ledger/index.js';
import { openRelayRoom } from '../kit.js';
import { forFile } from '../../../kit/for-file.js';

const room = forFile(await openRelayRoom());
room.ledger.skipBlocks(1_200);

const HEIGHTS: readonly [string, (height: LedgerHeight) => LedgerHeight][] = [
  // No provider contradicts these, but the blockhashes of honest providers are of earlier slots.
  [
    'slots that are not reached yet',
    ({ slot, blockHeight }) => ({ slot: slot + 300, blockHeight: blockHeight + 300 }),
  ],
  [
    'heights that two others contradict',
    ({ slot, blockHeight }) => ({ slot, blockHeight: blockHeight - 300 }),
  ],
];

describe('a relay before anything is signed', () => {
  it.each(HEIGHTS)(
    'waits and blames no provider if two of five name %s, and another one does not answer',
    async (_, wrong) => {
      const honest = room.nodes(5);
      const [first, second, silent, ...others] = honest.nodes as LedgerNode[];
      const named = (node: LedgerNode): LedgerNode => ({
        ...node,
        finalizedHeight: async () => wrong(await node.finalizedHeight()),
      });
      const timesOut: LedgerNode = {
        ...silent!,
        finalizedHeight: () => Promise.reject(new LedgerError('timeout', 'No answer.')),
        latestBlockhash: () => Promise.reject(new LedgerError('timeout', 'No answer.')),
      };
      const lies: string[] = [];
      const id = await room.submit();
      room.worker({
        nodes: { ...honest, nodes: [named(first!), named(second!), timesOut, ...others] },
        metrics: { providerLied: (node) => void lies.push(node) },
      });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'infrastructure_failed' });
      expect(await room.attempts(id)).toEqual([]);
      expect(lies).toEqual([]);
      await room.rest();
    },
  );
});
