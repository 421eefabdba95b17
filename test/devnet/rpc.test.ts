import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  Connection,
  Keypair,
  SendTransactionError,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
  type PublicKey,
  type TransactionInstruction,
} from '@solana/web3.js';
import { fc } from '../kit/properties.js';
import { startLocalLedger, type LocalLedger } from '../../devnet/ledger.js';

const SOL = 1_000_000_000;
const READ = { maxSupportedTransactionVersion: 1 } as const;

let ledger: LocalLedger;
let connection: Connection;
let payer: Keypair;

beforeAll(async () => {
  ledger = await startLocalLedger();
  connection = new Connection(ledger.rpcUrl, { commitment: 'confirmed', wsEndpoint: ledger.wsUrl });
  payer = Keypair.generate();
  ledger.airdrop(payer.publicKey.toBase58(), 100 * SOL);
});

afterAll(async () => {
  await ledger.close();
});

async function call(body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }) {
  const response = await fetch(ledger.rpcUrl, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') || text.startsWith('[') ? parse(text) : text };
}

const parse = (text: string): unknown => JSON.parse(text);
const request = (method: string, params: unknown = []) => ({ jsonrpc: '2.0', id: 1, method, params });
const errorOf = async (method: string, params?: unknown) => (await call(request(method, params))).body;

function transfer(to: PublicKey, lamports: number): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports });
}

async function legacy(...instructions: TransactionInstruction[]): Promise<Buffer> {
  const lifetime = await connection.getLatestBlockhash();
  const transaction = new Transaction({ feePayer: payer.publicKey, ...lifetime }).add(...instructions);
  transaction.sign(payer);
  return transaction.serialize();
}

async function send(...instructions: TransactionInstruction[]): Promise<string> {
  return connection.sendRawTransaction(await legacy(...instructions));
}

