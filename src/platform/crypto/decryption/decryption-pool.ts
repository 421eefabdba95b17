import { LucarneError, unavailable } from '../../kernel/errors.js';
import { unreachable } from '../../kernel/unreachable.js';
import type {
  DecryptedAmount,
  DecryptionRequest,
  DisclosedAmount,
  DisclosureRequest,
} from './amount-decryption.js';
import type { WorkerReply, WorkerRequest, WorkerSettings } from './decryption-worker.js';
import type { SplitCiphertext } from './split-ciphertext.js';
import { WorkerThreads, workerUrlOf, type ThreadTask } from '../worker-threads.js';

export interface DecryptionPoolOptions {
  /** Number of worker threads. They start when there is work. */
  readonly workers: number;
  /** Maximum number of unfinished ciphertexts of one party. A party that has none may send a request of any size. */
  readonly queueLimit: number;
  /** The file of the table of baby steps, 20 MiB. Without it, each thread builds the table. */
  readonly tableFile?: string;
  /** Called with a sentence if a thread is slower than it should be. */
  readonly notice?: (message: string) => void;
  /** The compiled worker. Default: the one of this package. */
  readonly workerUrl?: URL;
}

export interface DecryptionPoolStats {
  /** Number of threads that are alive. */
  readonly workers: number;
  /** Number of threads that are working. */
  readonly busy: number;
  /** Number of unfinished requests. */
  readonly requests: number;
  /** Number of unfinished ciphertexts of all parties. */
  readonly unfinished: number;
  /** Number of ciphertexts that were answered since the start, and how many of them were undecryptable. */
  readonly finished: number;
  readonly undecryptable: number;
  /** Number of threads that ended unexpectedly since the start. */
  readonly deaths: number;
}

/** The party that the work is for. Parties share the threads equally, and none can use up the capacity of another. */
export interface Party {
  readonly party: string;
}

/** Decrypts and proves in worker threads of 21 MiB each, so that the event loop never waits for arithmetic. */
export interface DecryptionPool extends AsyncDisposable {
  /**
   * Returns one result for each ciphertext, in order. Parties take turns with the threads, and so do the requests of one party,
   * with a few ciphertexts per turn. Rejects with `UNAVAILABLE` if the party's queue is full, the pool closes or its threads
   * keep dying, with `INTERNAL_SERVER_ERROR` for an invalid secret, and with the signal's reason. The secret is copied, and the
   * copies are zeroed.
   */
  decrypt(request: DecryptionRequest & Party, signal?: AbortSignal): Promise<DecryptedAmount[]>;
  /** Like `decrypt`, with proofs: more than ten times the work. `INTERNAL_SERVER_ERROR` also if the keys are not a pair. */
  decryptAndProve(request: DisclosureRequest & Party, signal?: AbortSignal): Promise<DisclosedAmount[]>;
  /** Starts every thread and builds its tables, so that no request waits for them. */
  warmUp(): Promise<void>;
  readonly stats: DecryptionPoolStats;
}

export function createDecryptionPool(options: DecryptionPoolOptions): DecryptionPool {
  return new WorkerPool(options);
}

/** Ciphertexts per thread and turn: 10 to 20 ms of work, which is the longest delay for another request. */
const CHUNK = { decrypt: 32, disclose: 4 } as const;

/** A chunk whose thread died is retried in one other thread, because it may have caused the death. */
const MAX_ATTEMPTS = 2;

type Task = ThreadTask<WorkerRequest, WorkerReply>;

interface Job extends Party {
  readonly secret: Uint8Array<ArrayBuffer>;
  readonly ciphertexts: readonly SplitCiphertext[];
  /** The request to a thread for some of the ciphertexts. The thread gets its own copy of the secret. */
  readonly ask: (part: DecryptionRequest) => WorkerRequest;
  /** Stores the results of a thread, beginning at position `from`. */
  readonly keep: (from: number, reply: WorkerReply) => void;
  /** Chunks that no thread has yet, the last one first. */
  readonly chunks: Chunk[];
  unfinished: number;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
  readonly stopListening: () => void;
}

interface Chunk {
  readonly from: number;
  readonly to: number;
  attempts: number;
}

