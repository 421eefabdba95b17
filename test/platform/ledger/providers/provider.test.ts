import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { silentLog, type Log } from '../../../../src/platform/kernel/log.js';
import {
  createLedger,
  type LedgerCall,
  type LedgerOptions,
  type LedgerReader,
} from '../../../../src/platform/ledger/index.js';
import { startFaultLedger, type Fault, type FaultLedger } from '../../../kit/ledger/fault-ledger.js';
import { anAddress, aSignature, historyRow, transactionAnswer } from '../answers.js';

const mint = anAddress(7);
const name = aSignature(1);

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

async function aNode(): Promise<FaultLedger> {
  const node = await startFaultLedger({
    answers: {
      getSlot: () => 42,
      getSignaturesForAddress: () => [historyRow(2, 9), historyRow(1, 8)],
      getTransaction: () => transactionAnswer(aSignature(1)),
      getAccountInfo: () => ({ context: { slot: 42 }, value: null }),
    },
  });
  open.push(node);
  return node;
}

function aLedger(nodes: readonly FaultLedger[], options: Partial<LedgerOptions> = {}): LedgerReader {
  const ledger = createLedger({
    rpcUrls: nodes.map((node) => node.rpcUrl),
    timeoutMs: 2_000,
    log: silentLog,
    random: () => 0,
    ...options,
  });
  open.push(ledger);
  return ledger;
}

const everyFault: readonly (readonly [string, Fault, string])[] = [
  ['cuts the connection', { kind: 'drop' }, 'unreachable'],
  ['answers 500', { kind: 'status', status: 500 }, 'unreachable'],
  ['redirects elsewhere', { kind: 'status', status: 302, headers: { location: '/' } }, 'unreachable'],
  ['answers 429', { kind: 'status', status: 429 }, 'rate_limited'],
  ['hides a 429 in a JSON-RPC error', { kind: 'error', code: 429, message: 'slow down' }, 'rate_limited'],
  ['answers a page of HTML', { kind: 'body', body: '<html>Bad gateway</html>' }, 'nonsense'],
  ['answers nothing', { kind: 'body', body: '' }, 'nonsense'],
  ['answers JSON that is not JSON-RPC', { kind: 'body', body: '{"slot":42}' }, 'nonsense'],
  ['answers half and cuts the connection', { kind: 'cut' }, 'unreachable'],
  ['answers with the wrong shape', { kind: 'result', result: { slot: 'many' } }, 'nonsense'],
  ['refuses', { kind: 'error', code: -32602, message: 'Invalid params' }, 'rpc'],
];

describe.each([
  ['getSlot', (ledger: LedgerReader) => ledger.finalizedSlot()],
  ['getSignaturesForAddress', (ledger: LedgerReader) => ledger.signaturesFor(mint)],
  ['getTransaction', (ledger: LedgerReader) => ledger.transaction(name)],
  ['getAccountInfo', (ledger: LedgerReader) => ledger.mintAccount(mint)],
] as const)('%s', (method, ask) => {
  it.each(everyFault)('fails with its kind if a node %s', async (_, fault, kind) => {
    const node = await aNode();
    node.fail(method, fault);
    await expect(ask(aLedger([node], { rounds: 1 }))).rejects.toMatchObject({ name: 'LedgerError', kind });
  });

  it.each(everyFault)('is sent to the next node if one %s', async (_, fault) => {
    const [first, second] = [await aNode(), await aNode()];
    first.fail(method, fault);
    await expect(ask(aLedger([first, second], { rounds: 1 }))).resolves.toBeDefined();
    expect([first.countOf(method), second.countOf(method)]).toEqual([1, 1]);
  });

  it('ends at its timeout if a node never answers', async () => {
    const node = await aNode();
    node.fail(method, { kind: 'hang' });
    const ledger = aLedger([node], { rounds: 1, timeoutMs: 100 });
    await expect(ask(ledger)).rejects.toMatchObject({ kind: 'timeout' });
  });
});

