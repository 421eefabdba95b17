import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import { base58 } from '../../../../src/platform/kernel/encoding/bytes.js';
import {
  address,
  signature,
  type Address,
  type LedgerNode,
  type Signature,
} from '../../../../src/platform/ledger/index.js';
import { startLocalLedger, type LocalLedger } from '../../../../devnet/index.js';
import { eventually } from '../../../kit/eventually.js';
import {
  EVERY_FAULT,
  faultyNodes,
  seededPlan,
  type FaultPlan,
  type FaultyNodes,
  type NodeFault,
} from '../../../kit/ledger/faulty-nodes.js';
import { fc } from '../../../kit/properties.js';

const SOL = 1_000_000_000;

let local: LocalLedger;
let nodes: FaultyNodes;
let first: LedgerNode;
let second: LedgerNode;
const payer = Keypair.generate();

beforeEach(async () => {
  const now = new Date(Date.UTC(2026, 0, 1));
  local = await startLocalLedger({ clock: { now: () => now } });
  local.airdrop(payer.publicKey.toBase58(), 100 * SOL);
  local.skipBlocks(300);
  local.skipSlots(1_000);
  use();
});
afterEach(async () => {
  await nodes[Symbol.asyncDispose]();
  await local.close();
});

function use(plan?: FaultPlan): void {
  nodes = faultyNodes(local, 2, plan);
  [first, second] = nodes.nodes as [LedgerNode, LedgerNode];
}

interface Signed {
  readonly wire: Uint8Array;
  readonly name: Signature;
  readonly to: Address;
  readonly slot: number;
}

async function signed(): Promise<Signed> {
  const { slot, blockhash, lastValidBlockHeight } = await second.latestBlockhash();
  const to = Keypair.generate().publicKey;
  const transaction = new Transaction({ feePayer: payer.publicKey, blockhash, lastValidBlockHeight });
  transaction.add(SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: SOL }));
  transaction.sign(payer);
  const wire = new Uint8Array(transaction.serialize());
  return { wire, name: signature(base58.encode(wire.subarray(1, 65))), to: address(to.toBase58()), slot };
}

const landed = async (name: Signature) => (await second.signatureStatuses([name])).statuses[0] !== null;

describe('sending through a node', () => {
  it.each<readonly [string, NodeFault, object | undefined, number, boolean]>([
    ['reaches nothing if the node drops the call', { kind: 'drop' }, { kind: 'unreachable' }, 0, false],
    [
      'reaches nothing if the node answers 429',
      { kind: 'status', status: 429 },
      { kind: 'rate_limited' },
      0,
      false,
    ],
    [
      'reaches nothing if the node answers 500',
      { kind: 'status', status: 500 },
      { kind: 'unreachable' },
      0,
      false,
    ],
    ['lands if the answer is lost', { kind: 'answer_lost' }, { kind: 'timeout' }, 1, true],
    ['lands if the node answers nonsense', { kind: 'garbage' }, { kind: 'nonsense' }, 1, true],
    [
      'lands once if the node receives it twice, and returns the second answer',
      { kind: 'duplicate' },
      { kind: 'rpc', rpcCode: -32002, failure: 'AlreadyProcessed' },
      2,
      true,
    ],
    ['returns success if the node does not forward it', { kind: 'swallowed' }, undefined, 0, false],
  ])('%s', async (_, fault, error, arrivals, lands) => {
    const { wire, name } = await signed();
    nodes.fail({ node: 0, method: 'send' }, fault);
    const sending = first.send(wire, name);
    if (error === undefined) await sending;
    else await expect(sending).rejects.toMatchObject(error);
    expect(nodes.reached.map((arrival) => [arrival.signature, arrival.node])).toEqual(
      Array(arrivals).fill([name, 0]),
    );
    expect(nodes.reached.map(({ taken }) => taken)).toEqual([true, false].slice(0, arrivals));
    for (const arrival of nodes.reached) expect(arrival.wire).toEqual(wire);
    expect(await landed(name)).toBe(lands);
  });

  it('lands a delayed transaction on release, even without a waiting caller', async () => {
    const { wire, name } = await signed();
    const gate = Promise.withResolvers<undefined>();
    nodes.fail({ node: 0, method: 'send' }, { kind: 'answer_lost', until: () => gate.promise }, 1);
    await expect(first.send(wire, name)).rejects.toMatchObject({ kind: 'timeout' });
    expect(await landed(name)).toBe(false);
    gate.resolve(undefined);
    await eventually(() => landed(name));

    const other = await signed();
    const slow = Promise.withResolvers<undefined>();
    nodes.fail({ node: 0, method: 'send' }, { kind: 'delay', until: () => slow.promise }, 1);
    const sending = first.send(other.wire, other.name);
    expect(await landed(other.name)).toBe(false);
    expect(nodes.calls.findLast(({ method }) => method === 'send')?.outcome).toBe('pending');
    slow.resolve(undefined);
    await sending;
    expect(await landed(other.name)).toBe(true);
  });
});