describe('a client of the local ledger', () => {
  it('reads the version, slots, heights, epoch and genesis of the node', async () => {
    expect(await connection.getVersion()).toHaveProperty('solana-core');
    expect(await connection.getGenesisHash()).toBe(await connection.getGenesisHash());
    expect(await connection.getGenesisHash()).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    const slot = await connection.getSlot();
    expect(await connection.getBlockHeight()).toBeLessThanOrEqual(slot);
    expect((await connection.getEpochInfo()).absoluteSlot).toBeGreaterThanOrEqual(slot);
    expect(await connection.getMinimumLedgerSlot()).toBe(0);
    expect(await connection.getFirstAvailableBlock()).toBe(0);
    expect(await connection.getRecentPrioritizationFees()).toHaveLength(1);
    expect((await call(request('getHealth'))).body).toMatchObject({ result: 'ok' });
  });

  it('receives an airdrop, and sees it confirmed in the balance and in the history', async () => {
    const account = Keypair.generate().publicKey;
    const signature = await connection.requestAirdrop(account, SOL);
    const lifetime = await connection.getLatestBlockhash();
    expect((await connection.confirmTransaction({ signature, ...lifetime })).value.err).toBeNull();
    expect(await connection.getBalance(account)).toBe(SOL);
    expect(await connection.getSignaturesForAddress(account)).toMatchObject([{ signature, err: null }]);
  });

  it('pays the quoted fee, and finds both sides of a transfer in the transaction', async () => {
    const to = Keypair.generate().publicKey;
    const bytes = await legacy(
      ComputeBudgetProgram.setComputeUnitLimit({ units: 10_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 250_000 }),
      transfer(to, SOL),
    );
    const { value: fee } = await connection.getFeeForMessage(Transaction.from(bytes).compileMessage());
    const signature = await connection.sendRawTransaction(bytes);
    const landed = (await connection.getTransaction(signature, READ))!;
    expect(landed.meta!.fee).toBe(5000 + 2500);
    expect(fee).toBe(landed.meta!.fee);
    expect(landed.meta!.preBalances[0]! - landed.meta!.postBalances[0]!).toBe(SOL + 7500);
    expect(landed.meta!.postBalances[1]).toBe(SOL);
    expect(landed.transaction.signatures).toEqual([signature]);
    expect(await connection.getBlockTime(landed.slot)).toBe(landed.blockTime);
  });

  it('reads an account in full, in part, and together with accounts that do not exist', async () => {
    const table = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
    const slice = (options: object) =>
      call(request('getAccountInfo', [table, { encoding: 'base64', ...options }]));
    const whole = (await slice({})).body as { result: { value: { data: [string]; executable: boolean } } };
    const part = (await slice({ dataSlice: { offset: 4, length: 8 } })).body as typeof whole;
    expect(whole.result.value.executable).toBe(true);
    expect(part.result.value.data[0]).toBe(
      Buffer.from(whole.result.value.data[0], 'base64').subarray(4, 12).toString('base64'),
    );
    const accounts = await connection.getMultipleAccountsInfo([
      payer.publicKey,
      Keypair.generate().publicKey,
    ]);
    expect(accounts[0]!.owner.equals(SystemProgram.programId)).toBe(true);
    expect(accounts[1]).toBeNull();
    expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280);
  });

  it('simulates without effect, with and without a signature', async () => {
    const to = Keypair.generate().publicKey;
    const { blockhash } = await connection.getLatestBlockhash();
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: blockhash,
      instructions: [transfer(to, SOL)],
    }).compileToV0Message();
    const transaction = new VersionedTransaction(message);
    const unsigned = await connection.simulateTransaction(transaction, {
      sigVerify: false,
      replaceRecentBlockhash: true,
      accounts: { encoding: 'base64', addresses: [to.toBase58()] },
    });
    expect(unsigned.value.err).toBeNull();
    expect(unsigned.value.unitsConsumed).toBe(150);
    expect(unsigned.value.accounts![0]!.lamports).toBe(SOL);
    await expect(connection.simulateTransaction(transaction, { sigVerify: true })).rejects.toThrow(
      'signature verification failure',
    );
    expect(await connection.getBalance(to)).toBe(0);
  });

  it('gets a failing transaction refused at preflight, with the logs and the error in RPC form', async () => {
    const refusal = await send(transfer(Keypair.generate().publicKey, 1_000 * SOL)).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(SendTransactionError);
    const { transactionError } = refusal as SendTransactionError;
    expect(transactionError.message).toBe(
      'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
    );
    expect(transactionError.logs!.join()).toContain('insufficient lamports');
  });

  it('pays for a failing transaction that skips preflight, and finds its error in every response', async () => {
    const bytes = await legacy(transfer(Keypair.generate().publicKey, 1_000 * SOL));
    const signature = await connection.sendRawTransaction(bytes, { skipPreflight: true });
    const err = { InstructionError: [0, { Custom: 1 }] };
    const landed = await connection.getTransaction(signature, READ);
    expect(landed!.meta).toMatchObject({ err, fee: 5000 });
    expect((await connection.getSignatureStatuses([signature])).value[0]).toMatchObject({ err });
    expect((await connection.getSignaturesForAddress(payer.publicKey, { limit: 1 }))[0]).toMatchObject({
      err,
    });
  });

  it('cannot land the same transaction twice', async () => {
    const bytes = await legacy(transfer(payer.publicKey, 1));
    const signature = await connection.sendRawTransaction(bytes);
    const before = await connection.getBalance(payer.publicKey);
    await expect(connection.sendRawTransaction(bytes)).rejects.toThrow('already been processed');
    expect(await connection.sendRawTransaction(bytes, { skipPreflight: true })).toBe(signature);
    expect(await connection.getBalance(payer.publicKey)).toBe(before);
  });

  it('can use a blockhash for 150 blocks and no longer', async () => {
    const lifetime = await connection.getLatestBlockhash();
    const build = (lamports: number) => {
      const transaction = new Transaction({ feePayer: payer.publicKey, ...lifetime });
      transaction.add(transfer(payer.publicKey, lamports)).sign(payer);
      return transaction.serialize();
    };
    expect((await connection.isBlockhashValid(lifetime.blockhash)).value).toBe(true);
    await connection.sendRawTransaction(build(2));
    ledger.skipBlocks(151);
    expect((await connection.isBlockhashValid(lifetime.blockhash)).value).toBe(false);
    expect(await connection.getBlockHeight()).toBeGreaterThan(lifetime.lastValidBlockHeight);
    await expect(connection.sendRawTransaction(build(3))).rejects.toThrow('Blockhash not found');
    const dropped = await connection.sendRawTransaction(build(3), { skipPreflight: true });
    expect(await connection.getTransaction(dropped, READ)).toBeNull();
  });

  it('cannot send a transaction larger than a packet', async () => {
    const instruction = transfer(payer.publicKey, 1);
    instruction.data = Buffer.concat([instruction.data, Buffer.alloc(1200)]);
    const { blockhash } = await connection.getLatestBlockhash();
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: blockhash,
      instructions: [instruction],
    }).compileToLegacyMessage();
    const wire = Buffer.concat([Buffer.from([1]), Buffer.alloc(64), message.serialize()]);
    expect(wire.length).toBeGreaterThan(1232);
    const answer = await errorOf('sendTransaction', [wire.toString('base64'), { encoding: 'base64' }]);
    expect(answer).toMatchObject({ error: { code: -32602, message: expect.stringContaining('too large') } });
  });

  it('cannot send a transaction with an invalid signature', async () => {
    const bytes = await legacy(transfer(payer.publicKey, 4));
    bytes[10]! ^= 1;
    await expect(connection.sendRawTransaction(bytes)).rejects.toThrow('signature verification failure');
  });

  it('can load addresses from a lookup table, and finds the transaction under them', async () => {
    const to = Keypair.generate().publicKey;
    const [create, table] = AddressLookupTableProgram.createLookupTable({
      authority: payer.publicKey,
      payer: payer.publicKey,
      recentSlot: await connection.getSlot(),
    });
    await send(create);
    await send(
      AddressLookupTableProgram.extendLookupTable({
        lookupTable: table,
        authority: payer.publicKey,
        payer: payer.publicKey,
        addresses: [to],
      }),
    );
    const { value: lookup } = await connection.getAddressLookupTable(table);
    const { blockhash } = await connection.getLatestBlockhash();
    const transaction = new VersionedTransaction(
      new TransactionMessage({
        payerKey: payer.publicKey,
        recentBlockhash: blockhash,
        instructions: [transfer(to, SOL)],
      }).compileToV0Message([lookup!]),
    );
    transaction.sign([payer]);
    const signature = await connection.sendTransaction(transaction);
    const landed = (await connection.getTransaction(signature, READ))!;
    expect(landed.version).toBe(0);
    expect(landed.meta!.loadedAddresses!.writable.map(String)).toEqual([to.toBase58()]);
    expect(await connection.getSignaturesForAddress(to)).toMatchObject([{ signature }]);
    const parsed = (await connection.getParsedTransaction(signature, READ))!;
    expect(parsed.transaction.message.accountKeys.at(-1)).toMatchObject({
      writable: true,
      signer: false,
      source: 'lookupTable',
    });
    const unaware = await errorOf('getTransaction', [signature, { encoding: 'base64' }]);
    expect(unaware).toMatchObject({ error: { code: -32015 } });
  });
});