describe('a failing call', () => {
  it('is retried, a limited number of times', async () => {
    const node = await aNode();
    node.fail('getSlot', { kind: 'status', status: 500 });
    await expect(aLedger([node], { rounds: 3 }).finalizedSlot()).rejects.toMatchObject({
      kind: 'unreachable',
    });
    expect(node.countOf('getSlot')).toBe(3);
  });

  it('succeeds when the node recovers between two attempts', async () => {
    const node = await aNode();
    node.fail('getSlot', { kind: 'drop' }, 2);
    await expect(aLedger([node], { rounds: 3 }).finalizedSlot()).resolves.toBe(42);
  });

  it('is not retried when every node refuses the request itself', async () => {
    const node = await aNode();
    node.fail('getSlot', { kind: 'error', code: -32602, message: 'Invalid params' });
    await expect(aLedger([node], { rounds: 3 }).finalizedSlot()).rejects.toMatchObject({ rpcCode: -32602 });
    expect(node.countOf('getSlot')).toBe(1);
  });

  it('is retried when a node only lags', async () => {
    const node = await aNode();
    node.fail('getSlot', { kind: 'error', code: -32005, message: 'Node is behind' }, 1);
    await expect(aLedger([node]).finalizedSlot()).resolves.toBe(42);
  });

  it('makes its node rest, so that the next call begins with another one', async () => {
    const [first, second] = [await aNode(), await aNode()];
    first.fail('getSlot', { kind: 'drop' }, 1);
    const ledger = aLedger([first, second]);
    await ledger.finalizedSlot();
    await ledger.finalizedSlot();
    expect([first.countOf('getSlot'), second.countOf('getSlot')]).toEqual([1, 2]);
  });

  it('goes to a resting node again after its rest', async () => {
    const [first, second] = [await aNode(), await aNode()];
    first.fail('getSlot', { kind: 'drop' }, 1);
    let now = 0;
    const ledger = aLedger([first, second], { clock: { now: () => new Date(now) } });
    await ledger.finalizedSlot();
    now += 60_000;
    await ledger.finalizedSlot();
    expect([first.countOf('getSlot'), second.countOf('getSlot')]).toEqual([2, 1]);
  });

  it('ends immediately when the ledger is closed', async () => {
    const node = await aNode();
    node.fail('getSlot', { kind: 'hang' });
    const ledger = aLedger([node], { timeoutMs: 60_000 });
    const asked = expect(ledger.finalizedSlot()).rejects.toMatchObject({ kind: 'unreachable' });
    await ledger.close();
    await asked;
  });

  it('never reveals the path or query of a provider, which contain its key', async () => {
    const logged: unknown[] = [];
    const note = (members: object, message: string) => void logged.push(members, message);
    const log: Log = { ...silentLog, warn: note, info: note, error: note };
    const rpcUrl = 'http://127.0.0.1:1/v1/SECRET?api-key=SECRET';
    const ledger = createLedger({
      rpcUrls: [rpcUrl],
      timeoutMs: 500,
      log,
      rounds: 1,
      observe: (call) => logged.push(call),
    });
    open.push(ledger);
    const error = await ledger.finalizedSlot().catch((thrown: unknown) => thrown);
    expect(JSON.stringify([...logged, String(error)])).not.toContain('SECRET');
    expect(logged).not.toEqual([]);
  });
});

