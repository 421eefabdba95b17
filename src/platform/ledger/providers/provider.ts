import { Connection, PublicKey, SolanaJSONRPCError } from '@solana/web3.js';
import { type CircuitBreaker, createCircuitBreaker } from '../../jobs/index.js';
import { systemClock, type Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { address as toAddress, type Address, type Signature } from '../address.js';
import { AnswerBudget } from './answer-budget.js';
import {
  callJsonRpc,
  callJsonRpcBatch,
  postJson,
  providerLabel,
  rpcError,
  type BatchedResult,
  type PostOptions,
} from './json-rpc.js';
import { LedgerError, nonsense } from '../ledger-error.js';
import type { HistoryPage, LedgerReader, LedgerSignature, TransactionRead } from '../ledger-reader.js';
import { MentionFeed } from '../feeds/mention-feed.js';
import { DEFAULT_HEARTBEAT_MS } from '../feeds/subscription-socket.js';
import { webSocketUrls } from '../feeds/web-socket-urls.js';
import type { LedgerCall } from './ledger-call.js';
import { readSignatures } from './node-answers.js';
import { ProviderPool } from './provider-pool.js';
import { decodeMint } from '../token-2022/decode-mint.js';
import { TOKEN_2022_PROGRAM } from '../token-2022/layouts.js';
import type { MintAccount } from '../token-2022/mint-account.js';
import { parseTransaction, transactionQuestion } from '../transaction-answer.js';

export interface LedgerOptions {
  /** At least one, in order of preference. All must belong to the same cluster. */
  readonly rpcUrls: readonly string[];
  /** URLs that are tried in turn. Default: `webSocketUrls(rpcUrls)`. */
  readonly wsUrls?: readonly string[];
  /** Timeout of one attempt of a call to one provider. */
  readonly timeoutMs: number;
  readonly log: Log;
  /** Called once for each attempt, for metrics. */
  readonly observe?: (call: LedgerCall) => void;
  /** How often all providers are tried before a call fails. Default: 3. */
  readonly rounds?: number;
  /** Maximum for each provider. Default: 16. */
  readonly maxConcurrentCalls?: number;
  /** Number of transactions in one request. Default: 25. Set 1 for providers that do not accept batches. */
  readonly batchSize?: number;
  /** Default: 15 s. */
  readonly heartbeatMs?: number;
  readonly clock?: Clock;
  /** Returns a number in [0, 1), for jitter. */
  readonly random?: () => number;
}

const MAX_PAGE = 1000;

/** Creates a reader of the ledger. Opens no connection before the first call. */
export function createLedger(options: LedgerOptions): LedgerReader {
  if (options.rpcUrls.length === 0) throw new RangeError('A ledger needs at least one provider.');
  const { log, timeoutMs, random = Math.random, clock = systemClock } = options;
  const closing = new AbortController();
  const providers = options.rpcUrls.map(
    (url, index) =>
      new Provider(url, index, { timeoutMs, closed: closing.signal, budget: new AnswerBudget() }, clock),
  );
  const pool = new ProviderPool(providers, {
    log,
    random,
    clock,
    observe: options.observe ?? (() => undefined),
    rounds: options.rounds ?? 3,
    maxConcurrentCalls: options.maxConcurrentCalls ?? 16,
    closed: closing.signal,
  });
  const feed = new MentionFeed({
    urls: options.wsUrls ?? webSocketUrls(options.rpcUrls),
    timeoutMs,
    heartbeatMs: options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS,
    log,
    random,
  });

  const transaction = (signature: Signature) =>
    // One node may have deleted a transaction that another one still has.
    pool.run('getTransaction', (provider) => provider.transaction(signature), {
      isFinal: (answer) => answer !== null,
    });
  const readOne = async (signature: Signature): Promise<TransactionRead> => {
    try {
      const found = await transaction(signature);
      if (found === null) return { status: 'missing', signature };
      return { status: 'found', signature, transaction: found };
    } catch (thrown) {
      if (!(thrown instanceof LedgerError)) throw thrown;
      return { status: 'failed', signature, error: thrown };
    }
  };
  // A batch is tried once; transactions that it does not return are read one by one, with all retries.
  const readSeveral = async (signatures: readonly Signature[]): Promise<readonly TransactionRead[]> => {
    const brought =
      signatures.length === 1
        ? []
        : await pool
            .run('getTransaction', (provider) => provider.transactions(signatures), { rounds: 1 })
            .catch(() => []);
    return Promise.all(
      signatures.map(async (signature, index): Promise<TransactionRead> => {
        const found = brought[index];
        return found ? { status: 'found', signature, transaction: found } : readOne(signature);
      }),
    );
  };
  const close = () => {
    closing.abort();
    feed.close();
    return Promise.resolve();
  };
  return {
    mintAccount: (address, at) =>
      pool.run('getAccountInfo', (provider) => provider.mintAccount(address, at?.minContextSlot)),
    finalizedSlot: () => pool.run('getSlot', (provider) => provider.finalizedSlot()),
    signaturesFor: (address, page = {}) =>
      pool.run('getSignaturesForAddress', (provider) => provider.signaturesFor(address, page)),
    transaction,
    transactions: async (signatures) => {
      const batches = inBatches(signatures, options.batchSize ?? 25);
      return (await Promise.all(batches.map(readSeveral))).flat();
    },
    subscribeToMentions: (addresses, onSignal) => feed.subscribe(addresses, onSignal),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** One node. web3.js or this class checks the shape of its answers; this class checks that they fit the question. */
class Provider {
  readonly label: string;
  private readonly connection: Connection;
  private readonly batches: CircuitBreaker;

  constructor(
    private readonly url: string,
    index: number,
    private readonly post: PostOptions,
    clock: Clock,
  ) {
    this.label = providerLabel(url, index);
    this.batches = createCircuitBreaker(clock, BATCHES_REST_MS);
    this.connection = new Connection(url, {
      commitment: 'finalized',
      disableRetryOnRateLimit: true,
      httpAgent: false,
      fetch: async (_input, init) => new Response(await postJson(url, bodyText(init?.body), post)),
    });
  }

  async finalizedSlot(): Promise<number> {
    const slot = await answer(this.connection.getSlot('finalized'));
    if (!Number.isSafeInteger(slot) || slot < 0) throw nonsense('The slot is not a whole number.');
    return slot;
  }

  async mintAccount(address: Address, minContextSlot: number | undefined): Promise<MintAccount> {
    const { context, value } = await answer(
      this.connection.getAccountInfoAndContext(new PublicKey(address), {
        commitment: 'finalized',
        ...(minContextSlot === undefined ? {} : { minContextSlot }),
      }),
    );
    const { slot } = context;
    if (minContextSlot !== undefined && slot < minContextSlot)
      throw nonsense('The account is from an older slot than was asked for.');
    if (value === null) return { address, slot, status: 'absent' };
    const owner = toAddress(value.owner.toBase58());
    if (owner !== TOKEN_2022_PROGRAM) return { address, slot, status: 'other_owner', owner };
    const mint = decodeMint(new Uint8Array(value.data));
    return mint === undefined
      ? { address, slot, status: 'not_a_mint' }
      : { address, slot, status: 'mint', ...mint };
  }

  // Does not use `Connection`: its check of the shape costs more than everything else that is done with a page.
  async signaturesFor(address: Address, page: HistoryPage): Promise<readonly LedgerSignature[]> {
    const { before, minContextSlot, limit = MAX_PAGE } = page;
    const asked = { commitment: 'finalized', limit, before, minContextSlot };
    const result = await callJsonRpc(this.url, 'getSignaturesForAddress', [address, asked], this.post);
    return readSignatures(result, { ...page, limit });
  }

  // Does not use `Connection`: it creates an object for every account key, and refuses a v1 answer without its compute budget.
  // An indexer needs neither.
  async transaction(signature: Signature) {
    const params = transactionQuestion(signature);
    return parseTransaction(signature, await callJsonRpc(this.url, 'getTransaction', params, this.post));
  }

  /** Elements are undefined or null if the batch did not return the transaction. */
  async transactions(signatures: readonly Signature[]) {
    if (!this.batches.admits()) throw rpcError(0, 'The provider does not accept batches.');
    const questions = signatures.map(transactionQuestion);
    let results: readonly BatchedResult[];
    try {
      results = await callJsonRpcBatch(this.url, 'getTransaction', questions, this.post);
    } catch (thrown) {
      this.batches.failed();
      throw thrown;
    }
    this.batches.succeeded();
    return signatures.map((signature, index) => {
      const outcome = results[index];
      if (outcome === undefined || 'error' in outcome) return undefined;
      try {
        return parseTransaction(signature, outcome.result);
      } catch {
        // A single read also tries the other providers, and reports its failure.
        return undefined;
      }
    });
  }
}

/** After failed batches, transactions are read one by one for a while: many providers do not accept batches. */
const BATCHES_REST_MS = 60_000;

function inBatches<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const batches: (readonly T[])[] = [];
  for (let start = 0; start < items.length; start += size) batches.push(items.slice(start, start + size));
  return batches;
}

/** Converts the errors of `Connection`, other than our own: a refusal of the node, or a wrong shape of the answer. */
async function answer<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (thrown) {
    if (thrown instanceof LedgerError) throw thrown;
    if (thrown instanceof SolanaJSONRPCError)
      throw rpcError(Number(thrown.code), thrown.message, { cause: thrown });
    throw nonsense('The answer has the wrong shape.', thrown);
  }
}

function bodyText(body: unknown): string {
  if (typeof body !== 'string') throw new TypeError('A JSON-RPC request is text.');
  return body;
}
