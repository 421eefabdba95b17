import { describe, expect, it } from '@jest/globals';
import { isJsonObject } from '../../../../src/platform/kernel/encoding/json.js';
import { createLedgerNodes, LedgerError, type LedgerCall } from '../../../../src/platform/ledger/index.js';
import { startFaultLedger, type Fault, type FaultLedger } from '../../../kit/ledger/fault-ledger.js';
import { fc } from '../../../kit/properties.js';
import { openNodes } from './open-nodes.js';
import { anAddress, aSignature, transactionAnswer } from '../answers.js';
import { context, name, owner, questions, status, type Question } from './node-questions.js';

const { open, nodesAt, nodeAt } = openNodes();

describe('why a transaction failed', () => {
  const answersWith: Readonly<Record<string, (err: unknown) => unknown>> = {
    simulateTransaction: (err) => ({ context, value: { err, unitsConsumed: 1 } }),
    getSignatureStatuses: (err) => ({ context, value: [{ ...status, err }, null] }),
    getTransaction: (err) => ({ ...transactionAnswer(name), meta: { err, fee: 5_000 } }),
  };
  it.each(Object.keys(answersWith))('is nonsense in %s if the history could not store it', async (method) => {
    const question = questions.find((one) => one.method === method)!;
    const ledger = await aFaultyNode(question);
    const node = nodeAt(ledger.rpcUrl);
    const nested: unknown = JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`);
    for (const failure of ['Custom\0', '\ud800', 'x'.repeat(2_000), { InstructionError: nested }]) {
      ledger.answer(method, () => answersWith[method]!(failure));
      await expect(question.ask(node)).rejects.toMatchObject({ kind: 'nonsense' });
    }
  });
});

async function aFaultyNode(question: Question): Promise<FaultLedger> {
  const ledger = await startFaultLedger({ answers: { [question.method]: () => question.answer } });
  open.push(ledger);
  return ledger;
}

describe.each(questions)('$method', (question) => {
  it('is parsed from a node’s answer', async () => {
    const { rpcUrl } = await aFaultyNode(question);
    expect(await question.ask(nodeAt(rpcUrl))).toEqual(question.expected);
  });

  const faults: readonly (readonly [string, Fault, object])[] = [
    ['cuts the connection', { kind: 'drop' }, { kind: 'unreachable' }],
    ['answers half', { kind: 'cut' }, { kind: 'unreachable' }],
    ['answers 500', { kind: 'status', status: 500 }, { kind: 'unreachable' }],
    [
      'answers 429 and when to retry',
      { kind: 'status', status: 429, headers: { 'retry-after': '7' } },
      { kind: 'rate_limited', retryAfterMs: 7_000 },
    ],
    ['hides a 429 in JSON-RPC', { kind: 'error', code: 429, message: 'slow' }, { kind: 'rate_limited' }],
    ['answers HTML', { kind: 'body', body: '<html>Bad gateway</html>' }, { kind: 'nonsense' }],
    ['answers a boolean', { kind: 'result', result: true }, { kind: 'nonsense' }],
    ['lags', { kind: 'error', code: -32005, message: 'Node is behind' }, { rpcCode: -32005 }],
  ];
  it.each(faults)('fails with its kind after one attempt if a node %s', async (_, fault, error) => {
    const ledger = await aFaultyNode(question);
    ledger.fail(question.method, fault);
    const thrown = await question.ask(nodeAt(ledger.rpcUrl)).catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(LedgerError);
    expect(thrown).toMatchObject(error);
    expect(ledger.countOf(question.method)).toBe(1);
  });

  it('ends at its timeout, or when the nodes are closed, if a node never answers', async () => {
    const ledger = await aFaultyNode(question);
    ledger.fail(question.method, { kind: 'hang' });
    await expect(question.ask(nodeAt(ledger.rpcUrl, { timeoutMs: 50 }))).rejects.toMatchObject({
      kind: 'timeout',
    });
    const nodes = nodesAt([ledger.rpcUrl], { timeoutMs: 60_000 });
    const waiting = expect(question.ask(nodes.nodes[0]!)).rejects.toMatchObject({ kind: 'unreachable' });
    await nodes[Symbol.asyncDispose]();
    await waiting;
  });

  it('gives nonsense, or a valid answer to the question, for any mutation', async () => {
    const ledger = await aFaultyNode(question);
    const node = nodeAt(ledger.rpcUrl);
    await fc.assert(
      fc.asyncProperty(mutated(question.answer), async (answer) => {
        ledger.answer(question.method, () => answer);
        let taken: unknown;
        try {
          taken = await question.ask(node);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(LedgerError);
          expect(thrown).toMatchObject({ kind: 'nonsense' });
          return;
        }
        if (taken === undefined) expect(answer).toBe(question.answer);
        else {
          expect(question.allowed(taken)).toBe(true);
          // If the result has a null, the node's answer must have one.
          expect(nulls(taken)).toBeLessThanOrEqual(nulls(answer) + nulls(question.expected));
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** The value with one part at any depth removed, replaced or repeated. */
function mutated(value: unknown): fc.Arbitrary<unknown> {
  const places = placesOf(value);
  const replacement = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      undefined,
      '',
      'confirmed',
      'rooted',
      -1,
      0.5,
      2 ** 53,
      901,
      10 ** 6,
      {},
      [],
    ),
    fc.jsonValue(),
  );
  return fc
    .tuple(fc.constantFrom(...places), replacement, fc.boolean())
    .map(([place, other, longer]) =>
      changeAt(value, place, (old) =>
        longer && Array.isArray(old) ? [...(old as unknown[]), other] : other,
      ),
    );
}

type Place = readonly (string | number)[];

function placesOf(value: unknown): Place[] {
  const inside = Array.isArray(value)
    ? (value as unknown[]).map((item, index) => [index, item] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  return [[], ...inside.flatMap(([key, item]) => placesOf(item).map((place) => [key, ...place]))];
}

function changeAt(value: unknown, [key, ...rest]: Place, change: (old: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (Array.isArray(value)) {
    return (value as unknown[]).map((item, index) => (index === key ? changeAt(item, rest, change) : item));
  }
  const object = value as Record<string, unknown>;
  return { ...object, [key]: changeAt(object[key], rest, change) };
}

function nulls(value: unknown): number {
  if (value === null || value === undefined) return 1;
  if (typeof value !== 'object') return 0;
  return Object.values(value).reduce((total: number, item) => total + nulls(item), 0);
}

describe('an answer that contradicts the question', () => {
  const byMethod = new Map(questions.map((question) => [question.method, question]));
  const old = { slot: 899 };

  it.each([
    ['more blocks than slots', 'getEpochInfo', { absoluteSlot: 1_000, blockHeight: 1_001 }],
    [
      'a blockhash from an older slot',
      'getLatestBlockhash',
      { context: old, value: { blockhash: owner, lastValidBlockHeight: 950 } },
    ],
    [
      'a blockhash that is valid for too long',
      'getLatestBlockhash',
      { context, value: { blockhash: owner, lastValidBlockHeight: 1_151 } },
    ],
    ['accounts from an older slot', 'getMultipleAccounts', { context: old, value: [null, null] }],
    ['a word for an account', 'getMultipleAccounts', { context, value: [null, 'gone'] }],
    ['a word for a status', 'getSignatureStatuses', { context, value: [status, 'gone'] }],
    ['fewer accounts', 'getMultipleAccounts', { context, value: [null] }],
    ['more accounts', 'getMultipleAccounts', { context, value: [null, null, null] }],
    [
      'a simulation from an older slot',
      'simulateTransaction',
      { context: old, value: { err: null, unitsConsumed: 1 } },
    ],
    ['a success without consumed units', 'simulateTransaction', { context, value: { err: null } }],
    ['the signature of another transaction', 'sendTransaction', aSignature(2)],
    ['fewer statuses', 'getSignatureStatuses', { context, value: [status] }],
    [
      'an unknown commitment',
      'getSignatureStatuses',
      { context, value: [{ ...status, confirmationStatus: 'rooted' }, null] },
    ],
    ['a missing failure', 'getSignatureStatuses', { context, value: [{ ...status, err: undefined }, null] }],
    [
      'a landing at a slot that the node has not reached',
      'getSignatureStatuses',
      { context, value: [{ ...status, slot: 1_001 }, null] },
    ],
    ['another transaction', 'getTransaction', transactionAnswer(aSignature(2))],
    ['a transaction without its outcome', 'getTransaction', { ...transactionAnswer(name), meta: null }],
  ])('is nonsense: %s', async (_, method, answer) => {
    const question = byMethod.get(method)!;
    const ledger = await aFaultyNode(question);
    ledger.answer(method, () => answer);
    await expect(question.ask(nodeAt(ledger.rpcUrl))).rejects.toMatchObject({ kind: 'nonsense' });
  });
});

describe('a refusal', () => {
  const refuse = async (error: object) => {
    const ledger = await startFaultLedger();
    open.push(ledger);
    ledger.fail('sendTransaction', {
      kind: 'body',
      body: JSON.stringify({ jsonrpc: '2.0', id: '1', error: { message: 'no', ...error } }),
    });
    const node = nodeAt(ledger.rpcUrl);
    return node.send(Uint8Array.of(1), name).catch((reason: unknown) => reason);
  };

  it.each([
    ['of preflight', { code: -32002, data: { err: 'AccountInUse' } }, 'AccountInUse'],
    ['of preflight without a reason', { code: -32002, data: null }, undefined],
    ['of preflight with an invalid reason', { code: -32002, data: { err: 7 } }, undefined],
    ['of another cause', { code: -32603, data: { err: 'AccountInUse' } }, undefined],
  ])('%s keeps its code, and the reason of a preflight', async (_, error, failure) => {
    expect(await refuse(error)).toMatchObject({ kind: 'rpc', rpcCode: error.code, failure });
  });
});

describe('the questions to a node', () => {
  it('contain the commitment and the minimum slot, and request no retries and no data', async () => {
    const ledger = await startFaultLedger({
      answers: Object.fromEntries(questions.map(({ method, answer }) => [method, () => answer])),
    });
    open.push(ledger);
    const node = nodeAt(ledger.rpcUrl);
    for (const question of questions) await question.ask(node);
    const minContextSlot = 900;
    expect(ledger.asked.map(({ params }) => params)).toEqual([
      [{ commitment: 'finalized' }],
      [{ commitment: 'confirmed', minContextSlot }],
      [
        [anAddress(1), anAddress(2)],
        {
          commitment: 'finalized',
          encoding: 'base64',
          dataSlice: { offset: 0, length: 0 },
          minContextSlot,
        },
      ],
      [
        'AQ==',
        {
          encoding: 'base64',
          commitment: 'confirmed',
          sigVerify: false,
          replaceRecentBlockhash: false,
          minContextSlot,
        },
      ],
      [
        'AQ==',
        {
          encoding: 'base64',
          skipPreflight: false,
          preflightCommitment: 'confirmed',
          maxRetries: 0,
          minContextSlot,
        },
      ],
      [[name, aSignature(2)], { searchTransactionHistory: true }],
      [name, { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 1 }],
      [owner, { commitment: 'finalized', minContextSlot }],
      [owner, { commitment: 'confirmed' }],
      [[owner]],
    ]);
  });

  it('contain the commitment of a simulation if it is not the default', async () => {
    const answer = questions.find(({ method }) => method === 'simulateTransaction')!.answer;
    const ledger = await startFaultLedger({ answers: { simulateTransaction: () => answer } });
    open.push(ledger);
    await nodeAt(ledger.rpcUrl).simulate(Uint8Array.of(1), { commitment: 'processed' });
    expect(ledger.asked[0]!.params[1]).toMatchObject({ commitment: 'processed' });
  });
});

it('a node is asked for the statuses of any number of signatures, 256 at a time', async () => {
  const signatures = Array.from({ length: 600 }, (_, at) => aSignature(at));
  const slots = [905, 903, 904];
  const ledger = await startFaultLedger({
    answers: {
      getSignatureStatuses: ([asked]) => ({
        context: { slot: slots.shift() },
        // Only the last one of all is known.
        value: (asked as string[]).map((_, at) => (at === 87 && slots.length === 0 ? status : null)),
      }),
    },
  });
  open.push(ledger);
  const { slot, statuses } = await nodeAt(ledger.rpcUrl).signatureStatuses(signatures);
  expect(ledger.asked.map(({ params }) => (params[0] as string[]).length)).toEqual([256, 256, 88]);
  expect(ledger.asked.flatMap(({ params }) => params[0])).toEqual(signatures);
  // What the node does not know is unknown as of the earliest of its answers.
  expect(slot).toBe(903);
  expect(statuses.map((one) => one !== null)).toEqual(signatures.map((_, at) => at === 599));
});

describe('several nodes', () => {
  const height = questions[0]!;

  it('are asked separately, under labels without their keys', async () => {
    const [first, second] = [await aFaultyNode(height), await aFaultyNode(height)];
    first.fail(height.method, { kind: 'status', status: 500 });
    const calls: LedgerCall[] = [];
    const { nodes } = nodesAt([`${first.rpcUrl}/v1/SECRET`, `${second.rpcUrl}/?api-key=SECRET`], {
      observe: (call) => calls.push(call),
    });
    const thrown = await nodes[0]!.finalizedHeight().catch((reason: unknown) => reason);
    expect(thrown).toMatchObject({ kind: 'unreachable' });
    expect(await nodes[1]!.finalizedHeight()).toEqual(height.expected);
    expect(calls).toMatchObject([
      { method: height.method, provider: nodes[0]!.label, outcome: 'unreachable' },
      { method: height.method, provider: nodes[1]!.label, outcome: 'ok' },
    ]);
    expect(nodes.map(({ label }) => label)).toEqual([
      `${new URL(first.rpcUrl).host}#0`,
      `${new URL(second.rpcUrl).host}#1`,
    ]);
    expect(JSON.stringify([calls, String(thrown)])).not.toContain('SECRET');
  });

  it('must be at least one', () => {
    expect(() => createLedgerNodes({ rpcUrls: [], timeoutMs: 1 })).toThrow(RangeError);
  });
});