describe('calls', () => {
  it('have a concurrency limit', async () => {
    const node = await aNode();
    node.fail('getTransaction', { kind: 'delay', delayMs: 5 });
    const ledger = aLedger([node], { maxConcurrentCalls: 3, batchSize: 1 });
    await ledger.transactions(Array.from({ length: 20 }, () => name));
    expect(node.countOf('getTransaction')).toBe(20);
    expect(node.mostAtOnce).toBe(3);
  });

  it('have their full timeout from the request on under load, regardless of the wait for a place', async () => {
    const node = await aNode();
    const timers = jest.spyOn(AbortSignal, 'timeout');
    node.fail('getSlot', { kind: 'delay', delayMs: 5 });
    const ledger = aLedger([node], { maxConcurrentCalls: 1, rounds: 1 });
    const started: number[] = [];
    const ask = () => ledger.finalizedSlot().finally(() => started.push(timers.mock.calls.length));
    const slots = await Promise.all(Array.from({ length: 20 }, ask));
    timers.mockRestore();
    expect(new Set(slots)).toEqual(new Set([42]));
    // When the n-th answer arrives, at most one further call has started its timeout.
    expect(started.every((count, index) => count <= index + 2)).toBe(true);
  });

  it('are retried if they time out under load, and report their outcome', async () => {
    const node = await aNode();
    node.fail('getSlot', { kind: 'hang' }, 1);
    const calls: LedgerCall[] = [];
    const ledger = aLedger([node], { timeoutMs: 500, observe: (call) => calls.push(call) });
    await expect(ledger.finalizedSlot()).resolves.toBe(42);
    expect(calls[0]).toMatchObject({ method: 'getSlot', outcome: 'timeout' });
    expect(calls.at(-1)).toMatchObject({ method: 'getSlot', outcome: 'ok' });
  });

  it('are measured one by one, with their outcome', async () => {
    const node = await aNode();
    node.fail('getSlot', { kind: 'status', status: 429 }, 1);
    const calls: LedgerCall[] = [];
    await aLedger([node], { observe: (call) => calls.push(call) }).finalizedSlot();
    expect(calls.map(({ method, outcome }) => [method, outcome])).toEqual([
      ['getSlot', 'rate_limited'],
      ['getSlot', 'ok'],
    ]);
  });
});

describe('several transactions', () => {
  it('are returned in the requested order, each with its own outcome', async () => {
    const node = await aNode();
    const [found, missing, broken] = [aSignature(1), aSignature(2), aSignature(3)];
    node.answer('getTransaction', ([asked]) =>
      asked === found ? transactionAnswer(found) : asked === missing ? null : { slot: 'none' },
    );
    const reads = await aLedger([node], { rounds: 1 }).transactions([broken, found, missing]);
    expect(reads).toMatchObject([
      { status: 'failed', signature: broken, error: { kind: 'nonsense' } },
      { status: 'found', signature: found, transaction: { signature: found } },
      { status: 'missing', signature: missing },
    ]);
  });
});

describe('a batch', () => {
  const names = Array.from({ length: 6 }, (_, index) => aSignature(index));

  async function aNodeWithAll(): Promise<FaultLedger> {
    const node = await aNode();
    node.answer('getTransaction', ([asked]) => transactionAnswer(asked as (typeof names)[number]));
    return node;
  }

  it('reads several transactions in one request', async () => {
    const node = await aNodeWithAll();
    const reads = await aLedger([node], { batchSize: 4 }).transactions(names);
    expect(reads.map(({ status, signature }) => [status, signature])).toEqual(
      names.map((each) => ['found', each]),
    );
    expect(node.asked.map(({ method, params }) => [method, params.length])).toEqual([
      ['batch', 4],
      ['batch', 2],
    ]);
  });

  it('has transactions that a node omits read one by one', async () => {
    const node = await aNodeWithAll();
    node.fail('getTransaction', { kind: 'drop' }, 2);
    const reads = await aLedger([node]).transactions(names);
    expect(reads.map(({ status }) => status)).toEqual(names.map(() => 'found'));
    expect([node.countOf('batch'), node.countOf('getTransaction')]).toEqual([1, 2]);
  });

  it('is read one by one if a node refuses it, and batches stop for a minute after five refusals', async () => {
    const node = await aNodeWithAll();
    node.fail('batch', { kind: 'status', status: 400 });
    let now = 0;
    const ledger = aLedger([node], { clock: { now: () => new Date(now) } });
    const readAll = async () => {
      const reads = await ledger.transactions(names);
      expect(reads.map(({ status }) => status)).toEqual(names.map(() => 'found'));
    };
    for (let time = 0; time < 7; time += 1) await readAll();
    expect([node.countOf('batch'), node.countOf('getTransaction')]).toEqual([5, 7 * names.length]);
    node.heal();
    now = 60_000;
    await readAll();
    expect([node.countOf('batch'), node.countOf('getTransaction')]).toEqual([6, 7 * names.length]);
  });
});

