import { LucarneError, unavailable } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/encoding/json.js';
import { unreachable } from '../../kernel/unreachable.js';
import { verificationKeyJson, type VerificationKey } from './groth16-key.js';
import type { ProofBytes } from './proof-verifier.js';
import type { ProofReply, ProofRequest } from './proof-worker.js';
import { WorkerThreads, workerUrlOf, type ThreadTask } from '../worker-threads.js';

export interface ProofPoolOptions {
  /** Number of worker threads. They start when there is work. */
  readonly workers: number;
  /** Maximum number of unfinished proofs. */
  readonly queueLimit: number;
  /** The compiled worker. Default: the one of this package. */
  readonly workerUrl?: URL;
  /** Called with a sentence that explains why a thread verifies without the kernel. */
  readonly notice?: (message: string) => void;
}

export interface ProofPoolStats {
  /** Number of threads that are alive. */
  readonly workers: number;
  /** Number of threads that are working. */
  readonly busy: number;
  /** Number of unfinished proofs, to compare with the queue limit. */
  readonly unfinished: number;
  /** Number of proofs that were answered since the start, and how many of them were invalid. */
  readonly finished: number;
  readonly refuted: number;
  /** Number of batches since the start: under load, a batch has several proofs. */
  readonly batches: number;
  /** Number of threads that ended unexpectedly since the start. */
  readonly deaths: number;
}

/** Verifies Groth16 proofs in worker threads: a batch takes milliseconds, or a hundred milliseconds without the kernel. */
export interface ProofPool extends AsyncDisposable {
  /**
   * Whether the bytes are points that prove the signals. Their number must be that of the key, and each must be below r.
   * Rejects with `UNAVAILABLE` if the queue is full (`queue_at_capacity`), the pool closes or its threads keep dying.
   */
  verify(key: VerificationKey, proof: ProofBytes): Promise<boolean>;
  readonly stats: ProofPoolStats;
}

export function createProofPool(options: ProofPoolOptions): ProofPool {
  return new WorkerProofPool(options);
}

/** Larger batches save little, and an invalid proof in them costs more. */
const MAX_BATCH = 32;
/** Smaller batches cost much more for each proof. */
const MIN_SPLIT_BATCH = 16;

/** A proof whose thread died is retried alone in one other thread, because it may have caused the death. */
const MAX_ATTEMPTS = 2;

interface Job {
  readonly key: PoolKey;
  readonly proof: ProofBytes;
  readonly resolve: (holds: boolean) => void;
  readonly reject: (reason: unknown) => void;
  attempts: number;
}

/** A key in the form for threads. */
interface PoolKey {
  readonly id: number;
  readonly json: JsonObject;
  /**
   * Number of its proofs that are verified together. It decreases after an invalid one, which costs more than a batch saves.
   */
  batch: number;
}

class WorkerProofPool implements ProofPool {
  readonly #threads: WorkerThreads<ProofRequest, ProofReply>;
  readonly #queueLimit: number;
  readonly #keys = new Map<VerificationKey, PoolKey>();
  readonly #unfinished = new Set<Job>();
  #waiting: Job[] = [];
  #closed = false;
  #finished = 0;
  #refuted = 0;
  #batches = 0;

  constructor({
    workers,
    queueLimit,
    workerUrl = workerUrlOf('platform/crypto/proofs/proof-worker'),
    notice,
  }: ProofPoolOptions) {
    this.#threads = new WorkerThreads({ workers, workerUrl, notice, idle: () => this.#dispatch() });
    this.#queueLimit = queueLimit;
  }

  get stats(): ProofPoolStats {
    return {
      workers: this.#threads.alive,
      busy: this.#threads.busy,
      unfinished: this.#unfinished.size,
      finished: this.#finished,
      refuted: this.#refuted,
      batches: this.#batches,
      deaths: this.#threads.deaths,
    };
  }

