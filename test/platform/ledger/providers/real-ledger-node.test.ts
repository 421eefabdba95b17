import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import {
  address,
  signature,
  type Address,
  type LedgerNode,
  type Signature,
} from '../../../../src/platform/ledger/index.js';
import { startLocalLedger, type LocalLedger } from '../../../../devnet/index.js';
import { base58 } from '../../../../src/platform/kernel/encoding/bytes.js';
import { openNodes } from './open-nodes.js';
import { anAddress, aSignature } from '../answers.js';

const { nodeAt } = openNodes();

describe('a node of a real ledger', () => {
  const SOL = 1_000_000_000;
  const FINALITY = 12_800;
  let local: LocalLedger;
  let node: LedgerNode;
  let now = Date.UTC(2026, 0, 1);
  const payer = Keypair.generate();
  const payerAddress = address(payer.publicKey.toBase58());

  beforeAll(async () => {
    local = await startLocalLedger({
      clock: { now: () => new Date(now) },
      finalizationDelayMs: FINALITY,
    });
    local.airdrop(payerAddress, 100 * SOL);
    local.skipSlots(1_000);
    now += FINALITY;
  });
  afterAll(() => local.close());

  interface Signed {
    readonly bytes: Uint8Array;
    readonly name: Signature;
    readonly to: Address;
    readonly slot: number;
    readonly lastValidBlockHeight: number;
  }

  async function signed({ lamports = SOL, by = payer } = {}): Promise<Signed> {
    node = nodeAt(local.rpcUrl);
    const { slot, blockhash, lastValidBlockHeight } = await node.latestBlockhash();
    const to = Keypair.generate().publicKey;
    const transaction = new Transaction({ feePayer: by.publicKey, blockhash, lastValidBlockHeight });
    transaction.add(SystemProgram.transfer({ fromPubkey: by.publicKey, toPubkey: to, lamports }));
    transaction.sign(by);
    const bytes = new Uint8Array(transaction.serialize());
    const name = signature(base58.encode(bytes.subarray(1, 65)));
    return { bytes, name, to: address(to.toBase58()), slot, lastValidBlockHeight };
  }

  it('simulates, accepts and lands a transaction, confirmed first and then finalized permanently', async () => {
    const { bytes, name, to, slot } = await signed();
    const asOf = { minContextSlot: slot };
    const simulation = await node.simulate(bytes, asOf);
    expect(simulation).toEqual({ slot, failure: null, unitsConsumed: 150, lamportsAfter: null });
    expect((await node.signatureStatuses([name])).statuses).toEqual([null]);
    await node.send(bytes, name, asOf);

    const unknown = aSignature(9);
    const landed = slot + 1;
    const statuses = async () => (await node.signatureStatuses([unknown, name])).statuses;
    const owners = async (commitment: 'confirmed' | 'finalized') =>
      (await node.accountOwners([to, payerAddress], { commitment })).owners;
    const system = SystemProgram.programId.toBase58();
    expect(await statuses()).toEqual([null, { slot: landed, commitment: 'confirmed', failure: null }]);
    expect(await node.balance(to)).toEqual({ slot: landed, lamports: SOL });
    expect(await owners('confirmed')).toEqual([system, system]);
    expect(await owners('finalized')).toEqual([null, system]);
    expect(await node.finalizedOutcome(name)).toBeNull();

    now += FINALITY;
    expect(await statuses()).toEqual([null, { slot: landed, commitment: 'finalized', failure: null }]);
    expect(await owners('finalized')).toEqual([system, system]);
    expect(await node.finalizedOutcome(name)).toEqual({
      ...{ slot: landed, failure: null, fee: 5_000 },
      isFeePaid: true,
      paidLamports: SOL + 5_000,
    });
  });

  it('returns no balance of an account that does not exist, and no outcome of an unknown transaction', async () => {
    node = nodeAt(local.rpcUrl);
    expect((await node.balance(anAddress(200))).lamports).toBe(0);
    expect(await node.finalizedOutcome(aSignature(200))).toBeNull();
    expect(await node.accountOwners([], { commitment: 'finalized' })).toMatchObject({ owners: [] });
    expect(await node.signatureStatuses([])).toMatchObject({ statuses: [] });
  });

  it('distinguishes heights from slots, and reports when a blockhash has expired', async () => {
    const { bytes, name, lastValidBlockHeight } = await signed();
    const { slot, blockHeight } = await node.finalizedHeight();
    expect(slot).toBeGreaterThanOrEqual(blockHeight + 1_000);
    expect(blockHeight).toBeLessThanOrEqual(lastValidBlockHeight);
    local.skipBlocks(151);
    expect((await node.finalizedHeight()).blockHeight).toBeGreaterThan(lastValidBlockHeight);
    await expect(node.send(bytes, name)).rejects.toMatchObject({
      kind: 'rpc',
      rpcCode: -32002,
      failure: 'BlockhashNotFound',
    });
    expect(await node.simulate(bytes)).toMatchObject({ failure: 'BlockhashNotFound', unitsConsumed: 0 });
  });

  it('refuses transactions that are known, fail or are unsigned, with the reason', async () => {
    const { bytes, name } = await signed();
    await node.send(bytes, name);
    await expect(node.send(bytes, name)).rejects.toMatchObject({
      kind: 'rpc',
      rpcCode: -32002,
      failure: 'AlreadyProcessed',
    });
    const greedy = await signed({ lamports: 1_000 * SOL });
    const failure = { InstructionError: [0, { Custom: 1 }] };
    expect(await node.simulate(greedy.bytes)).toMatchObject({ failure });
    await expect(node.send(greedy.bytes, greedy.name)).rejects.toMatchObject({ rpcCode: -32002, failure });
    const forged = Uint8Array.from(greedy.bytes).fill(1, 1, 65);
    await expect(node.send(forged, greedy.name)).rejects.toMatchObject({
      kind: 'rpc',
      rpcCode: -32003,
      failure: undefined,
    });
    await expect(node.send(Uint8Array.of(1, 2), greedy.name)).rejects.toMatchObject({ rpcCode: -32602 });
  });

  it('refuses every request with a minimum slot that it has not reached', async () => {
    const { bytes, name, slot } = await signed();
    const asOf = { minContextSlot: slot + 1 };
    const refusal = { kind: 'rpc', rpcCode: -32016 };
    await expect(node.latestBlockhash(asOf)).rejects.toMatchObject(refusal);
    await expect(node.simulate(bytes, asOf)).rejects.toMatchObject(refusal);
    await expect(node.send(bytes, name, asOf)).rejects.toMatchObject(refusal);
    await expect(
      node.accountOwners([payerAddress], { commitment: 'confirmed', ...asOf }),
    ).rejects.toMatchObject(refusal);
    expect((await node.signatureStatuses([name])).statuses).toEqual([null]);
  });

  it('returns recent fees for the accounts that a transaction writes', async () => {
    const { bytes, name } = await signed();
    await node.send(bytes, name);
    const fees = await node.recentPrioritizationFees([payerAddress]);
    expect(fees.at(-1)).toBe(0);
  });
});