describe('a lagging node', () => {
  const lagging: NodeFault = { kind: 'lagging', slots: 5 };

  it('does not return newer transactions, accounts or blockhashes, and has an older context', async () => {
    const old = await signed();
    local.skipBlocks(20);
    const { wire, name, to, slot } = await signed();
    await second.send(wire, name);
    nodes.fail({ node: 0 }, lagging);
    const view = slot + 1 - 5;
    const confirmed = { commitment: 'confirmed' } as const;
    expect(await first.signatureStatuses([name])).toEqual({ slot: view, statuses: [null] });
    expect(await first.finalizedOutcome(name)).toBeNull();
    expect(await first.accountOwners([to], confirmed)).toEqual({ slot: view, owners: [null] });
    expect((await second.accountOwners([to], confirmed)).owners).not.toEqual([null]);
    expect((await first.balance(to)).slot).toBe(view);
    expect((await first.finalizedHeight()).slot).toBe(view);
    expect((await first.latestBlockhash()).slot).toBe(view);
    expect((await first.simulate(wire)).failure).toBe('BlockhashNotFound');
    expect((await first.simulate(old.wire)).failure).toBeNull();
    const refusal = { rpcCode: -32002, failure: 'BlockhashNotFound' };
    await expect(first.send(wire, name)).rejects.toMatchObject(refusal);

    local.skipSlots(5);
    expect((await first.signatureStatuses([name])).statuses).toMatchObject([{ slot: slot + 1 }]);
    expect((await first.finalizedOutcome(name))?.slot).toBe(slot + 1);
    expect((await first.accountOwners([to], confirmed)).owners).not.toEqual([null]);
  });

  it('refuses requests with a minimum context slot that it has not reached', async () => {
    const { wire, name, to, slot } = await signed();
    nodes.fail({ node: 0 }, lagging);
    const asOf = { minContextSlot: slot };
    const refusal = { kind: 'rpc', rpcCode: -32016 };
    await expect(first.latestBlockhash(asOf)).rejects.toMatchObject(refusal);
    await expect(first.simulate(wire, asOf)).rejects.toMatchObject(refusal);
    await expect(first.send(wire, name, asOf)).rejects.toMatchObject(refusal);
    await expect(first.accountOwners([to], { commitment: 'finalized', ...asOf })).rejects.toMatchObject(
      refusal,
    );
    expect(nodes.reached).toEqual([]);
  });

  it('catches up with transactions that landed after its view', async () => {
    const { wire, name } = await signed();
    local.skipSlots(5);
    await second.send(wire, name);
    nodes.fail({ node: 0 }, lagging);
    await expect(first.send(wire, name)).resolves.toBeUndefined();
    local.skipSlots(5);
    await expect(first.send(wire, name)).rejects.toMatchObject({ failure: 'AlreadyProcessed' });
  });
});