  async verify(key: VerificationKey, proof: ProofBytes): Promise<boolean> {
    if (this.#closed) throw closing();
    // In a thread, it would fail the whole batch.
    if (proof.signals.length !== key.ic.length - 1)
      throw new RangeError(`The key is for ${key.ic.length - 1} signals.`);
    if (this.#unfinished.size >= this.#queueLimit) {
      const reason = 'queue_at_capacity';
      throw unavailable('Too many proofs are waiting. Try again in a moment.', {
        reason,
        retryAfterSeconds: 1,
      });
    }
    return new Promise((resolve, reject) => {
      const job: Job = { key: this.#keyOf(key), proof, resolve, reject, attempts: 0 };
      this.#unfinished.add(job);
      this.#waiting.push(job);
      // The proofs of one turn of the event loop are one batch.
      if (this.#waiting.length === 1) setImmediate(() => this.#dispatch());
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#waiting = [];
    for (const job of this.#unfinished) this.#fail(job, closing());
    await this.#threads[Symbol.asyncDispose]();
  }

  #keyOf(key: VerificationKey): PoolKey {
    const known = this.#keys.get(key);
    if (known) return known;
    const added = { id: this.#keys.size, json: verificationKeyJson(key), batch: MAX_BATCH };
    this.#keys.set(key, added);
    return added;
  }

  #dispatch(): void {
    while (this.#waiting.length > 0 && this.#threads.free > 0) {
      this.#batches += 1;
      const batch = this.#takeBatch();
      try {
        this.#threads.run(this.#task(batch));
      } catch (thrown) {
        // Nobody else handles it, if no thread can be started.
        for (const job of batch) this.#fail(job, thrown);
      }
    }
  }

  /**
   * The proof that has waited longest, with others of its key: as many as leave work for every free thread. For a single one, a
   * short queue is split, so that those who sent the first half continue while the other half is verified.
   */
  #takeBatch(): Job[] {
    const [first] = this.#waiting;
    const { key } = first!;
    const { free } = this.#threads;
    const share =
      free > 1
        ? Math.ceil(this.#waiting.length / free)
        : Math.max(MIN_SPLIT_BATCH, Math.ceil(this.#waiting.length / 2));
    const most = first!.attempts > 0 ? 1 : Math.min(key.batch, share);
    const batch = new Set(
      this.#waiting.filter((job) => job === first || (job.key === key && job.attempts === 0)).slice(0, most),
    );
    this.#waiting = this.#waiting.filter((job) => !batch.has(job));
    return [...batch];
  }

  #task(batch: readonly Job[]): ThreadTask<ProofRequest, ProofReply> {
    const { key } = batch[0]!;
    for (const job of batch) job.attempts += 1;
    // A message would clone the whole buffer of a view.
    const proofs = batch.map(({ proof: { proof, signals } }) => ({ proof: Uint8Array.from(proof), signals }));
    return {
      message: () => ({ request: { keyId: key.id, key: key.json, proofs }, transfer: [] }),
      answered: (reply) => this.#answered(batch, reply),
      died: (cause) => {
        const alive = batch.filter((job) => this.#unfinished.has(job));
        for (const job of alive.filter(({ attempts }) => attempts >= MAX_ATTEMPTS)) {
          this.#fail(
            job,
            unavailable('A proof could not be verified. Try again.', { cause, retryAfterSeconds: 1 }),
          );
        }
        this.#waiting.unshift(...alive.filter(({ attempts }) => attempts < MAX_ATTEMPTS));
      },
    };
  }

  #answered(batch: readonly Job[], reply: ProofReply): void {
    switch (reply.kind) {
      case 'verified':
        for (const [index, job] of batch.entries()) this.#finish(job, reply.holds[index]!);
        this.#adjust(batch[0]!.key, batch.length, reply.holds);
        return;
      case 'failed': {
        const cause = new Error(reply.message);
        for (const job of batch)
          this.#fail(job, new LucarneError('INTERNAL_SERVER_ERROR', 'A proof check failed.', { cause }));
        return;
      }
      default:
        unreachable(reply);
    }
  }

  /** Invalid proofs make batches smaller; valid ones let them grow again. */
  #adjust(key: PoolKey, size: number, holds: readonly boolean[]): void {
    if (!holds.every(Boolean)) key.batch = Math.max(1, key.batch >> 1);
    else if (size === key.batch) key.batch = Math.min(MAX_BATCH, key.batch * 2);
  }

  #finish(job: Job, holds: boolean): void {
    if (!this.#unfinished.delete(job)) return;
    this.#finished += 1;
    if (!holds) this.#refuted += 1;
    job.resolve(holds);
  }

  #fail(job: Job, reason: unknown): void {
    this.#unfinished.delete(job);
    job.reject(reason);
  }
}

const closing = () => unavailable('The gateway is stopping.', { retryAfterSeconds: 1 });
