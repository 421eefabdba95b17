import { afterEach } from '@jest/globals';
import {
  createLedgerNodes,
  type LedgerNode,
  type LedgerNodes,
  type LedgerNodesOptions,
} from '../../../../src/platform/ledger/index.js';

/** Nodes and their resources, which end with the story. */
export function openNodes() {
  const open: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
  });
  const nodesAt = (rpcUrls: readonly string[], options: Partial<LedgerNodesOptions> = {}): LedgerNodes => {
    const nodes = createLedgerNodes({ rpcUrls, timeoutMs: 5_000, ...options });
    open.push(nodes);
    return nodes;
  };
  const nodeAt = (rpcUrl: string, options: Partial<LedgerNodesOptions> = {}): LedgerNode =>
    nodesAt([rpcUrl], options).nodes[0]!;
  return { open, nodesAt, nodeAt };
}
