import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Connection, Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { startLocalLedger, type LocalLedger } from '../../devnet/ledger.js';

const SOL = 1_000_000_000;

let ledger: LocalLedger;
let socket: WebSocket;
let received: Record<string, unknown>[];
let arrived: () => void;

beforeEach(async () => {
  ledger = await startLocalLedger({ blockMs: 10 });
  await openSocket();
});

afterEach(async () => {
  socket.close();
  await ledger.close();
});

async function openSocket(): Promise<void> {
  received = [];
  arrived = () => undefined;
  socket = new WebSocket(ledger.wsUrl);
  socket.on('message', (data: Buffer) => {
    received.push(JSON.parse(data.toString()) as Record<string, unknown>);
    arrived();
  });
  await once(socket, 'open');
}

/** The first past or future message with `member`. */
async function message(member: object): Promise<Record<string, unknown>> {
  for (;;) {
    const found = received.find((one) =>
      Object.entries(member).every(([name, value]) => one[name] === value),
    );
    if (found !== undefined) return found;
    await new Promise<void>((resolve) => {
      arrived = resolve;
    });
  }
}

let lastId = 0;
async function call(method: string, params: unknown = []): Promise<Record<string, unknown>> {
  lastId += 1;
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params }));
  return message({ id: lastId });
}

const address = () => Keypair.generate().publicKey.toBase58();

describe('a subscriber', () => {
  it('receives only transactions that mention the address whose logs it follows', async () => {
    const [mine, other] = [address(), address()];
    const { result: subscription } = await call('logsSubscribe', [
      { mentions: [mine] },
      { commitment: 'finalized' },
    ]);
    ledger.airdrop(other, SOL);
    const signature = ledger.airdrop(mine, SOL);
    const notification = await message({ method: 'logsNotification' });
    expect(notification['params']).toMatchObject({
      subscription,
      result: { context: { slot: expect.any(Number) }, value: { signature, err: null } },
    });
    expect(received.filter(({ method }) => method === 'logsNotification')).toHaveLength(1);
  });

  it('receives everything until it unsubscribes, if it follows all logs', async () => {
    const { result: subscription } = await call('logsSubscribe', ['all']);
    const first = ledger.airdrop(address(), SOL);
    expect(await message({ method: 'logsNotification' })).toMatchObject({
      params: { result: { value: { signature: first } } },
    });
    expect(await call('logsUnsubscribe', [subscription])).toMatchObject({ result: true });
    ledger.airdrop(address(), SOL);
    await call('ping');
    expect(received.filter(({ method }) => method === 'logsNotification')).toHaveLength(1);
    expect(await call('logsUnsubscribe', [subscription])).toMatchObject({ error: { code: -32602 } });
  });

  it('is notified once about a signature, even if its transaction landed before', async () => {
    const signature = ledger.airdrop(address(), SOL);
    const { result: subscription } = await call('signatureSubscribe', [signature]);
    const notification = await message({ method: 'signatureNotification' });
    expect(notification['params']).toMatchObject({ subscription, result: { value: { err: null } } });
  });

  it('receives the new state of the account that it follows', async () => {
    const mine = address();
    await call('accountSubscribe', [mine, { encoding: 'base64' }]);
    ledger.airdrop(mine, SOL);
    expect(await message({ method: 'accountNotification' })).toMatchObject({
      params: { result: { value: { lamports: SOL, data: ['', 'base64'] } } },
    });
  });

  it('receives every slot if it follows slots', async () => {
    await call('slotSubscribe');
    const notification = await message({ method: 'slotNotification' });
    const { slot, parent } = (notification['params'] as { result: { slot: number; parent: number } }).result;
    expect(slot).toBeGreaterThan(parent);
  });

  it('may call every other method on the same connection, and gets an error for unknown methods', async () => {
    expect(await call('getHealth')).toMatchObject({ result: 'ok' });
    expect(await call('blockSubscribe', ['all'])).toMatchObject({ error: { code: -32601 } });
    expect(await call('logsSubscribe', [{ mentions: [] }])).toMatchObject({ error: { code: -32602 } });
    socket.send('{');
    expect(await message({ id: null })).toMatchObject({ error: { code: -32700 } });
  });
});

describe('a ledger with a finalization delay', () => {
  it('shows a transaction as confirmed first, and to readers at finalized only later', async () => {
    let now = 1_800_000_000_000;
    await ledger.close();
    ledger = await startLocalLedger({ finalizationDelayMs: 5_000, clock: { now: () => new Date(now) } });
    const connection = new Connection(ledger.rpcUrl, { wsEndpoint: ledger.wsUrl });
    const mine = Keypair.generate().publicKey;
    const signature = ledger.airdrop(mine.toBase58(), SOL);
    const read = (commitment: 'confirmed' | 'finalized') =>
      connection.getTransaction(signature, { commitment, maxSupportedTransactionVersion: 1 });
    const landed = await read('confirmed');
    expect(await read('finalized')).toBeNull();
    expect(await connection.getSignaturesForAddress(mine, {}, 'finalized')).toEqual([]);
    expect(await connection.getSignaturesForAddress(mine, {}, 'confirmed')).toMatchObject([
      { confirmationStatus: 'confirmed' },
    ]);
    expect(await connection.getSlot('finalized')).toBeLessThan(landed!.slot);
    now += 5_000;
    expect((await read('finalized'))!.slot).toBe(landed!.slot);
    expect(await connection.getSlot('finalized')).toBeGreaterThanOrEqual(landed!.slot);
    expect((await connection.getSignatureStatuses([signature])).value[0]!.confirmationStatus).toBe(
      'finalized',
    );
  });
});

describe('web3.js', () => {
  it('sends and confirms transactions over the WebSocket of the same port', async () => {
    const connection = new Connection(ledger.rpcUrl, { commitment: 'finalized', wsEndpoint: ledger.wsUrl });
    const payer = Keypair.generate();
    ledger.airdrop(payer.publicKey.toBase58(), SOL);
    const lifetime = await connection.getLatestBlockhash();
    const transaction = new Transaction({ feePayer: payer.publicKey, ...lifetime }).add(
      SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: payer.publicKey, lamports: 1 }),
    );
    transaction.sign(payer);
    const signature = await connection.sendRawTransaction(transaction.serialize());
    const { value } = await connection.confirmTransaction({ signature, ...lifetime });
    expect(value.err).toBeNull();
  });
});
