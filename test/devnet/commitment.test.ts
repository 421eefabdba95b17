import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ComputeBudgetProgram,
  Connection,
  Keypair,
  SystemProgram,
  Transaction,
  type Commitment,
  type PublicKey,
} from '@solana/web3.js';
import { startLocalLedger, type LocalLedger } from '../../devnet/index.js';

const SOL = 1_000_000_000;
const BLOCK = 400;
const FINALITY = 12_800;

let now: number;
let ledger: LocalLedger;
let connection: Connection;
const payer = Keypair.generate();

beforeEach(async () => {
  now = Date.UTC(2026, 0, 1);
  ledger = await startLocalLedger({
    clock: { now: () => new Date(now) },
    blockMs: BLOCK,
    finalizationDelayMs: FINALITY,
  });
  connection = new Connection(ledger.rpcUrl, 'confirmed');
  ledger.airdrop(payer.publicKey.toBase58(), 100 * SOL);
  now += 2 * FINALITY;
});
afterEach(() => ledger.close());

async function signed(to: PublicKey, price = 0): Promise<Transaction> {
  const lifetime = await connection.getLatestBlockhash();
  const transaction = new Transaction({ feePayer: payer.publicKey, ...lifetime }).add(
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
    SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: SOL }),
  );
  transaction.sign(payer);
  return transaction;
}

async function land(to: PublicKey, price?: number): Promise<string> {
  return connection.sendRawTransaction((await signed(to, price)).serialize());
}

const finalized = (signature: string) =>
  connection.getTransaction(signature, { commitment: 'finalized', maxSupportedTransactionVersion: 1 });

async function rpc(method: string, ...params: unknown[]): Promise<{ result?: unknown; error?: unknown }> {
  const response = await fetch(ledger.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await response.json()) as object;
}

describe('a transaction that is confirmed but not finalized', () => {
  it('is visible in accounts and balances at confirmed, and at finalized only after finalization', async () => {
    const to = Keypair.generate().publicKey;
    await land(to);
    const seen = async (commitment: Commitment) => [
      await connection.getBalance(to, commitment),
      (await connection.getAccountInfo(to, commitment)) !== null,
      (await connection.getMultipleAccountsInfo([to], commitment))[0] !== null,
    ];
    expect(await seen('confirmed')).toEqual([SOL, true, true]);
    expect(await seen('finalized')).toEqual([0, false, false]);
    now += FINALITY / 2;
    await land(to);
    now += FINALITY / 2;
    expect(await connection.getBalance(to, 'confirmed')).toBe(2 * SOL);
    expect(await seen('finalized')).toEqual([SOL, true, true]);
  });

  it('holds back the finalized height, so that a height past its blockhash proves that it expired', async () => {
    const { lastValidBlockHeight } = await connection.getLatestBlockhash();
    const transaction = await signed(payer.publicKey);
    ledger.skipBlocks(150);
    const signature = await connection.sendRawTransaction(transaction.serialize());
    const heightOf = async (commitment: Commitment) =>
      (await connection.getEpochInfo(commitment)).blockHeight!;
    now += 5 * BLOCK;
    expect(await heightOf('confirmed')).toBeGreaterThan(lastValidBlockHeight);
    expect(await heightOf('finalized')).toBeLessThanOrEqual(lastValidBlockHeight);
    expect(await finalized(signature)).toBeNull();
    now += FINALITY;
    expect(await heightOf('finalized')).toBeGreaterThan(lastValidBlockHeight);
    expect(await finalized(signature)).not.toBeNull();
  });

  it('never moves the slot or height of a commitment backward', async () => {
    const read = async () => {
      const { absoluteSlot, blockHeight } = await connection.getEpochInfo('finalized');
      return [absoluteSlot, blockHeight!] as const;
    };
    let before = await read();
    for (let step = 0; step < 12; step += 1) {
      if (step % 3 === 0) await land(payer.publicKey, step);
      now += FINALITY / 4;
      const after = await read();
      expect(after[0]).toBeGreaterThanOrEqual(before[0]);
      expect(after[1]).toBeGreaterThanOrEqual(before[1]);
      expect(after[1]).toBeLessThanOrEqual(after[0]);
      before = after;
    }
  });
});

