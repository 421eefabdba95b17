import {
  BodyTooLong,
  JsonOutOfBounds,
  readJsonText,
  type BodyBounds,
} from '../../kernel/encoding/foreign-json.js';
import { isJsonObject } from '../../kernel/encoding/json.js';
import { isTransactionFailure } from '../answer-shape.js';
import { LedgerError, nonsense, type LedgerErrorDetail } from '../ledger-error.js';
import type { AnswerBudget } from './answer-budget.js';
import { RefusedBytes } from './refused-bytes.js';
import type { TransactionFailure } from './ledger-node.js';

export interface PostOptions {
  readonly timeoutMs: number;
  /** Aborts when the ledger's `close()` is called. */
  readonly closed: AbortSignal;
  /** The budget of the provider. */
  readonly budget: AnswerBudget;
}

/** Limit for most answers: a page of 1000 signatures has 300 KB and 8,000 values, and a transaction at most about 100 KB. */
const ONE_ANSWER: BodyBounds = { maxBytes: 1024 * 1024, maxValues: 50_000 };
const LONG_ANSWERS: ReadonlySet<string> = new Set(['getSignaturesForAddress', 'getTransaction']);
/** Limit for short answers: the logs of a simulation have at most 10 KB, and statuses, fees and owners are as small. */
const SHORT_ANSWER: BodyBounds = { maxBytes: 64 * 1024, maxValues: 5_000 };
/** Limit for a batch of at most 25 transactions. */
const BATCH_OF_ANSWERS: BodyBounds = { maxBytes: 4 * 1024 * 1024, maxValues: 200_000 };
const MAX_RETRY_AFTER_MS = 60_000;
/** Decompressing many hostile answers at once would take more memory than their limits allow. */
const UNCOMPRESSED = 'identity';

/** Host and position. A provider's path and query often contain its key. */
export function providerLabel(url: string, index: number): string {
  return `${new URL(url).host}#${index}`;
}

/** Posts a JSON-RPC request and returns the text of a complete answer with status 200. Rejects only with `LedgerError`. */
export function postJson(url: string, body: string, options: PostOptions): Promise<string> {
  return exchange(url, body, options, ONE_ANSWER, (text) => text);
}

/** Parses the text of a complete answer with status 200. Rejects only with `LedgerError`. */
async function exchange<T>(
  url: string,
  body: string,
  { timeoutMs, closed, budget }: PostOptions,
  bounds: BodyBounds,
  parse: (text: string) => T,
): Promise<T> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([timeout, closed]);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': UNCOMPRESSED },
      body,
      redirect: 'error',
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw refusal(response);
    }
    if ((response.headers.get('content-encoding')?.toLowerCase() ?? UNCOMPRESSED) !== UNCOMPRESSED) {
      await response.body?.cancel();
      throw nonsense('The answer is compressed, which was not asked for.');
    }
    return await budget.hold(async (take) => parse(await boundedText(response, bounds, take)), signal);
  } catch (thrown) {
    if (thrown instanceof LedgerError) throw thrown;
    if (timeout.aborted) throw new LedgerError('timeout', `No answer within ${timeoutMs} ms.`);
    throw new LedgerError('unreachable', closed.aborted ? 'The ledger was closed.' : 'No connection.', {
      cause: thrown,
    });
  }
}

/** Makes one JSON-RPC call. The result is not parsed. */
export async function callJsonRpc(
  url: string,
  method: string,
  params: readonly unknown[],
  options: PostOptions,
): Promise<unknown> {
  const id = '1';
  const bounds = LONG_ANSWERS.has(method) ? ONE_ANSWER : SHORT_ANSWER;
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  return exchange(url, body, options, bounds, (text) => resultOf(parseJson(text), id));
}

export type BatchedResult = { readonly result: unknown } | { readonly error: LedgerError };

