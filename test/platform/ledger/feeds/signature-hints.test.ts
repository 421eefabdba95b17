import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { startLocalLedger } from '../../../../devnet/index.js';
import { silentLog, type Log } from '../../../../src/platform/kernel/log.js';
import {
  createSignatureHints,
  type Signature,
  type SignatureHints,
} from '../../../../src/platform/ledger/index.js';
import { eventually } from '../../../kit/eventually.js';
import { randomAddress, randomSignature } from '../../../kit/ledger/confidential-records.js';
import { hintingNode, type Hinting, type HintingNode } from '../../../kit/ledger/hinting-node.js';
import { aSignature } from '../answers.js';

const parts: AsyncDisposable[] = [];
afterEach(async () => {
  for (const part of parts.splice(0).reverse()) await part[Symbol.asyncDispose]();
});

async function aNode(hinting: Hinting = 'waits'): Promise<HintingNode> {
  const node = await hintingNode(hinting);
  parts.push(node);
  return node;
}

function hintsOf(nodes: readonly { readonly wsUrl: string }[], log: Log = silentLog, timeoutMs = 60_000) {
  const providers = nodes.map(({ wsUrl }, at) => ({ label: `node#${at}`, wsUrl }));
  const hints = createSignatureHints({ providers, timeoutMs, log, random: () => 0 });
  parts.push(hints);
  return hints;
}

/** Collects hints, each as `signature by provider`. */
function ear(hints: SignatureHints) {
  const heard: string[] = [];
  return {
    heard,
    watch: (signature: Signature) =>
      hints.watch(signature, (provider) => heard.push(`${signature} by ${provider}`)),
  };
}

/** All timers except `setTimeout`: sockets need them. */
const REAL_TIMERS = [
  ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'] as const),
  ...(['clearImmediate', 'setInterval', 'clearInterval'] as const),
];

async function turnsUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

const [first, second] = [aSignature(1), aSignature(2)];

describe('hints that a transaction was finalized', () => {
  it('come from every provider of a real ledger, even if it was finalized before', async () => {
    const ledger = await startLocalLedger({ finalizationDelayMs: 20 });
    parts.push(ledger);
    const { heard, watch } = ear(hintsOf([ledger, ledger]));
    const signature = ledger.airdrop(randomAddress(), 1_000_000) as Signature;
    watch(signature);
    await eventually(() => heard.length === 2);
    expect(heard.toSorted()).toEqual([`${signature} by node#0`, `${signature} by node#1`]);
    watch(signature);
    const later = ledger.airdrop(randomAddress(), 2_000_000) as Signature;
    watch(later);
    await eventually(() => heard.length === 4);
    expect(heard.filter((hint) => hint.startsWith(signature))).toHaveLength(2);
  });

  it('use one socket for each provider, which closes after the last hint', async () => {
    const node = await aNode();
    const { heard, watch } = ear(hintsOf([node]));
    watch(first);
    watch(second);
    watch(second);
    await eventually(() => node.asked.length === 2);
    expect(node.asked).toEqual(
      [first, second].map((each) => ({
        method: 'signatureSubscribe',
        params: [each, { commitment: 'finalized' }],
      })),
    );
    expect(node.open).toBe(1);
    await eventually(() => (node.tell(), heard.length === 2));
    await eventually(() => node.open === 0);
    expect(node.connectedAt).toHaveLength(1);
  });

  it('are requested again on a new socket when one breaks', async () => {
    const node = await aNode();
    const { heard, watch } = ear(hintsOf([node]));
    watch(first);
    await eventually(() => node.asked.length === 1);
    node.cut();
    await eventually(() => node.asked.length === 2);
    await eventually(() => (node.tell(), heard.length === 1));
    expect(heard).toEqual([`${first} by node#0`]);
  });

  it.each<Hinting>(['floods', 'refuses', 'drops', 'hangs'])(
    'are requested with growing pauses if the provider %s, and give at most one hint',
    async (hinting) => {
      const node = await aNode(hinting);
      const warnings: object[] = [];
      const log = { ...silentLog, warn: (members: object) => void warnings.push(members) };
      const { heard, watch } = ear(hintsOf([node], log, hinting === 'hangs' ? 20 : 60_000));
      // A provider may flood the client at the first hint, while the others are still awaited.
      for (let at = 0; at < 10; at += 1) watch(aSignature(10 + at));
      await eventually(() => node.connectedAt.length === 4);
      const pauses = node.connectedAt.slice(1).map((at, index) => at - node.connectedAt[index]!);
      // Timers do not fire early, except for the fraction of a millisecond that they round.
      for (const [index, leastMs] of [125, 250, 500].entries())
        expect(pauses[index]).toBeGreaterThanOrEqual(leastMs - 2);
      expect(new Set(heard).size).toBe(heard.length);
      expect(warnings[0]).toMatchObject({ provider: 'node#0', reason: expect.any(String) });
      node.become('waits');
      watch(first);
      await eventually(() => (node.tell(), heard.includes(`${first} by node#0`)));
    },
  );

  it('are abandoned after three minutes', async () => {
    const node = await aNode();
    const { heard, watch } = ear(hintsOf([node], silentLog, 3_600_000));
    jest.useFakeTimers({ doNotFake: REAL_TIMERS });
    try {
      watch(first);
      await turnsUntil(() => node.asked.length === 1);
      jest.advanceTimersByTime(179_999);
      watch(second);
      await turnsUntil(() => node.asked.length === 2);
      jest.advanceTimersByTime(1);
      await turnsUntil(() => node.asked.length === 3);
      expect(node.asked[2]).toMatchObject({ method: 'signatureUnsubscribe' });
      // The signature can be watched again.
      watch(first);
      await turnsUntil(() => node.asked.length === 4);
      jest.advanceTimersByTime(180_000);
      await turnsUntil(() => node.open === 0);
      expect(heard).toEqual([]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are requested for the newest five hundred transactions', async () => {
    const node = await aNode();
    const { watch } = ear(hintsOf([node]));
    const signatures = Array.from({ length: 502 }, () => randomSignature());
    for (const signature of signatures) watch(signature);
    await eventually(() => node.asked.some(({ params }) => params[0] === signatures.at(-1)));
    expect(node.asked.map(({ params }) => params[0])).toEqual(signatures.slice(2));
  });

  it('end when they are closed', async () => {
    const node = await aNode();
    const hints = hintsOf([node]);
    const { heard, watch } = ear(hints);
    watch(first);
    await eventually(() => node.asked.length === 1);
    await hints[Symbol.asyncDispose]();
    await eventually(() => node.open === 0);
    expect(heard).toEqual([]);
    expect(node.connectedAt).toHaveLength(1);
  });
});