describe('a hostile client', () => {
  it('gets a result or an error for a transaction with changed bytes, and the ledger stays up', async () => {
    const bytes = await legacy(transfer(Keypair.generate().publicKey, SOL), transfer(payer.publicKey, 5));
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.oneof(fc.nat(8), fc.nat(255)));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const changed = Buffer.from(bytes);
        for (const [at, value] of changes) changed[at] = value;
        const wire = changed.toString('base64');
        const sent = await errorOf('sendTransaction', [wire, { encoding: 'base64', skipPreflight: true }]);
        const simulated = await errorOf('simulateTransaction', [wire, { encoding: 'base64' }]);
        for (const answer of [sent, simulated] as { result?: unknown; error?: { code: number } }[]) {
          expect(answer.result !== undefined || [-32602, -32003].includes(answer.error!.code)).toBe(true);
        }
      }),
    );
    expect((await call(request('getHealth'))).body).toMatchObject({ result: 'ok' });
  });
});

describe('the pages of an address', () => {
  it('are newest first, between `before` and `until`, and end', async () => {
    const to = Keypair.generate().publicKey;
    const sent: string[] = [];
    for (let count = 1; count <= 7; count += 1) sent.push(await send(transfer(to, SOL + count)));
    const newest = [...sent].reverse();
    const page = async (options: object) =>
      (await connection.getSignaturesForAddress(to, options)).map(({ signature }) => signature);
    expect(await page({})).toEqual(newest);
    expect(await page({ limit: 3 })).toEqual(newest.slice(0, 3));
    expect(await page({ limit: 3, before: newest[2] })).toEqual(newest.slice(3, 6));
    expect(await page({ before: newest[6] })).toEqual([]);
    expect(await page({ until: newest[4] })).toEqual(newest.slice(0, 4));
    expect(await page({ before: newest[1], until: newest[4] })).toEqual(newest.slice(2, 4));
  });

  it('are unbounded if `until` is unknown and empty if `before` is unknown, as on a real node', async () => {
    const to = Keypair.generate().publicKey;
    const signature = await send(transfer(to, SOL));
    const unknown = '1'.repeat(64);
    expect(await connection.getSignaturesForAddress(to, { until: unknown })).toMatchObject([{ signature }]);
    expect(await connection.getSignaturesForAddress(to, { before: unknown })).toEqual([]);
  });

  it('list transactions of one slot in order', async () => {
    const to = Keypair.generate().publicKey;
    const sent = await ledger.inOneSlot(async () => [
      await send(transfer(to, SOL)),
      await send(transfer(to, SOL + 1)),
    ]);
    const page = await connection.getSignaturesForAddress(to);
    expect(page.map(({ signature }) => signature)).toEqual([...sent].reverse());
    expect(page[0]!.slot).toBe(page[1]!.slot);
    const later = await send(transfer(to, SOL + 2));
    expect((await connection.getSignaturesForAddress(to, { limit: 1 }))[0]).toMatchObject({
      signature: later,
    });
    expect((await connection.getTransaction(later, READ))!.slot).toBeGreaterThan(page[0]!.slot);
  });

  it.each([[0], [1001], [-1], ['10']])('refuse a limit of %p', async (limit) => {
    const answer = await errorOf('getSignaturesForAddress', [payer.publicKey.toBase58(), { limit }]);
    expect(answer).toMatchObject({ error: { code: -32602 } });
  });
});