describe('a lying node', () => {
  it('returns its slot as block height, far above other nodes', async () => {
    nodes.fail({ node: 0 }, { kind: 'slot_as_height' });
    const [lie, truth] = [await first.finalizedHeight(), await second.finalizedHeight()];
    expect(lie).toEqual({ slot: truth.slot, blockHeight: truth.slot });
    expect(lie.blockHeight - truth.blockHeight).toBeGreaterThan(150);
    const [late, right] = [await first.latestBlockhash(), await second.latestBlockhash()];
    expect(late.lastValidBlockHeight - right.lastValidBlockHeight).toBeGreaterThan(150);
  });

  it('repeats its first response to a request, which is invalid for a later minimum slot', async () => {
    const { wire, name } = await signed();
    const before = await first.signatureStatuses([name]);
    const blockhash = await first.latestBlockhash();
    await second.send(wire, name);
    local.skipBlocks(1);
    nodes.fail({ node: 0 }, { kind: 'stale' });
    expect(await first.signatureStatuses([name])).toEqual(before);
    expect(await first.latestBlockhash()).toEqual(blockhash);
    await expect(first.latestBlockhash({ minContextSlot: blockhash.slot + 1 })).rejects.toMatchObject({
      kind: 'nonsense',
    });
    nodes.heal();
    expect((await first.signatureStatuses([name])).statuses[0]).not.toBeNull();
  });
});

describe('injected faults', () => {
  it('affect the named calls, as often as configured, and nothing else', async () => {
    nodes.fail({ node: 1, method: 'finalizedHeight' }, { kind: 'drop' }, 2);
    const outcomes = async () => {
      await Promise.allSettled([first.finalizedHeight(), second.finalizedHeight()]);
      await second.latestBlockhash();
    };
    for (let round = 0; round < 3; round += 1) await outcomes();
    const callsTo = (position: number) =>
      nodes.calls
        .filter(({ node, method }) => node === position && method === 'finalizedHeight')
        .map(({ ordinal, fault, outcome }) => [ordinal, fault, outcome]);
    expect(callsTo(0)).toEqual([0, 1, 2].map((ordinal) => [ordinal, undefined, 'ok']));
    expect(callsTo(1)).toEqual([
      [0, 'drop', 'unreachable'],
      [1, 'drop', 'unreachable'],
      [2, undefined, 'ok'],
    ]);
    expect(nodes.calls).toHaveLength(9);
  });

  it('drawn from a seed are the same in every run, at the configured rate', () => {
    const odds = [
      [0.25, { kind: 'drop' }],
      [0.25, { kind: 'garbage' }],
    ] as const;
    const draw = (seed: number) =>
      Array.from({ length: 400 }, (_, ordinal) => {
        const plan = seededPlan(seed, odds);
        return plan({ node: ordinal % 3, method: 'send', ordinal })?.kind;
      });
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const drawn = draw(seed);
        expect(draw(seed)).toEqual(drawn);
        expect(new Set(drawn)).toEqual(new Set(['drop', 'garbage', undefined]));
      }),
      { numRuns: 20 },
    );
    expect(draw(1)).not.toEqual(draw(2));
    const dropped = draw(7).filter((kind) => kind === 'drop').length;
    expect(dropped).toBeGreaterThan(60);
    expect(dropped).toBeLessThan(140);
  });

  it.each(EVERY_FAULT)('do not affect the other node if one node %s', async (_, fault) => {
    await nodes[Symbol.asyncDispose]();
    use(({ node }) => (node === 0 ? fault : undefined));
    const { wire, name } = await signed();
    await Promise.allSettled([
      first.finalizedHeight(),
      first.latestBlockhash(),
      first.simulate(wire),
      first.send(wire, name),
      first.recentPrioritizationFees([]),
    ]);
    const already = await landed(name);
    if (!already) await second.send(wire, name);
    expect(await landed(name)).toBe(true);
    expect(nodes.reached.filter(({ taken }) => taken)).toHaveLength(1);
    expect(nodes.calls.filter(({ node, fault: kind }) => node === 1 && kind !== undefined)).toEqual([]);
  });
});