class WorkerPool implements DecryptionPool {
  readonly #threads: WorkerThreads<WorkerRequest, WorkerReply>;
  readonly #queueLimit: number;
  readonly #jobs = new Set<Job>();
  /** The parties with remaining chunks, and their jobs with remaining chunks, both in the order of their next turn. */
  readonly #turns = new Map<string, Job[]>();
  #closed = false;
  #finished = 0;
  #undecryptable = 0;

  constructor({ workers, queueLimit, tableFile, notice, workerUrl }: DecryptionPoolOptions) {
    const settings: WorkerSettings = { tableFile };
    this.#threads = new WorkerThreads({
      ...{ workers, settings, notice, idle: () => this.#dispatch() },
      workerUrl: workerUrl ?? workerUrlOf('platform/crypto/decryption/decryption-worker'),
    });
    this.#queueLimit = queueLimit;
  }

  get stats(): DecryptionPoolStats {
    return {
      workers: this.#threads.alive,
      busy: this.#threads.busy,
      requests: this.#jobs.size,
      unfinished: this.#unfinished(),
      finished: this.#finished,
      undecryptable: this.#undecryptable,
      deaths: this.#threads.deaths,
    };
  }

  async decrypt(request: DecryptionRequest & Party, signal?: AbortSignal): Promise<DecryptedAmount[]> {
    const results: DecryptedAmount[] = [];
    const keep = (from: number, reply: WorkerReply) => {
      if (reply.kind === 'decrypted') this.#keep(results, from, reply.results);
    };
    const ask = (part: DecryptionRequest): WorkerRequest => ({ kind: 'decrypt', ...part });
    await this.#admit(request, { ask, keep, chunk: CHUNK.decrypt }, signal);
    return results;
  }

  async decryptAndProve(
    request: DisclosureRequest & Party,
    signal?: AbortSignal,
  ): Promise<DisclosedAmount[]> {
    const results: DisclosedAmount[] = [];
    const keep = (from: number, reply: WorkerReply) => {
      if (reply.kind === 'disclosed') this.#keep(results, from, reply.results);
    };
    const publicKey = Uint8Array.from(request.publicKey);
    const ask = (part: DecryptionRequest): WorkerRequest => ({ kind: 'disclose', publicKey, ...part });
    await this.#admit(request, { ask, keep, chunk: CHUNK.disclose }, signal);
    return results;
  }

  #keep<Result extends DecryptedAmount>(results: Result[], from: number, part: readonly Result[]): void {
    for (const [index, result] of part.entries()) {
      results[from + index] = result;
      this.#finished += 1;
      if (result.kind === 'undecryptable') this.#undecryptable += 1;
    }
  }

  /** Resolves when the results of all ciphertexts are stored. */
  async #admit(
    { party, secret, ciphertexts }: DecryptionRequest & Party,
    { ask, keep, chunk }: Pick<Job, 'ask' | 'keep'> & { readonly chunk: number },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    if (this.#closed) throw closing();
    const unfinished = this.#unfinished(party);
    if (unfinished > 0 && unfinished + ciphertexts.length > this.#queueLimit) {
      throw unavailable('Too many decryptions are waiting. Try again in a moment.', { retryAfterSeconds: 1 });
    }
    if (ciphertexts.length === 0) return;

    await new Promise<void>((resolve, reject) => {
      const abort = () => this.#fail(job, signal?.reason);
      const job: Job = {
        party,
        secret: Uint8Array.from(secret),
        ciphertexts,
        ask,
        keep,
        chunks: chunksOf(ciphertexts.length, chunk).reverse(),
        unfinished: ciphertexts.length,
        resolve,
        reject,
        stopListening: () => signal?.removeEventListener('abort', abort),
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#jobs.add(job);
      this.#awaitTurn(job);
      this.#dispatch();
    });
  }

  async warmUp(): Promise<void> {
    if (this.#closed) throw closing();
    const warm: Promise<undefined>[] = [];
    this.#threads.runOnCold(() => {
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      warm.push(promise);
      return {
        message: () => ({ request: { kind: 'warmUp' }, transfer: [] }),
        answered: () => resolve(undefined),
        died: (cause) => reject(unavailable('A decryption thread did not start.', { cause })),
      };
    });
    await Promise.all(warm);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const job of this.#jobs) this.#fail(job, closing());
    await this.#threads[Symbol.asyncDispose]();
  }

  /** The number of unfinished ciphertexts of one party, or of all. */
  #unfinished(party?: string): number {
    let unfinished = 0;
    for (const job of this.#jobs)
      if (party === undefined || job.party === party) unfinished += job.unfinished;
    return unfinished;
  }

  #awaitTurn(job: Job): void {
    const waiting = this.#turns.get(job.party) ?? [];
    if (!waiting.includes(job)) waiting.push(job);
    this.#turns.set(job.party, waiting);
  }

  /** The job whose turn it is. Then it and its party move to the end of the order. */
  #nextTurn(): Job | undefined {
    for (const [party, waiting] of this.#turns) {
      this.#turns.delete(party);
      const job = waiting.shift();
      if (waiting.length > 0) this.#turns.set(party, waiting);
      if (job) return job;
    }
    return undefined;
  }

  /** Gives the next chunks to free threads. */
  #dispatch(): void {
    while (this.#turns.size > 0 && this.#threads.free > 0) {
      const job = this.#nextTurn();
      const chunk = job?.chunks.pop();
      if (job === undefined || chunk === undefined) return;
      if (job.chunks.length > 0) this.#awaitTurn(job);
      this.#threads.run(this.#chunkTask(job, chunk));
    }
  }

  #chunkTask(job: Job, chunk: Chunk): Task {
    chunk.attempts += 1;
    return {
      message: () => {
        // Transferred instead of cloned, so that no copy of the secret remains in a serialized message.
        const secret = Uint8Array.from(job.secret);
        const ciphertexts = job.ciphertexts.slice(chunk.from, chunk.to).map(ownCopy);
        return { request: job.ask({ secret, ciphertexts }), transfer: [secret.buffer] };
      },
      answered: (reply) => this.#chunkAnswered(job, chunk, reply),
      died: (cause) => {
        if (!this.#jobs.has(job)) return;
        if (chunk.attempts >= MAX_ATTEMPTS) {
          this.#fail(job, unavailable('A decryption could not be finished. Try again.', { cause }));
          return;
        }
        job.chunks.push(chunk);
        this.#awaitTurn(job);
      },
    };
  }

  #chunkAnswered(job: Job, chunk: Chunk, reply: WorkerReply): void {
    if (!this.#jobs.has(job)) return;
    switch (reply.kind) {
      case 'decrypted':
      case 'disclosed':
        job.keep(chunk.from, reply);
        job.unfinished -= chunk.to - chunk.from;
        if (job.unfinished === 0) {
          this.#forget(job);
          job.resolve();
        }
        return;
      case 'failed': {
        const cause = new Error(reply.message);
        this.#fail(job, new LucarneError('INTERNAL_SERVER_ERROR', 'A decryption failed.', { cause }));
        return;
      }
      case 'ready':
        return;
      default:
        unreachable(reply);
    }
  }

  #fail(job: Job, reason: unknown): void {
    this.#forget(job);
    job.reject(reason);
  }

  #forget(job: Job): void {
    job.secret.fill(0);
    job.stopListening();
    this.#jobs.delete(job);
    const waiting = this.#turns.get(job.party)?.filter((other) => other !== job) ?? [];
    if (waiting.length > 0) this.#turns.set(job.party, waiting);
    else this.#turns.delete(job.party);
  }
}

function chunksOf(length: number, size: number): Chunk[] {
  const chunks: Chunk[] = [];
  for (let from = 0; from < length; from += size) {
    chunks.push({ from, to: Math.min(from + size, length), attempts: 0 });
  }
  return chunks;
}

// A message would clone the whole buffer of a view, and every member of an object, which must not be sent.
const ownCopy = ({ lo, hi, loBits, hiBits }: SplitCiphertext): SplitCiphertext => ({
  lo: Uint8Array.from(lo),
  hi: Uint8Array.from(hi),
  loBits,
  hiBits,
});

const closing = () => unavailable('The gateway is stopping.');