describe('JSON-RPC', () => {
  it('answers malformed JSON, an empty batch and a missing method with the error codes of the specification', async () => {
    expect((await call('{')).body).toMatchObject({ error: { code: -32700 }, id: null });
    expect((await call([])).body).toMatchObject({ error: { code: -32600 } });
    expect((await call({ id: 1, method: 'getSlot' })).body).toMatchObject({ error: { code: -32600 } });
    expect(await errorOf('getUnicorn')).toMatchObject({ error: { code: -32601 }, id: 1 });
    expect(await errorOf('slotSubscribe')).toMatchObject({ error: { code: -32601 } });
  });

  it.each([
    ['getBalance', ['not base58 0OIl']],
    ['getBalance', []],
    ['getBalance', { address: 'x' }],
    ['getAccountInfo', ['11111111111111111111111111111111', { encoding: 'utf8' }]],
    ['getAccountInfo', ['11111111111111111111111111111111', 7]],
    ['getMultipleAccounts', [['11111111111111111111111111111111', 5]]],
    ['getSlot', [{ commitment: 'hoped' }]],
    ['getTransaction', ['11111111111111111111111111111111']],
    ['getMinimumBalanceForRentExemption', [-1]],
    ['getMinimumBalanceForRentExemption', [2 ** 40]],
    ['sendTransaction', ['AAAA', { encoding: 'base64' }]],
    ['sendTransaction', ['!!', { encoding: 'base64' }]],
    ['sendTransaction', ['0OIl']],
    ['simulateTransaction', ['AAAA', { encoding: 'base64', sigVerify: 1 }]],
    ['requestAirdrop', ['11111111111111111111111111111111', 1.5]],
  ])('refuses %s with parameters %j by -32602', async (method, parameters) => {
    expect(await errorOf(method, parameters)).toMatchObject({ error: { code: -32602 }, id: 1 });
  });

  it('answers a batch in order, and does not answer notifications', async () => {
    const batch = [
      { ...request('getHealth'), id: 'a' },
      { jsonrpc: '2.0', method: 'getHealth' },
      { ...request('nothing'), id: 'b' },
    ];
    expect((await call(batch)).body).toMatchObject([
      { id: 'a', result: 'ok' },
      { id: 'b', error: {} },
    ]);
    expect(await call({ jsonrpc: '2.0', method: 'getHealth' })).toEqual({ status: 200, body: '' });
  });

  it('accepts only POST requests with JSON, up to a size limit', async () => {
    expect((await fetch(`${ledger.rpcUrl}/health`)).status).toBe(200);
    expect((await fetch(ledger.rpcUrl)).status).toBe(405);
    expect((await call(request('getSlot'), { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await call({ ...request('getSlot'), padding: 'x'.repeat(60_000) })).status).toBe(413);
  });
});