describe('a transaction', () => {
  it('is read from another node if one has forgotten it', async () => {
    const [first, second] = [await aNode(), await aNode()];
    first.answer('getTransaction', () => null);
    await expect(aLedger([first, second]).transaction(name)).resolves.toMatchObject({ signature: name });
  });

  it('is null if no node has it, and requested once', async () => {
    const [first, second] = [await aNode(), await aNode()];
    first.answer('getTransaction', () => null);
    second.answer('getTransaction', () => null);
    await expect(aLedger([first, second]).transaction(name)).resolves.toBeNull();
    expect([first.countOf('getTransaction'), second.countOf('getTransaction')]).toEqual([1, 1]);
  });

  it('is requested as finalized, in any version', async () => {
    const node = await aNode();
    await aLedger([node]).transaction(name);
    expect(node.asked).toEqual([
      {
        method: 'getTransaction',
        params: [name, { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 1 }],
      },
    ]);
  });
});

describe('a page of history', () => {
  const pageOf = async (
    rows: readonly unknown[],
    page: Parameters<LedgerReader['signaturesFor']>[1] = {},
  ) => {
    const node = await aNode();
    node.answer('getSignaturesForAddress', () => rows);
    return aLedger([node], { rounds: 1 }).signaturesFor(mint, page);
  };

  it('returns signature, slot, time and failure of each transaction', async () => {
    const failed = historyRow(2, 9, { err: { InstructionError: [0, { Custom: 1 }] }, blockTime: null });
    await expect(pageOf([failed, historyRow(1, 8)])).resolves.toEqual([
      { signature: aSignature(2), slot: 9, failed: true, blockTime: null },
      { signature: aSignature(1), slot: 8, failed: false, blockTime: 1_700_000_008 },
    ]);
  });

  it('is requested with its cursor, its limit and the minimum slot', async () => {
    const node = await aNode();
    await aLedger([node]).signaturesFor(mint, { before: aSignature(5), limit: 2, minContextSlot: 40 });
    expect(node.asked[0]?.params).toEqual([
      mint,
      { before: aSignature(5), limit: 2, minContextSlot: 40, commitment: 'finalized' },
    ]);
  });

  it.each([
    ['is oldest first', [historyRow(1, 8), historyRow(2, 9)], {}],
    ['repeats a signature', [historyRow(1, 8), historyRow(1, 8)], {}],
    ['repeats its cursor', [historyRow(1, 8)], { before: aSignature(1) }],
    ['is longer than requested', [historyRow(2, 9), historyRow(1, 8)], { limit: 1 }],
    [
      'contains a transaction that is not finalized',
      [historyRow(1, 8, { confirmationStatus: 'confirmed' })],
      {},
    ],
    ['contains an invalid signature', [historyRow(1, 8, { signature: 'abc' })], {}],
    ['contains an invalid slot', [historyRow(1, -1)], {}],
    ['contains an invalid time', [historyRow(1, 8, { blockTime: 'now' })], {}],
    ['does not state whether a transaction failed', [historyRow(1, 8, { err: undefined })], {}],
    ['contains an invalid row', [null], {}],
  ])('is nonsense if it %s', async (_, rows, page) => {
    await expect(pageOf(rows, page)).rejects.toMatchObject({ kind: 'nonsense' });
  });
});

describe('a mint account', () => {
  it('is invalid if it is from before the minimum slot', async () => {
    const node = await aNode();
    const ledger = aLedger([node], { rounds: 1 });
    await expect(ledger.mintAccount(mint, { minContextSlot: 43 })).rejects.toMatchObject({
      kind: 'nonsense',
    });
    await expect(ledger.mintAccount(mint, { minContextSlot: 42 })).resolves.toEqual({
      address: mint,
      slot: 42,
      status: 'absent',
    });
  });
});