/** Makes several calls of one method in one request (JSON-RPC 2.0, section 6). Returns the results in the order of the calls. */
export async function callJsonRpcBatch(
  url: string,
  method: string,
  calls: readonly (readonly unknown[])[],
  options: PostOptions,
): Promise<readonly BatchedResult[]> {
  const requests = calls.map((params, index) => ({ jsonrpc: '2.0', id: String(index), method, params }));
  const answers = await exchange(url, JSON.stringify(requests), options, BATCH_OF_ANSWERS, parseJson);
  if (!Array.isArray(answers)) {
    // A node that does not accept batches refuses with one error for all calls.
    if (isJsonObject(answers) && isJsonObject(answers['error'])) resultOf({ ...answers, id: '' }, '');
    throw nonsense('The answer to a batch is not a list.');
  }
  const byId = new Map((answers as readonly unknown[]).map((one) => [isJsonObject(one) && one['id'], one]));
  return requests.map(({ id }) => {
    try {
      return { result: resultOf(byId.get(id), id) };
    } catch (thrown) {
      if (thrown instanceof LedgerError) return { error: thrown };
      throw thrown;
    }
  });
}

function parseJson(text: string): unknown {
  try {
    // Its limits were checked when it arrived.
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    throw nonsense('The answer is not JSON.', thrown);
  }
}

function resultOf(answer: unknown, id: string): unknown {
  if (!isJsonObject(answer) || answer['jsonrpc'] !== '2.0') throw nonsense('The answer is not JSON-RPC 2.0.');
  const error = answer['error'];
  if (error !== undefined) {
    if (!isJsonObject(error) || typeof error['code'] !== 'number') throw nonsense('The error has no code.');
    const message = typeof error['message'] === 'string' ? error['message'] : '';
    throw rpcError(error['code'], message, { failure: preflightFailure(error['code'], error['data']) });
  }
  if (answer['id'] !== id) throw nonsense('The answer is to another request.');
  if (!('result' in answer)) throw nonsense('The answer has neither result nor error.');
  return answer['result'];
}

export function rpcError(code: number, message: string, detail: LedgerErrorDetail = {}): LedgerError {
  // Some providers report their rate limit with HTTP 200 and a JSON-RPC error.
  if (code === 429 || code === -32429)
    return new LedgerError('rate_limited', 'The provider is busy.', { ...detail, rpcCode: code });
  const text = `The node refused (${code}): ${message.slice(0, 200)}`;
  return new LedgerError('rpc', text, { ...detail, rpcCode: code });
}

/** `SendTransactionPreflightFailure`. Its data is the result of the simulation. Source: Agave, `custom_error.rs`. */
const PREFLIGHT_FAILURE = -32002;

function preflightFailure(code: number, data: unknown): TransactionFailure | undefined {
  const failure = code === PREFLIGHT_FAILURE && isJsonObject(data) ? data['err'] : undefined;
  return isTransactionFailure(failure) ? failure : undefined;
}

function refusal(response: Response): LedgerError {
  if (response.status !== 429) {
    return new LedgerError('unreachable', `The provider answered HTTP ${response.status}.`);
  }
  const seconds = Number(response.headers.get('retry-after'));
  const retryAfterMs = Math.min(seconds * 1000, MAX_RETRY_AFTER_MS);
  return new LedgerError('rate_limited', 'The provider is busy.', retryAfterMs > 0 ? { retryAfterMs } : {});
}

/** Shared by all providers, because they share the memory of the process. */
const refusedBytes = new RefusedBytes();

async function boundedText(
  { body }: Response,
  bounds: BodyBounds,
  take: (bytes: number) => Promise<void>,
): Promise<string> {
  if (body === null) throw nonsense('The answer is empty.');
  let taken = 0;
  const counted = (bytes: number) => {
    taken += bytes;
    return take(bytes);
  };
  try {
    return await readJsonText(body, bounds, counted);
  } catch (thrown) {
    refusedBytes.add(taken);
    if (thrown instanceof BodyTooLong || thrown instanceof JsonOutOfBounds)
      throw nonsense(thrown.message, thrown);
    throw thrown;
  }
}