describe('a request with a minimum context slot', () => {
  it.each([
    ['getSlot', []],
    ['getBlockHeight', []],
    ['getEpochInfo', []],
    ['getLatestBlockhash', []],
    ['getBalance', [payer.publicKey.toBase58()]],
    ['getAccountInfo', [payer.publicKey.toBase58()]],
    ['getMultipleAccounts', [[payer.publicKey.toBase58()]]],
    ['getSignaturesForAddress', [payer.publicKey.toBase58()]],
  ])(
    'is refused by %s if its commitment has not reached the slot, and answered otherwise',
    async (method, params) => {
      await land(Keypair.generate().publicKey);
      const slot = await connection.getSlot('confirmed');
      const ask = (commitment: Commitment, minContextSlot: number) =>
        rpc(method, ...params, { commitment, minContextSlot });
      expect(await ask('confirmed', slot)).not.toHaveProperty('error');
      expect(await ask('confirmed', slot + 1)).toMatchObject({
        error: { code: -32016, data: { contextSlot: slot } },
      });
      expect(await ask('finalized', slot)).toMatchObject({
        error: { code: -32016, data: { contextSlot: slot - 1 } },
      });
    },
  );

  it('is refused by simulation and preflight at their own commitment', async () => {
    const { value } = await connection.getLatestBlockhashAndContext();
    const wire = (await signed(payer.publicKey)).serialize().toString('base64');
    await land(Keypair.generate().publicKey, 7);
    const minContextSlot = await connection.getSlot('confirmed');
    const ask = (method: string, options: object) =>
      rpc(method, wire, { encoding: 'base64', minContextSlot, ...options });
    const refusal = { error: { code: -32016 } };
    expect(value.blockhash).toBe(Transaction.from(Buffer.from(wire, 'base64')).recentBlockhash);
    expect(await ask('simulateTransaction', { commitment: 'finalized' })).toMatchObject(refusal);
    expect(await ask('simulateTransaction', { commitment: 'confirmed' })).toHaveProperty('result');
    expect(await ask('sendTransaction', {})).toMatchObject(refusal);
    expect(await ask('sendTransaction', { preflightCommitment: 'finalized' })).toMatchObject(refusal);
    expect(await ask('sendTransaction', { preflightCommitment: 'hoped' })).toMatchObject({
      error: { code: -32602 },
    });
    expect(await ask('sendTransaction', { preflightCommitment: 'confirmed' })).toHaveProperty('result');
  });
});

describe('a transaction that landed', () => {
  it('is reported as already processed when simulated or sent again, and as unknown after its blockhash expires', async () => {
    const wire = (await signed(payer.publicKey)).serialize();
    const text = wire.toString('base64');
    await connection.sendRawTransaction(wire);
    const again = async () => [
      await rpc('simulateTransaction', text, { encoding: 'base64' }),
      await rpc('sendTransaction', text, { encoding: 'base64', preflightCommitment: 'confirmed' }),
    ];
    const fails = (err: string) => [
      { result: { value: { err } } },
      { error: { code: -32002, data: { err } } },
    ];
    expect(await again()).toMatchObject(fails('AlreadyProcessed'));
    ledger.skipBlocks(151);
    expect(await again()).toMatchObject(fails('BlockhashNotFound'));
  });

  it('long ago has a status only for callers that search the transaction history', async () => {
    const signature = await land(payer.publicKey);
    const status = async (searchTransactionHistory: boolean) =>
      (await connection.getSignatureStatuses([signature], { searchTransactionHistory })).value[0];
    expect(await status(false)).toMatchObject({ confirmationStatus: 'confirmed', err: null });
    ledger.skipBlocks(301);
    expect(await status(false)).toBeNull();
    expect(await status(true)).toMatchObject({ err: null });
  });
});

describe('slots without a block', () => {
  it('advance slots but not block heights, and do not age blockhashes', async () => {
    const before = await connection.getEpochInfo('finalized');
    const { blockhash } = await connection.getLatestBlockhash();
    ledger.skipSlots(1_000);
    const after = await connection.getEpochInfo('finalized');
    expect(after.absoluteSlot).toBe(before.absoluteSlot + 1_000);
    expect(after.blockHeight).toBe(before.blockHeight);
    expect((await connection.isBlockhashValid(blockhash)).value).toBe(true);
    await expect(land(payer.publicKey)).resolves.toEqual(expect.any(String));
  });
});

describe('recent prioritization fees', () => {
  it('are the lowest fee that landed in each slot and wrote to every requested account', async () => {
    const [first, second] = [Keypair.generate().publicKey, Keypair.generate().publicKey];
    await ledger.inOneSlot(async () => {
      await land(first, 5_000);
      await land(second, 200);
    });
    await land(second, 7_000);
    const fees = async (...lockedWritableAccounts: PublicKey[]) =>
      (await connection.getRecentPrioritizationFees({ lockedWritableAccounts }))
        .slice(-2)
        .map(({ prioritizationFee }) => prioritizationFee);
    expect(await fees()).toEqual([200, 7_000]);
    expect(await fees(first)).toEqual([5_000, 7_000]);
    expect(await fees(second)).toEqual([200, 7_000]);
    expect(await rpc('getRecentPrioritizationFees', Array(129).fill(first.toBase58()))).toMatchObject({
      error: { code: -32602 },
    });
    ledger.skipBlocks(150);
    expect(await fees()).toEqual([0]);
  });
});
